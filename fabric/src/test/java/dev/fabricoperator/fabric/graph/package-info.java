/** Graphs of numbered nodes, against the plainest way to compute the same. */
@NullMarked
package dev.fabricoperator.fabric.graph;

import org.jspecify.annotations.NullMarked;
