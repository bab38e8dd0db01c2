/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.ReadError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one look at a host gave.
 *
 * @param hostname the host's own name for itself, or null where no file says it
 * @param devices sorted by kernel name, then port
 * @param complete whether every device could be found: no directory that lists devices failed
 * @param errorFree whether moreover every file that is there could be read and understood. Only then does the absence
 *     of a device mean that it is gone. Two readable files that contradict each other do not count
 * @param errors what could not be read and belongs to no device, ascending by file
 */
public record DiscoveryResult(
        @Nullable String hostname, List<Device> devices, boolean complete, boolean errorFree, List<ReadError> errors) {
    public DiscoveryResult {
        devices = List.copyOf(devices);
        errors = List.copyOf(errors);
    }
}
