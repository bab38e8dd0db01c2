/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

/** One way to start the same program on the same nodes. */
interface Launcher {
    /** As the table and the CSV call it. */
    String name();

    /**
     * Launches, waits for the end, and takes away what it made.
     *
     * @param name of the job, used once
     * @throws LaunchFailedException when the job fails for good or does not end in time
     */
    Launch launch(String name, Size size) throws InterruptedException;
}
