/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.protocol.job.RunRequest;

/** What launchers tell of mpirun's runs: the one that plays mpirun, and those of workers. All on the loop; texts are as the lines have them, escaped. */
public interface LauncherRun {
    /** Of a pod whose ranks are a direct launch's own. */
    LauncherRun NONE = new LauncherRun() {};

    /** Whether this pod's ranks are those of runs. */
    default boolean isServed() {
        return false;
    }

    /** Whether nothing more of what ranks write is taken for now. */
    default boolean holdsBack() {
        return false;
    }

    /**
     * mpirun asks for a run.
     *
     * @param lines of command, directory and variables, for the launchers of workers
     */
    default void asked(RunRequest request, String lines) {}

    /** @param text the stream's number, a blank, what the rank has written */
    default void output(int localRank, String text) {}

    /** @param line of standard input, or its end */
    default void input(String line) {}

    /** @param bytes of standard input that the rank has read */
    default void inputTaken(int bytes) {}

    default void signal(int number) {}

    /** mpirun shall end. */
    default void stop(int code, String text) {}
}
