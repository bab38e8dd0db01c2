/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/**
 * A file that could not be read or understood.
 *
 * @param file path below the host root, for example {@code /sys/class/infiniband/mlx5_0/ports/1/rate}
 * @param reason what is wrong with it, in words for an administrator
 */
public record ReadError(String file, String reason) implements Comparable<ReadError> {
    @Override
    public int compareTo(ReadError other) {
        int byFile = file.compareTo(other.file);
        return byFile != 0 ? byFile : reason.compareTo(other.reason);
    }
}
