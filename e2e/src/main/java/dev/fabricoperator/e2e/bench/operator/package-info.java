/** What the operator costs: memory, and time from the last device to a Fabric that is Ready. */
@NullMarked
package dev.fabricoperator.e2e.bench.operator;

import org.jspecify.annotations.NullMarked;
