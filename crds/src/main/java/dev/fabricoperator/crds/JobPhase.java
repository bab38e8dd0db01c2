/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** How far an attempt of a job has come. */
public enum JobPhase {
    /** Some pods are still to come. */
    Assembling,
    /** Every pod has the map; ranks run. */
    Running,
    Succeeded,
    /** A pod ended with another code than 0; a retry is a new attempt. */
    Failed,
    /** Some pods did not come in time; those that waited have ended. */
    TimedOut
}
