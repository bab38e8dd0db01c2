/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What communication costs from a device to each of others.
 *
 * @param from node GUID, else deviceId
 * @param costs by index
 */
@JsonPropertyOrder({"from", "generation", "costs"})
public record RowAnswer(String from, long generation, List<Entry> costs) {
    /** @param to node GUID, else deviceId */
    @JsonPropertyOrder({"to", "port", "device", "index", "cost"})
    public record Entry(String to, int port, String device, int index, int cost) {}

    /**
     * An entry is made when it is read.
     *
     * @param from a slot that is in use
     * @param to slots, of which the empty ones are left out
     */
    public static RowAnswer of(FabricView fabric, int from, int[] to) {
        short[] row = new short[fabric.model().cost().vertices()];
        fabric.model().cost().row(from, row);
        int[] used =
                Arrays.stream(to).filter(slot -> fabric.device(slot) != null).toArray();
        return new RowAnswer(
                Objects.requireNonNull(fabric.device(from)).id(),
                fabric.generation(),
                new ComputedList<>(used.length, at -> entry(fabric, used[at], row)));
    }

    private static Entry entry(FabricView fabric, int slot, short[] row) {
        NamedDevice device = Objects.requireNonNull(fabric.device(slot));
        return new Entry(device.id(), device.port(), device.name(), slot, Short.toUnsignedInt(row[slot]));
    }
}
