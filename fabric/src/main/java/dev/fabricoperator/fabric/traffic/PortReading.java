/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.util.Map;

/**
 * What a port's files said at one time. A file that was absent or could not be understood is left out.
 *
 * @param up whether packets can pass
 * @param shut whether an administrator has shut it
 * @param samples by path below the host's root
 */
public record PortReading(boolean up, boolean shut, Map<String, Sample> samples) {
    public PortReading {
        samples = Map.copyOf(samples);
    }

    /**
     * One file's value.
     *
     * @param value counted since the kernel or the card began, or whole degrees Celsius
     * @param limit from which a temperature is critical, else that of {@code fault}
     */
    public record Sample(LinkFault fault, long value, long limit) {
        public static Sample counted(LinkFault fault, long value) {
            return new Sample(fault, value, fault.limit());
        }
    }
}
