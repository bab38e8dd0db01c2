/** The whole answer. */
@NullMarked
package dev.fabricoperator.fabric.model;

import org.jspecify.annotations.NullMarked;
