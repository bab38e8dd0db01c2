/** Forms in which an answer is printed. */
@NullMarked
package dev.fabricoperator.cli.output;

import org.jspecify.annotations.NullMarked;
