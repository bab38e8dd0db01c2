/** Inventory of NVIDIA UFM's REST interface, translated into cabling. */
@NullMarked
package dev.fabricoperator.formats.ufm;

import org.jspecify.annotations.NullMarked;
