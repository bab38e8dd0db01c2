@NullMarked
package dev.fabricoperator.fabric.route;

import org.jspecify.annotations.NullMarked;
