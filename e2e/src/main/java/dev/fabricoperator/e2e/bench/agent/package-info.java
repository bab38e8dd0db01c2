/** Memory and idle cost of the node agent, beside a bare JVM and beside the same agent on fabric8's client. */
@NullMarked
package dev.fabricoperator.e2e.bench.agent;

import org.jspecify.annotations.NullMarked;
