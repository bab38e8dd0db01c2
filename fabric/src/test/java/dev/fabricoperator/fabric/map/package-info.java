@NullMarked
package dev.fabricoperator.fabric.map;

import org.jspecify.annotations.NullMarked;
