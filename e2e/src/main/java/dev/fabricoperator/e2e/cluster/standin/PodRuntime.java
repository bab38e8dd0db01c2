/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import io.fabric8.kubernetes.api.model.Pod;

/** Runs in this JVM what a pod's container would run. */
public interface PodRuntime {
    /** Whether this pod is ours to run; others stay Pending, as on a node that cannot pull their image. */
    boolean runs(Pod pod);

    /** Starts the program; an exception is a container that fails to start, and is tried again later. */
    RunningPod start(BoundPod pod) throws Exception;

    /** A program that was started. */
    interface RunningPod extends AutoCloseable {
        /** What the readiness probe would find. Asked a few times a second. */
        boolean isReady();

        /** Whether it still runs; one that ended is started again, as {@code restartPolicy: Always} asks. */
        boolean isAlive();

        @Override
        void close();
    }
}
