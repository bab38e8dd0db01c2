/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is to be said of a Fabric beside its numbers.
 *
 * @param drafts its conditions, without those that depend on how far writing has come
 * @param findings what an administrator should look at, the first 64
 * @param total how many there are
 * @param sources how its topology sources stand
 */
public record Findings(List<ConditionDraft> drafts, List<FindingStatus> findings, int total, SourceReport sources) {
    /** With more conditions behind these. */
    public Findings and(List<ConditionDraft> more) {
        return more.isEmpty()
                ? this
                : new Findings(Stream.concat(drafts.stream(), more.stream()).toList(), findings, total, sources);
    }
}
