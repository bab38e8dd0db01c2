@NullMarked
package dev.fabricoperator.cli;

import org.jspecify.annotations.NullMarked;
