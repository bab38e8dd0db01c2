/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

/** How large a launched job is. */
public record Size(int pods, int ranksPerPod) {
    /** {@code 4} or {@code 4x2}. */
    public static Size parse(String text) {
        String[] parts = text.split("x");
        return new Size(Integer.parseInt(parts[0]), parts.length > 1 ? Integer.parseInt(parts[1]) : 1);
    }

    public int ranks() {
        return pods * ranksPerPod;
    }

    @Override
    public String toString() {
        return pods + " pods x " + ranksPerPod;
    }
}
