/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.bench.BenchFabrics;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.cables.CablesReader;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmOptions;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.export.SlurmWriter;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    /** Names that end in 20 digits, a spine with hosts, storage that all hosts share: none ends slurmctld, and each host is joined. */
    @ParameterizedTest
    @CsvSource({"longdigits2, false", "core-hosts, true", "core-hosts, false", "dgx-stor-low, true", "fqdn, false"})
    void slurmStartsWithWhatSitesHaveAndReachesEveryHost(String reported, boolean everySwitch) throws Exception {
        Path file = Path.of(System.getProperty("fixtures", "fixtures"), "reported/handed-on", reported + ".csv");
        Cabling cabling = CablesReader.read(reported, new StringReader(Files.readString(file)));
        FabricModel model = OfflineFabrics.of(cabling).getFirst().model();
        StringBuilder conf = new StringBuilder();
        SlurmNodeNames names = new SlurmNodeNames(SlurmNodeNames.Form.SHORT, Map.of());
        SlurmOptions options =
                new SlurmOptions("fabric", SlurmPlugin.tree, null, everySwitch, names, SlurmVersion.OLDEST);
        SlurmWriter.conf(model, options, conf);
        List<String> nodes = nodesOfSwitches(conf.toString()).values().stream()
                .flatMap(Set::stream)
                .distinct()
                .sorted()
                .toList();
        assertThat(nodes).hasSizeGreaterThan(4);

        try (SlurmController slurm = SlurmController.start(directory, nodes, "tree", conf.toString())) {
            assertThat(nodesOfSwitches(slurm.control("show", "topology")).values())
                    .anySatisfy(below -> assertThat(below).containsExactlyInAnyOrderElementsOf(nodes));
            assertThat(slurm.log()).doesNotContain("no switch can reach all nodes");
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
