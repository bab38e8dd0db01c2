/** Every given dump against its truth. */
@NullMarked
package dev.fabricoperator.fabric;

import org.jspecify.annotations.NullMarked;
