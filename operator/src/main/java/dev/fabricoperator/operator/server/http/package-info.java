/** HTTPS listeners that stand strangers: connections, requests and bodies within limits. Knows nothing of what is asked. */
@NullMarked
package dev.fabricoperator.operator.server.http;

import org.jspecify.annotations.NullMarked;
