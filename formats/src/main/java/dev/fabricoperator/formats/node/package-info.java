/** Lists of nodes as {@code kubectl} prints them, and the trees of blocks that labels of nodes name. */
@NullMarked
package dev.fabricoperator.formats.node;

import org.jspecify.annotations.NullMarked;
