@NullMarked
package dev.fabricoperator.formats.export;

import org.jspecify.annotations.NullMarked;
