/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GroupNamesTest {
    /** Two groups of switches that are cabled to each other, of a tree of three levels. */
    private static GroupNames names(List<@Nullable String> one, List<@Nullable String> other) {
        List<Switch> switches = new ArrayList<>();
        List<Vertex> hosts = new ArrayList<>();
        List<List<@Nullable String>> groups = List.of(one, other);
        for (int group = 0; group < 2; group++) {
            for (int leaf = 0; leaf < 4; leaf++) {
                String id = "leaf" + group + leaf;
                List<SwitchPort> ports = new ArrayList<>();
                for (int host = 1; host < 3; host++) {
                    hosts.add(new Vertex(hosts.size(), id + "h" + host, 1, id + "h" + host, "mlx5_0"));
                    ports.add(port(host, id + "h" + host, 1));
                }
                ports.add(port(3, "above" + group + "0", leaf + 1));
                ports.add(port(4, "above" + group + "1", leaf + 1));
                switches.add(new Switch(id, groups.get(group).get(leaf), null, null, null, "test", ports));
            }
            for (int above = 0; above < 2; above++) {
                List<SwitchPort> ports = new ArrayList<>();
                for (int leaf = 0; leaf < 4; leaf++) {
                    ports.add(port(leaf + 1, "leaf" + group + leaf, 3 + above));
                }
                ports.add(port(5, "core" + above, group + 1));
                String name = groups.get(group).get(4 + above);
                switches.add(new Switch("above" + group + above, name, null, null, null, "test", ports));
            }
        }
        for (int core = 0; core < 2; core++) {
            List<SwitchPort> ports = List.of(port(1, "above0" + core, 5), port(2, "above1" + core, 5));
            switches.add(new Switch("core" + core, "core-" + core, null, null, null, "test", ports));
        }
        FabricModel model = FabricModel.of(switches, hosts);
        assertThat(model.groups()).isEqualTo(2);
        return GroupNames.of(model.topology(), model.classification());
    }

    private static SwitchPort port(int number, String peer, int far) {
        return new SwitchPort(number, new PortPeer(peer, far), PortState.Active, null, null, null, null, null);
    }

    private static List<@Nullable String> numbered(String form, int group) {
        List<@Nullable String> names = new ArrayList<>();
        for (int i = 1; i < 7; i++) {
            names.add(form.formatted(group, i));
        }
        return names;
    }

    private static GroupNames names(String form) {
        return names(numbered(form, 11), numbered(form, 12));
    }

    @Test
    void theWordThatTheNamesOfAGroupShareIsItsName() {
        assertThat(names("pod%d-sw%d").words(0)).isEqualTo("pod11");
        assertThat(names("SLG%d-%02d").words(1)).isEqualTo("SLG12");
        assertThat(names("g%d-r%d").words(0)).isEqualTo("group g11");
        assertThat(names("dc1-pod-%d-sw-%d").words(0)).isEqualTo("pod-11");
        assertThat(names("r%ds%d").words(0)).isEqualTo("group r11");
    }

    @Test
    void whereNamesDoNotTellGroupsApartTheyHaveNumbers() {
        assertThat(names(numbered("x%d-sw%d", 1), numbered("x%d-sw%d", 1)).words(1))
                .isEqualTo("group 1");
        assertThat(names(numbered("pod%d-sw%d", 1), numbered("pod%d-sw%d", 2).subList(0, 6))
                        .words(1))
                .isEqualTo("pod2");
    }

    /** Group 0 that is called unit 01, beside a group 1, would be taken for that one. */
    @Test
    void aNumberAloneIsNoName() {
        assertThat(names("A09-P1-LEAF-01-%d-%d").words(0)).isEqualTo("group 0");
        assertThat(names("%d-%d").words(1)).isEqualTo("group 1");
    }

    @Test
    void aMistypedNameOfSixDoesNotCount() {
        List<@Nullable String> one = numbered("SLG0%d-%02d", 1);
        one.set(2, "SLG1-03");
        assertThat(names(one, numbered("SLG0%d-%02d", 2)).words(0)).isEqualTo("SLG01");
    }
}
