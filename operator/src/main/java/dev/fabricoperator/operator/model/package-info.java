/** From one inventory to the state of every Fabric; pure functions only. */
@NullMarked
package dev.fabricoperator.operator.model;

import org.jspecify.annotations.NullMarked;
