/** Dumps: whole, odd, torn and hostile. */
@NullMarked
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import org.jspecify.annotations.NullMarked;
