/** Listeners under strangers. */
@NullMarked
package dev.fabricoperator.operator.server.http;

import org.jspecify.annotations.NullMarked;
