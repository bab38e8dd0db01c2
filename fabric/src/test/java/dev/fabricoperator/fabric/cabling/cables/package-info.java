@NullMarked
package dev.fabricoperator.fabric.cabling.cables;

import org.jspecify.annotations.NullMarked;
