/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model.condition;

import dev.fabricoperator.crds.ConditionStatus;

/**
 * What the model says of one condition, before time comes into it.
 *
 * @param message in words, with counts
 */
public record ConditionDraft(ConditionType type, ConditionStatus status, Reason reason, String message) {}
