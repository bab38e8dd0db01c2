/** The demonstration that {@code make demo} runs. */
@NullMarked
package dev.fabricoperator.e2e.demo;

import org.jspecify.annotations.NullMarked;
