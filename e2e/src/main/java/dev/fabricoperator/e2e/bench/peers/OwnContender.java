/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * This project, in process: the dump read whole with everything that it says, then topology, kind, coordinates, groups,
 * planes and cost of its largest fabric, without whole records of its devices and the digest of its costs.
 */
final class OwnContender implements Protocol.Contender<Cabling, OfflineFabric> {
    /** Of a hop at the speed of the fastest cable, and of every hop where nobody knows the speeds. */
    private static final int COST_OF_HOP = 10;

    public static void main(String[] args) throws Exception {
        Protocol.serve("fabric-operator", Path.of(args[0]), new OwnContender());
    }

    @Override
    public Cabling parse(Path dump) throws Exception {
        try (Reader text = Files.newBufferedReader(dump, StandardCharsets.UTF_8)) {
            return IbnetdiscoverReader.read(dump.toString(), text);
        }
    }

    @Override
    public OfflineFabric search(Cabling cabling) {
        return OfflineFabrics.of(cabling).getFirst();
    }

    @Override
    public long devices(Cabling cabling, OfflineFabric fabric) {
        return fabric.model().devices();
    }

    /** Hops are what cables cost whose speeds nobody knows. */
    @Override
    public long hops(Cabling cabling, OfflineFabric fabric) {
        List<Vertex> vertices = new ArrayList<>();
        fabric.devices().forEach(d -> vertices.add(new Vertex(vertices.size(), d.endId(), d.port(), null)));
        CostMatrix cost = FabricModel.of(
                        fabric.switches().stream()
                                .map(OwnContender::withoutSpeeds)
                                .toList(),
                        vertices)
                .cost();
        long sum = 0;
        short[] row = new short[cost.vertices()];
        for (int from = 0; from < row.length; from++) {
            cost.row(from, row);
            for (short value : row) {
                sum += value & 0xffff;
            }
        }
        return sum / COST_OF_HOP;
    }

    private static Switch withoutSpeeds(Switch node) {
        List<SwitchPort> ports = node.ports().stream()
                .map(p -> SwitchPortBuilder.builder(p).speedBitsPerSecond(null).build())
                .toList();
        return SwitchBuilder.builder(node).ports(ports).build();
    }
}
