/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import java.util.List;

/**
 * What is to be said of a Fabric beside its numbers.
 *
 * @param drafts its conditions, without those that depend on how far writing has come
 * @param findings what an administrator should look at, the first 64
 * @param total how many there are
 * @param sources how its topology sources stand
 */
public record Findings(List<ConditionDraft> drafts, List<FindingStatus> findings, int total, SourceReport sources) {}
