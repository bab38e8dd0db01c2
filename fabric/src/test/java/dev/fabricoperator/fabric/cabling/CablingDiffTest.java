/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.testdata.Dump;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CablingDiffTest {
    @ParameterizedTest
    @ValueSource(strings = {"ft2-128", "ft3-k18", "rail-32x8", "torus-6x6x6", "df-a4p2h2"})
    void faultIsTheTruths(String name) {
        Cabling before = Dump.simulated(name).cabling();
        Cabling after = Dump.simulated(name).afterFault().cabling();
        JsonNode truth = Dump.json("sim/" + name + "/fault.diff.truth.json");

        CablingDiff diff = CablingDiff.between(before, after);
        assertThat(diff.nodesLost()).isEqualTo(texts(truth.path("nodes_lost")));
        assertThat(diff.nodesGained()).isEqualTo(texts(truth.path("nodes_gained")));
        assertThat(diff.linksLost()).isEqualTo(texts(truth.path("links_lost")));
        assertThat(diff.linksGained()).isEqualTo(texts(truth.path("links_gained")));

        CablingDiff back = CablingDiff.between(after, before);
        assertThat(back.linksGained()).isEqualTo(diff.linksLost());
        assertThat(back.nodesGained()).isEqualTo(diff.nodesLost());
    }

    @Test
    void nothingChangesBetweenADumpAndItself() {
        CablingDiff diff = CablingDiff.between(Dump.LAB.cabling(), Dump.LAB.cabling());
        assertThat(diff.nodesLost()).isEmpty();
        assertThat(diff.nodesGained()).isEmpty();
        assertThat(diff.linksLost()).isEmpty();
        assertThat(diff.linksGained()).isEmpty();
    }

    @Test
    void anIdThatLooksLikeALinkIsAnId() {
        SwitchPort port = new SwitchPort(1, new PortPeer("b", 2), PortState.Active, null, null, null, null, null);
        CablingDiff diff = CablingDiff.between(
                cabling(node("a]<->x", List.of(port)), node("b", List.of())),
                cabling(node("a]<->x", List.of()), node("b", List.of())));
        assertThat(diff.linksLost()).containsExactly("a]<->x[1]<->b[2]");
        assertThat(diff.changes().getFirst().ends().stream().map(CablingDiff.End::words))
                .containsExactly("a]<->x port 1", "b port 2");
    }

    private static Switch node(String id, List<SwitchPort> ports) {
        return new Switch(id, null, null, null, null, "test", ports);
    }

    private static Cabling cabling(Switch... switches) {
        return new Cabling("test", List.of(switches), List.of(), 0, List.of());
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(node -> texts.add(node.asText()));
        texts.sort(null);
        return texts;
    }
}
