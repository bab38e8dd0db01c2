/** Inventory of NVIDIA UFM's REST interface, translated into cabling. */
@NullMarked
package dev.fabricoperator.sources.ufm;

import org.jspecify.annotations.NullMarked;
