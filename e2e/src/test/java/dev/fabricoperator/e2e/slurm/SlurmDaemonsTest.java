/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.bench.BenchFabrics;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.cabling.slurm.HostList;
import dev.fabricoperator.fabric.export.SlurmWriter;
import dev.fabricoperator.fabric.model.FabricModel;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real slurmctld reads the topology.conf that is written for it, and says what it understood. */
class SlurmDaemonsTest {
    private static final int MOST_NODES = 100_000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"sim/ft3-k18", "sim/ft2-128", "fabric/ib-hdr-selene-storage"})
    void slurmKnowsEachHostAtTheSwitchWhereItIs(String recorded) throws Exception {
        Cabling cabling = IbnetdiscoverReader.read(recorded, new StringReader(BenchFabrics.dump(recorded)));
        FabricModel model = OfflineFabrics.of(cabling).getFirst().model();
        String conf = SlurmWriter.conf(model);
        Map<String, Set<String>> written = nodesOfSwitches(conf);
        List<String> nodes = written.values().stream()
                .flatMap(Set::stream)
                .distinct()
                .sorted()
                .toList();
        assertThat(nodes).hasSizeGreaterThan(10);

        try (SlurmController slurm = SlurmController.start(directory, nodes, "tree", conf)) {
            String understood = slurm.control("show", "topology");
            Map<String, Set<String>> leaves = nodesOfSwitches(understood);
            written.forEach((leaf, below) -> assertThat(leaves).as(understood).containsEntry(leaf, below));
            // Those above leaves have what is below them: the root has all.
            assertThat(leaves.values())
                    .anySatisfy(below -> assertThat(below).containsExactlyInAnyOrderElementsOf(nodes));
            assertThat(slurm.log().lines().filter(line -> line.contains("error") && line.contains("opology")))
                    .isEmpty();
        }
    }

    /** Of lines {@code SwitchName=s Level=0 LinkSpeed=1 Nodes=n[1-4]}. */
    private static Map<String, Set<String>> nodesOfSwitches(String text) throws Exception {
        Map<String, Set<String>> nodes = new TreeMap<>();
        for (String line : text.lines().toList()) {
            String name = "";
            for (String word : line.split(" +", -1)) {
                int equals = word.indexOf('=');
                String value = word.substring(equals + 1);
                if (word.startsWith("SwitchName=")) {
                    name = value;
                } else if (word.startsWith("Nodes=") && !value.isEmpty()) {
                    nodes.put(name, new TreeSet<>(HostList.expand(value, MOST_NODES)));
                }
            }
        }
        return nodes;
    }
}
