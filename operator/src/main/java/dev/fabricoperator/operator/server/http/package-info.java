/** The query API as HTTPS: listener, limits, negotiation, Kubernetes Status objects. Knows nothing of fabrics. */
@NullMarked
package dev.fabricoperator.operator.server.http;

import org.jspecify.annotations.NullMarked;
