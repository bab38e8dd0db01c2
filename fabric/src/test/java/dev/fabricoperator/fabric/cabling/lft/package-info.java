@NullMarked
package dev.fabricoperator.fabric.cabling.lft;

import org.jspecify.annotations.NullMarked;
