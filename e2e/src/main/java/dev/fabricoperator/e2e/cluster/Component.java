/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

/** A program of the control plane, under the name of its binary. */
public enum Component {
    ETCD("etcd"),
    API_SERVER("kube-apiserver"),
    CONTROLLER_MANAGER("kube-controller-manager"),
    SCHEDULER("kube-scheduler");

    private final String program;

    Component(String program) {
        this.program = program;
    }

    public String program() {
        return program;
    }
}
