@NullMarked
package dev.fabricoperator.cli.input;

import org.jspecify.annotations.NullMarked;
