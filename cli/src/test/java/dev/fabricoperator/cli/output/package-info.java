@NullMarked
package dev.fabricoperator.cli.output;

import org.jspecify.annotations.NullMarked;
