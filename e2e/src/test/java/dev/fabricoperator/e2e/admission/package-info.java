/** The operator's webhooks and policies in front of a real API server. */
@NullMarked
package dev.fabricoperator.e2e.admission;

import org.jspecify.annotations.NullMarked;
