/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

/**
 * Which job. Whoever reads a UID in another namespace, which {@code view} allows, has not got that job's key.
 *
 * @param namespace of the object that stands for the job, and of all its pods
 * @param uid of that object, and behind it the group where each of its groups is a job
 */
public record JobKey(String namespace, String uid) {
    @Override
    public String toString() {
        return namespace + "/" + uid;
    }
}
