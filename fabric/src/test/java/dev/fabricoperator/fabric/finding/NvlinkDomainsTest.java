/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.cost.NvlinkUnit;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** NVLink domains as their labels tell of them: played, no such host was there. */
class NvlinkDomainsTest {
    private static final int ACCELERATORS = 4;

    /** Hosts of each clique, by its name; each with four accelerators. */
    private final SortedMap<String, List<String>> cliques = new TreeMap<>();

    private void clique(String name, int hosts) {
        List<String> of = new ArrayList<>();
        for (int host = 0; host < hosts; host++) {
            of.add(name.replace('.', '-') + "-" + host);
        }
        cliques.put(name, of);
    }

    private FabricModel model() {
        return model(ModelOptions.DEFAULT);
    }

    private FabricModel model(ModelOptions options) {
        List<Switch> switches = new ArrayList<>();
        List<Vertex> vertices = new ArrayList<>();
        cliques.forEach((clique, hosts) -> {
            List<SwitchPort> ports = new ArrayList<>();
            for (String host : hosts) {
                for (int gpu = 0; gpu < ACCELERATORS; gpu++) {
                    String name = "0000:0" + gpu + ":00.0";
                    vertices.add(new Vertex(vertices.size(), host + "/" + name, 0, host, name));
                    ports.add(new SwitchPort(
                            ports.size() + 1,
                            new PortPeer(host + "/" + name, 0),
                            PortState.Unknown,
                            null,
                            null,
                            null,
                            host,
                            name,
                            NodeType.Device));
                }
            }
            switches.add(new Switch(clique, null, null, NvlinkClique.MODEL, null, "test", ports));
        });
        return FabricModel.of(switches, vertices, options);
    }

    private List<String> findings() {
        return model().findings().stream()
                .map(finding -> finding.type() + " " + finding.message())
                .toList();
    }

    @Test
    void wholeDomainsAreGroupsWithoutAPathBetweenThemAndNothingIsWrong() {
        clique("aa.0", 4);
        clique("bb.0", 4);
        clique("cc.0", 4);
        FabricModel model = model();
        assertThat(model.findings()).isEmpty();
        assertThat(model.groups()).isEqualTo(3);
        assertThat(model.planes()).hasSize(1);
        assertThat(model.partitions()).isEqualTo(1);
        assertThat(model.cost().cost(0, ACCELERATORS)).isEqualTo(20);
        assertThat(model.cost().cost(0, 4 * ACCELERATORS)).isEqualTo(CostMatrix.UNREACHABLE);
        assertThat(model.device(0))
                .satisfies(place -> assertThat(place.switchId()).isEqualTo("aa.0"));
    }

    @Test
    void aTrayThatIsMissingIsTold() {
        clique("aa.0", 4);
        clique("bb.0", 3);
        clique("cc.0", 4);
        assertThat(findings())
                .containsExactly("MissingTray NVLink domain bb has 3 hosts where most domains have 4:"
                        + " a tray is out, or its node lacks the label of its clique");
    }

    @Test
    void aDomainInTwoCliquesIsTold() {
        clique("aa.0", 2);
        clique("aa.1", 2);
        clique("bb.0", 4);
        assertThat(findings())
                .containsExactly("SplitDomain NVLink domain aa is in 2 cliques, aa.0, aa.1:"
                        + " accelerators of one do not reach those of another");
    }

    @Test
    void domainsThatAreAllOfDifferentSizesShowNoneThatLacksSomething() {
        clique("aa.0", 2);
        clique("bb.0", 3);
        assertThat(findings()).isEmpty();
    }

    @Test
    void domainsOfWhichNoMoreThanHalfAreAlikeShowNoneThatLacksSomething() {
        clique("aa.0", 4);
        clique("bb.0", 4);
        clique("cc.0", 3);
        clique("dd.0", 2);
        assertThat(findings()).isEmpty();
        clique("ee.0", 4);
        assertThat(findings()).hasSize(2).allMatch(finding -> finding.startsWith("MissingTray"));
    }

    @Test
    void aNameWithDotsThatDoesNotEndInANumberIsItsOwnDomain() {
        clique("pod1.rack-a", 4);
        clique("pod1.rack-b", 4);
        clique("pod1.rack-c.0", 4);
        assertThat(findings()).isEmpty();
        assertThat(NvlinkClique.domain("pod1.rack-a")).isEqualTo("pod1.rack-a");
        assertThat(NvlinkClique.domain("pod1.rack-c.10")).isEqualTo("pod1.rack-c");
        assertThat(NvlinkClique.domain(".1")).isEqualTo(".1");
    }

    @Test
    void groupsStayWhereACliqueComesBeforeTheOthers() {
        clique("bb.0", 4);
        clique("cc.0", 4);
        FabricModel before = model();
        clique("aa.0", 4);
        FabricModel now = model(new ModelOptions(before.numbering(), Weights.NONE));
        assertThat(now.switchPosition("bb.0")).isEqualTo(before.switchPosition("bb.0"));
        assertThat(now.switchPosition("cc.0")).isEqualTo(before.switchPosition("cc.0"));
    }

    @Test
    void ofTwoFabricsTheCheaperCountsInTheUnitOfTheNetwork() {
        clique("aa.0", 2);
        clique("bb.0", 2);
        CostMatrix nvlink = model().cost();
        int[][] slots = new int[4][];
        for (int host = 0; host < slots.length; host++) {
            slots[host] = new int[] {host * ACCELERATORS, host * ACCELERATORS + 1};
        }
        // A network of one switch: every pair of hosts 20.
        cliques.clear();
        clique("leaf", 4);
        NodeCosts costs = NodeCosts.of(model().cost(), slots)
                .orByNvlink(NodeCosts.of(nvlink, slots), new NvlinkUnit(400_000_000_000L, 3_600_000_000_000L));
        assertThat(costs.cost(0, 1)).isEqualTo(2);
        assertThat(costs.cost(1, 2)).isEqualTo(20);
        assertThat(costs.cost(2, 2)).isZero();
        short[] row = new short[4];
        costs.row(3, row);
        assertThat(row).containsExactly((short) 20, (short) 20, (short) 2, (short) 0);
        short[] block = new short[2];
        costs.block(new int[] {0}, new int[] {1, 3}, block);
        assertThat(block).containsExactly((short) 2, (short) 20);
    }
}
