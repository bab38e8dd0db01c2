/** The query API: what it answers, of which generation, and to whom. */
@NullMarked
package dev.fabricoperator.operator.server.query;

import org.jspecify.annotations.NullMarked;
