@NullMarked
package dev.fabricoperator.formats.map;

import org.jspecify.annotations.NullMarked;
