/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionType;
import java.util.Set;
import java.util.function.Consumer;

/** What brings the objects of one system to what the newest model wants. It runs in a loop of its own. */
public interface IntegrationWriter {
    /** Lower case; what a Fabric's annotation, a metric and the log call the system. */
    String name();

    /** What a Fabric says of it. */
    ConditionType condition();

    /** Takes over what a model wants; returns at once. */
    void offer(ClusterModel model);

    /** What has been said of Fabrics. */
    ToldConditions told();

    /** Waits for something to do, and does it. */
    void step() throws InterruptedException;

    /** Ends what listens. */
    void close();

    /** @param changed hears of the Fabrics of which something else is to be said */
    default void listen(Consumer<Set<String>> changed) {
        told().listen(changed);
    }
}
