/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.hostgen.DerivedHost;
import dev.fabricoperator.e2e.hostgen.DumpText;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.hostgen.HostTree;
import dev.fabricoperator.e2e.hostgen.RecordedHost;
import dev.fabricoperator.fabric.cabling.Cabling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The machines of the demo: those of a recorded fabric, derived from its dump, and some that were recorded themselves.
 *
 * @param dump the fabric's dump as it was recorded
 * @param derived hosts of the dump, in the order of {@code nodes}, which has the recorded ones behind them
 */
record DemoHosts(Path dumpFile, DumpText dump, Cabling cabling, List<DerivedHost> derived, List<NodeSpec> nodes) {
    private static final String DUMP = "fixtures/fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz";
    // Node name, archive: a node of an Omni-Path cluster, and one that has no fabric device at all.
    private static final Map<String, String> RECORDED = Map.of(
            "quartz386", "fixtures/sysfs/derived/quartz386.hfi1-omnipath.tar.xz",
            "vm-without-fabric", "fixtures/sysfs/recorded/vm-32bit-pci-domain.fsroot.tar.bz2");

    static DemoHosts layOut(Path directory, int limit) throws IOException {
        Path file = ProjectRoot.find().resolve(DUMP);
        DumpText dump = Dumps.read(file);
        Cabling cabling = Dumps.cabling(file.getFileName().toString(), dump);
        List<DerivedHost> all = DerivedHost.of(cabling);
        List<DerivedHost> derived = all.subList(0, Math.min(limit, all.size()));
        derived.forEach(host -> write(host, directory.resolve(host.nodeName())));
        List<NodeSpec> nodes = new ArrayList<>();
        for (DerivedHost host : derived) {
            nodes.add(node(host.nodeName(), directory.resolve(host.nodeName()), nodes.size()));
        }
        for (Map.Entry<String, String> recorded : new TreeMap<>(RECORDED).entrySet()) {
            Path root = RecordedHost.unpack(
                    ProjectRoot.find().resolve(recorded.getValue()), directory.resolve(recorded.getKey()));
            nodes.add(node(recorded.getKey(), root, nodes.size()));
        }
        return new DemoHosts(file, dump, cabling, List.copyOf(derived), List.copyOf(nodes));
    }

    int recorded() {
        return nodes.size() - derived.size();
    }

    int derivedDevices() {
        return derived.stream().mapToInt(host -> host.adapters().size()).sum();
    }

    private static NodeSpec node(String name, Path root, int number) {
        return new NodeSpec(name, root, "10.20.%d.%d".formatted(number / 250, number % 250 + 1), Map.of());
    }

    private static void write(DerivedHost host, Path root) {
        try {
            HostTree.write(host, root);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lay out " + host.hostname(), e);
        }
    }
}
