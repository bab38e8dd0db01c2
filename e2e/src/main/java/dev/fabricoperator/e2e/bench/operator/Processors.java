/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.e2e.bench.Measured;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Processor time that was used so far, in seconds. On a machine that others use too it says more than the clock.
 *
 * @param client this JVM
 * @param server API server and etcd
 * @param operator 0 where none runs
 */
record Processors(double client, double server, double operator) {
    static Processors now(ControlPlane cluster, @Nullable OperatorProcess operator) throws IOException {
        return new Processors(
                seconds(ProcessHandle.current().pid()),
                seconds(cluster.pid(Component.ETCD)) + seconds(cluster.pid(Component.API_SERVER)),
                operator == null ? 0 : seconds(operator.pid()));
    }

    private static double seconds(long pid) throws IOException {
        return new Measured(pid).processorTime().toMillis() / 1e3;
    }

    Processors since(Processors before) {
        return new Processors(client - before.client, server - before.server, operator - before.operator);
    }
}
