/** Writing what the model says, and nothing else. */
@NullMarked
package dev.fabricoperator.operator.controller.status;

import org.jspecify.annotations.NullMarked;
