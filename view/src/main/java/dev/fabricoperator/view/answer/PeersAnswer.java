/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.model.DevicePosition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The switch of a device and the devices on the same switch.
 *
 * @param switchId absent for a device without a known cable
 * @param switchPort of the device; absent where nobody knows
 * @param peers by index, the device itself included
 * @see "PMIx Standard, PMIX_SWITCH_PEERS"
 */
@JsonPropertyOrder({"index", "device", "id", "fabric", "generation", "switch", "name", "switchPort", "peers"})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PeersAnswer(
        int index,
        String device,
        String id,
        String fabric,
        long generation,
        @JsonProperty("switch") @Nullable String switchId,
        @Nullable String name,
        @Nullable Integer switchPort,
        List<Peer> peers) {

    @JsonPropertyOrder({"index", "device", "id", "nodeName", "port", "switchPort"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Peer(
            int index,
            String device,
            String id,
            @Nullable String nodeName,
            int port,
            @Nullable Integer switchPort) {}

    /** Of devices of several switches, one for each of these. */
    public record Several(List<PeersAnswer> answers) {}

    /** @param slot one that is in use */
    public static PeersAnswer of(FabricView fabric, int slot) {
        NamedDevice device = Objects.requireNonNull(fabric.device(slot));
        DevicePosition place = Objects.requireNonNull(fabric.model().device(slot));
        String at = place.switchId();
        List<Integer> slots = Objects.requireNonNull(fabric.query().switchPeers(slot));
        return new PeersAnswer(
                slot,
                device.name(),
                device.id(),
                fabric.name(),
                fabric.generation(),
                at,
                at == null ? null : fabric.switchName(at),
                place.switchPort(),
                slots.stream().map(peer -> peer(fabric, peer)).toList());
    }

    private static Peer peer(FabricView fabric, int slot) {
        NamedDevice peer = Objects.requireNonNull(fabric.device(slot));
        DevicePosition place = Objects.requireNonNull(fabric.model().device(slot));
        return new Peer(slot, peer.name(), peer.id(), peer.nodeName(), peer.port(), place.switchPort());
    }
}
