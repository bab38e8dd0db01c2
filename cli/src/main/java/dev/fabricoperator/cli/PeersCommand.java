/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code peers}: the devices on a device's switch. */
@Command(
        name = "peers",
        description = {
            "Show the switch of a device and the devices on the same switch, itself included.",
            "ID: an object name, deviceId, port or node GUID, host/osName[:port]."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric peers node001/mlx5_0",
            "  kubectl fabric peers 248a0703002e61db fabric.txt.gz -o json"
        })
final class PeersCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DEVICE", description = "ID of the device.")
    String device = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = SourceArgument.LABEL,
            converter = SourceArgument.Converter.class,
            description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @JsonPropertyOrder({"device", "fabric", "generation", "switch", "name", "port", "peers"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Document(
            String device,
            String fabric,
            long generation,

            @com.fasterxml.jackson.annotation.JsonProperty("switch") @Nullable
            String switchId,

            @Nullable String name,
            @Nullable Integer port,
            List<Peer> peers) {}

    @JsonPropertyOrder({"id", "device", "index", "port", "switchPort"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Peer(
            String id,
            String device,
            int index,
            int port,
            @Nullable Integer switchPort) {}

    @Override
    public Integer call() throws IOException, Failure {
        FabricSet found = fabric.read(files);
        FoundDevice asked = new DeviceFinder(found.devices()).find(device);
        FoundFabric one = asked.fabric();
        Map<Integer, FoundDevice> bySlot = new TreeMap<>();
        found.devicesOf(one).forEach(d -> bySlot.put(d.slot(), d));
        List<Peer> peers = new ArrayList<>();
        for (int slot : Objects.requireNonNull(one.query().switchPeers(asked.slot()))) {
            FoundDevice peer = bySlot.get(slot);
            var place = one.model().device(slot);
            if (peer != null && place != null) {
                peers.add(new Peer(
                        peer.shownId(), peer.objectName(), slot, peer.spec().port(), place.switchPort()));
            }
        }
        var place = Objects.requireNonNull(one.model().device(asked.slot()));
        String at = place.switchId();
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                TextTable table = new TextTable("DEVICE", "INDEX", "SWITCH", "NAME", "PORT");
                String name = at == null ? null : one.switchName(at);
                peers.forEach(peer -> table.row(peer.device(), peer.index(), at, name, peer.switchPort()));
                table.writeTo(out);
            } else {
                DocumentWriter.write(
                        output.format,
                        new Document(
                                asked.shownId(),
                                one.name(),
                                one.generation(),
                                at,
                                at == null ? null : one.switchName(at),
                                place.switchPort(),
                                peers),
                        out);
            }
        }
        return 0;
    }
}
