/** Rules that span modules. */
@NullMarked
package dev.fabricoperator.e2e.architecture;

import org.jspecify.annotations.NullMarked;
