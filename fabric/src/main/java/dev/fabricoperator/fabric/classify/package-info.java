/** What kind of fabric a wiring is: levels, planes and groups. */
@NullMarked
package dev.fabricoperator.fabric.classify;

import org.jspecify.annotations.NullMarked;
