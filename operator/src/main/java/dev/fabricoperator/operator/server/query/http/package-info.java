/** The query API in HTTP: negotiation, formats, Kubernetes Status objects. Knows nothing of fabrics. */
@NullMarked
package dev.fabricoperator.operator.server.query.http;

import org.jspecify.annotations.NullMarked;
