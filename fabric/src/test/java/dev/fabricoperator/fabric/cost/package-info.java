/** Costs against a plain shortest-path search. */
@NullMarked
package dev.fabricoperator.fabric.cost;

import org.jspecify.annotations.NullMarked;
