/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.jspecify.annotations.Nullable;

/**
 * One system that is told of the fabrics. It says which objects there should be and does nothing itself: {@link Integrations}
 * writes what differs, where the API server knows the kind, and removes what is no longer wanted.
 */
public interface Integration {
    /** Lower case; what a Fabric's annotation, a metric and the log call it. */
    String name();

    /** The kind that it writes; cluster-scoped. */
    ResourceDefinitionContext kind();

    /** The label that says who made an object, with the value {@link IntegratedObject#OPERATOR}. What has it not is another's. */
    String sourceLabel();

    /** What a Fabric says of it. */
    ConditionType condition();

    /** Whether the operator's settings want it; otherwise all that is its own goes. */
    boolean isEnabled();

    /**
     * Why an object that is there may not be changed, and what a person may do about it, which is said where the API server calls
     * the new spec invalid; {@code null} for a kind whose objects can always be changed.
     */
    default @Nullable String whatIsFixed() {
        return null;
    }

    /** What there should be; depends on nothing but the model. */
    WantedObjects wanted(ClusterModel model);
}
