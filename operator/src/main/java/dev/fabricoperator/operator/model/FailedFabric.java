/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Fabric that could not be modelled: what is told of it has hit a defect of this program.
 *
 * @param last how it was when it could be, {@code null} where it never was
 */
public record FailedFabric(FabricFacts facts, @Nullable FabricState last, RuntimeException defect) {
    public String name() {
        return facts.name();
    }

    /** What the object has now, and that it is not kept up to date. */
    public FabricStatus status(Conditions factory, @Nullable FabricStatus present) {
        return FabricSummary.with(
                present,
                name(),
                List.of(new ConditionDraft(
                        ConditionType.TopologyKnown,
                        ConditionStatus.Unknown,
                        Reason.ModelFailed,
                        "a defect of the operator, please report it with the lines of its log: " + defect
                                + "; the last good state stays")),
                factory,
                facts.generation());
    }
}
