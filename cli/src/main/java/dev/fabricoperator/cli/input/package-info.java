/** What a person names on the command line, opened and read: dumps, and devices in them. */
@NullMarked
package dev.fabricoperator.cli.input;

import org.jspecify.annotations.NullMarked;
