/** What LLDP daemons say of their neighbours, translated into cabling. */
@NullMarked
package dev.fabricoperator.formats.lldp;

import org.jspecify.annotations.NullMarked;
