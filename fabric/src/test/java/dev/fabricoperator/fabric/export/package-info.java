@NullMarked
package dev.fabricoperator.fabric.export;

import org.jspecify.annotations.NullMarked;
