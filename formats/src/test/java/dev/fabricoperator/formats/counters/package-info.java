@NullMarked
package dev.fabricoperator.formats.counters;

import org.jspecify.annotations.NullMarked;
