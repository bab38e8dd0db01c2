/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/**
 * Where the pmixd of a pod is reached.
 *
 * @param name of the pod
 * @param address 4 or 16 bytes
 * @param port TCP
 */
public record JobPeer(String name, byte[] address, int port) {
    public static JobPeer of(JobPod pod) {
        return new JobPeer(pod.name(), pod.address(), pod.port());
    }
}
