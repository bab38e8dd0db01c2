@NullMarked
package dev.fabricoperator.fabric.tier;

import org.jspecify.annotations.NullMarked;
