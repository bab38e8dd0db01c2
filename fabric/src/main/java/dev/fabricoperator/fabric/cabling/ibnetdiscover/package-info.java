/** The text that {@code ibnetdiscover} of infiniband-diags prints, translated into cabling. */
@NullMarked
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import org.jspecify.annotations.NullMarked;
