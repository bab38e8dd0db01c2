/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.numbering.Numbering;

/**
 * What a model depends on besides switches and devices.
 *
 * @param previous indices, groups and coordinates given before
 * @param weights what an administrator or a measurement says about links
 */
public record ModelOptions(Numbering previous, Weights weights) {
    public static final ModelOptions DEFAULT = new ModelOptions(Numbering.NONE, Weights.NONE);
}
