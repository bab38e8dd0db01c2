/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.Lattices;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class GridAlignmentTest {
    @Property(seed = "20261121", tries = 60, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
    void whoeverStaysKeepsItsPlaceWhenASwitchGoes(
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 2) int kind,
            @ForAll @IntRange(min = 5, max = 7) int x,
            @ForAll @IntRange(min = 5, max = 7) int y,
            @ForAll @IntRange(min = 5, max = 7) int z,
            @ForAll @IntRange(max = 124) int gone) {
        Wiring wiring = kind == 0
                ? Lattices.torus(seed, 1, 1, x, y, z)
                : kind == 1 ? Lattices.mesh(seed, 1, 1, x, y, z) : Lattices.hyperX(seed, 1, 1, x, y, z);
        Topology whole = wiring.topology();
        Numbering previous = previous(whole, Classifier.classify(whole));
        Topology damaged = Topology.of(without(wiring.switches(), whole.switchId(gone)), wiring.vertices());
        Classification found = Classifier.classify(damaged, previous);
        for (int s = 0; s < damaged.switches(); s++) {
            Numbering.OfSwitch before = previous.switches().get(damaged.switchId(s));
            assertThat(address(found, s)).isEqualTo(before == null ? List.of() : before.logical());
        }
    }

    @Test
    void anyNumberingThatWasOnceGivenStays() {
        Topology topology = Lattices.torus(3, 1, 1, 6, 6, 5).topology();
        Classification fresh = Classifier.classify(topology);
        Map<String, Numbering.OfSwitch> turned = new HashMap<>();
        for (int s = 0; s < topology.switches(); s++) {
            List<Integer> at = address(fresh, s);
            List<Integer> other = List.of((at.get(1) + 2) % 6, (11 - at.get(0)) % 6, (at.get(2) + 4) % 5);
            turned.put(topology.switchId(s), new Numbering.OfSwitch(other.getFirst(), other));
        }
        Classification found = Classifier.classify(topology, new Numbering("Torus", turned, Map.of()));
        for (int s = 0; s < topology.switches(); s++) {
            Numbering.OfSwitch before = turned.get(topology.switchId(s));
            assertThat(address(found, s)).isEqualTo(before == null ? List.of() : before.logical());
        }
    }

    @Test
    void aMemoryOfSomethingElseChangesNothing() {
        Topology topology = Lattices.torus(4, 1, 1, 6, 5).topology();
        Classification fresh = Classifier.classify(topology);
        Map<String, Numbering.OfSwitch> nonsense = new HashMap<>();
        for (int s = 0; s < topology.switches(); s++) {
            nonsense.put(topology.switchId(s), new Numbering.OfSwitch(s * 7 % 6, List.of(s * 7 % 6, s * 3 % 5)));
        }
        Classification found = Classifier.classify(topology, new Numbering("Torus", nonsense, Map.of()));
        assertThat(found.axes()).isDeepEqualTo(fresh.axes());
    }

    private static Numbering previous(Topology topology, Classification found) {
        Map<String, Numbering.OfSwitch> switches = new HashMap<>();
        for (int s = 0; s < topology.switches(); s++) {
            switches.put(topology.switchId(s), new Numbering.OfSwitch(found.groupOfSwitch()[s], address(found, s)));
        }
        return new Numbering(found.kind().name(), switches, Map.of());
    }

    private static List<Integer> address(Classification found, int s) {
        List<Integer> address = new ArrayList<>();
        for (int[] axis : found.axes()) {
            address.add(axis[s]);
        }
        return address;
    }

    private static List<Switch> without(List<Switch> switches, String gone) {
        return switches.stream()
                .filter(s -> !s.id().equals(gone))
                .map(s -> new Switch(
                        s.id(),
                        s.name(),
                        s.vendor(),
                        s.model(),
                        s.chassis(),
                        s.source(),
                        s.ports().stream()
                                .filter(p -> p.peer() == null || !p.peer().id().equals(gone))
                                .toList()))
                .toList();
    }
}
