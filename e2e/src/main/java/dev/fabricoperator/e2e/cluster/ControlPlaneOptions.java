/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a control plane consists of, and the knobs that tests turn. etcd and the API server always run.
 *
 * @param components which of the other two run as well
 * @param watchCache whether the API server answers watches from memory; without it they come from etcd and an old resource version is "410 Gone" as soon
 *     as etcd is compacted
 * @param nodeGraceSeconds after how long without a heartbeat the controller manager calls a node NotReady
 * @param apiServerArguments more flags of kube-apiserver; a repeated flag wins over the harness's own
 * @param controllerManagerArguments the same for kube-controller-manager
 * @param network the network namespace to run in, where real nodes reach it; {@code null}: on this machine's loopback
 */
@RecordBuilder
public record ControlPlaneOptions(
        Set<Component> components,
        boolean watchCache,
        int nodeGraceSeconds,
        List<String> apiServerArguments,
        List<String> controllerManagerArguments,
        @Nullable ControlPlaneNetwork network) {
    /** All four programs, everything else as in production. */
    public static final ControlPlaneOptions FULL =
            new ControlPlaneOptions(EnumSet.allOf(Component.class), true, 50, List.of(), List.of(), null);

    /** etcd and API server only: no garbage collection, no DaemonSet pods, no scheduling. */
    public static final ControlPlaneOptions API_ONLY = new ControlPlaneOptions(
            EnumSet.of(Component.ETCD, Component.API_SERVER), true, 50, List.of(), List.of(), null);

    public ControlPlaneOptions {
        components = Set.copyOf(components);
        apiServerArguments = List.copyOf(apiServerArguments);
        controllerManagerArguments = List.copyOf(controllerManagerArguments);
    }
}
