/** The program: its roles, its settings, its health. */
@NullMarked
package dev.fabricoperator.operator;

import org.jspecify.annotations.NullMarked;
