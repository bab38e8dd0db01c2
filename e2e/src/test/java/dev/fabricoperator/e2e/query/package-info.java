/** Tests of the query API against a real API server. */
@NullMarked
package dev.fabricoperator.e2e.query;

import org.jspecify.annotations.NullMarked;
