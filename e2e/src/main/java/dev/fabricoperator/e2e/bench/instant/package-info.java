/** How long ranks take to their first messages, with endpoints that they are given and with endpoints that they exchange. */
@NullMarked
package dev.fabricoperator.e2e.bench.instant;

import org.jspecify.annotations.NullMarked;
