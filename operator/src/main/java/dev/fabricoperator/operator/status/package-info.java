/** Writing what the model says, and nothing else. */
@NullMarked
package dev.fabricoperator.operator.status;

import org.jspecify.annotations.NullMarked;
