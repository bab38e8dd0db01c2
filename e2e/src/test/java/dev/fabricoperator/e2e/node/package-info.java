/** Real nodes: whether they run containers, and leave nothing behind. */
@org.jspecify.annotations.NullMarked
package dev.fabricoperator.e2e.node;
