@NullMarked
package dev.fabricoperator.fabric.discovery;

import org.jspecify.annotations.NullMarked;
