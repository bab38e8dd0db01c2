/**
 * The node agent: looks at its host, publishes what it finds as FabricDevice objects, and nothing else.
 *
 * <p>It runs on every node, so it is small: one thread that reads and publishes, the JDK's HTTP client and server, no
 * framework, no informer and no Kubernetes model classes.
 */
@NullMarked
package dev.fabricoperator.agent;

import org.jspecify.annotations.NullMarked;
