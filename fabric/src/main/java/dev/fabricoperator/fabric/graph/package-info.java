/** What every part of the house needs of graphs whose nodes are numbers, written once. It knows nothing of fabrics. */
@NullMarked
package dev.fabricoperator.fabric.graph;

import org.jspecify.annotations.NullMarked;
