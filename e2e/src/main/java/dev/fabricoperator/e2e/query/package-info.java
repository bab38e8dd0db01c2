/** The query API as its clients see it: directly, and through the API server. */
@NullMarked
package dev.fabricoperator.e2e.query;

import org.jspecify.annotations.NullMarked;
