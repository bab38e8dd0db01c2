/** What may be written, and how often. */
@NullMarked
package dev.fabricoperator.operator.controller.status;

import org.jspecify.annotations.NullMarked;
