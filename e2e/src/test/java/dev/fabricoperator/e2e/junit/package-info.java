/** How a test gets its cluster. */
@NullMarked
package dev.fabricoperator.e2e.junit;

import org.jspecify.annotations.NullMarked;
