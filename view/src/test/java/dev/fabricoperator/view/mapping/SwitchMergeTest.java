/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.view.mapping.SwitchStatement.WholeObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SwitchMergeTest {
    private static final String LEAF = "00000000000000aa";
    private static final String SPINE = "00000000000000bb";

    @Test
    void anObjectWithoutASourceIsAPersonsAndGoesFirst() {
        SwitchMerge<WholeObject> merge = SwitchMerge.merge(List.of(
                said("sweep", "live", LEAF, "from-the-wire", cable(1, "x", 1)),
                said("", null, LEAF, "as-the-rack-says", cable(1, "y", 2))));
        assertThat(merged(merge).name()).isEqualTo("as-the-rack-says");
        assertThat(port(merge, 1).peer()).isEqualTo(new PortPeer("y", 2));
        assertThat(merge.contradictions())
                .extracting(SwitchMerge.Contradiction::text)
                .containsExactly("port 1 of " + LEAF + ": object- says y port 2, object-sweep says x port 1;"
                        + " the first counts");
    }

    @Test
    void sourcesRankFromTheWireToTheBatchSystemWhateverTheirNamesAndTheOrderOfTheirObjects() {
        List<WholeObject> objects = new ArrayList<>(List.of(
                said("a", "slurm", LEAF, "slurm"),
                said("b", "cables", LEAF, "cables"),
                said("c", "ibnetdiscover", LEAF, "ibnetdiscover"),
                said("d", "lldp", LEAF, "lldp"),
                said("e", "ufm", LEAF, "ufm"),
                said("f", "live", LEAF, "live")));
        Random random = new Random(7);
        while (!objects.isEmpty()) {
            Collections.shuffle(objects, random);
            WholeObject best = objects.stream()
                    .max(Comparator.comparing(WholeObject::source))
                    .orElseThrow();
            assertThat(merged(SwitchMerge.merge(objects)).name()).isEqualTo(best.origin());
            objects.remove(best);
        }
    }

    @Test
    void whatWasMeasuredComesFromTheFreshest() {
        SwitchPort old = SwitchPortBuilder.builder(cable(1, "x", 1))
                .state(PortState.Active)
                .speedBitsPerSecond(400_000_000_000L)
                .build();
        SwitchPort now = SwitchPortBuilder.builder(cable(1, "x", 1))
                .state(PortState.Init)
                .speedBitsPerSecond(100_000_000_000L)
                .build();
        SwitchMerge<WholeObject> merge =
                SwitchMerge.merge(List.of(said("", null, LEAF, null, old), said("u", "ufm", LEAF, null, now)));
        assertThat(port(merge, 1).state()).isEqualTo(PortState.Init);
        assertThat(port(merge, 1).speedBitsPerSecond()).isEqualTo(100_000_000_000L);
        assertThat(merge.contradictions()).isEmpty();
    }

    @Test
    void anUnknownFarPortIsNoContradictionAndIsFilled() {
        SwitchMerge<WholeObject> merge = SwitchMerge.merge(List.of(
                said("a", "lldp", LEAF, null, cable(1, "x", 0)), said("b", "cables", LEAF, null, cable(1, "x", 7))));
        assertThat(port(merge, 1).peer()).isEqualTo(new PortPeer("x", 7));
        assertThat(merge.contradictions()).isEmpty();
    }

    @Test
    void aHostIsNotTakenFromAnotherCable() {
        SwitchPort named =
                SwitchPortBuilder.builder(cable(1, "y", 1)).peerHost("node-y").build();
        SwitchMerge<WholeObject> merge = SwitchMerge.merge(
                List.of(said("a", "ufm", LEAF, null, cable(1, "x", 1)), said("b", "cables", LEAF, null, named)));
        assertThat(port(merge, 1).peerHost()).isNull();
    }

    @Test
    void aRecordAddsNoCableToASwitchThatIsSeenNowAndSaysSo() {
        SwitchMerge<WholeObject> merge = SwitchMerge.merge(List.of(
                said("dump", "ibnetdiscover", LEAF, null, cable(1, "x", 1), cable(2, "y", 1)),
                said("sweep", "live", LEAF, null, cable(1, "x", 1))));
        assertThat(merged(merge).ports()).filteredOn(p -> p.peer() != null).hasSize(1);
        assertThat(merge.contradictions())
                .hasSize(1)
                .allSatisfy(
                        c -> assertThat(c.text()).contains("object-sweep sees no cable", "object-dump says y port 1"));
    }

    @Test
    void aSwitchThatOnlyARecordKnowsIsNotHeldByCablesThatAreGone() {
        SwitchMerge<WholeObject> merge = SwitchMerge.merge(List.of(
                said("dump", "ibnetdiscover", LEAF, null, cable(30, SPINE, 1)),
                said("dump", "ibnetdiscover", SPINE, null, cable(1, LEAF, 30)),
                said("sweep", "live", LEAF, null, cable(1, "x", 1))));
        assertThat(merge.switches().get(SPINE))
                .isNotNull()
                .satisfies(spine -> assertThat(spine.ports()).isEmpty());
        assertThat(merge.contradictions()).hasSize(2);
    }

    @Test
    void neighboursDoNotSeeAllCablesSoThatAListMayAddSome() {
        SwitchMerge<WholeObject> merge = SwitchMerge.merge(List.of(
                said("lldp", "lldp", LEAF, null, cable(1, "x", 1)),
                said("list", "cables", LEAF, null, cable(48, SPINE, 1))));
        assertThat(merged(merge).ports()).extracting(SwitchPort::number).containsExactly(1, 48);
        assertThat(merge.contradictions()).isEmpty();
    }

    private static Switch merged(SwitchMerge<WholeObject> merge) {
        Switch merged = merge.switches().get(LEAF);
        assertThat(merged).isNotNull();
        return merged;
    }

    private static SwitchPort port(SwitchMerge<WholeObject> merge, int number) {
        return merged(merge).ports().stream()
                .filter(p -> p.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static SwitchPort cable(int number, String peer, int port) {
        return SwitchPortBuilder.builder()
                .number(number)
                .peer(new PortPeer(peer, port))
                .state(PortState.Unknown)
                .build();
    }

    private static WholeObject said(
            String source, @Nullable String origin, String id, @Nullable String name, SwitchPort... ports) {
        Switch cabling = SwitchBuilder.builder()
                .id(id)
                .name(name)
                .source(source)
                .ports(List.of(ports))
                .build();
        return new WholeObject("object-" + source, source, origin, cabling, null, null);
    }
}
