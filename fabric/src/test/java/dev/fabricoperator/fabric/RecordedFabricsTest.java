/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.model.SwitchPosition;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.CablingContract;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedFabricsTest {
    static List<Dump> dumps() {
        return Dump.all();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void countsAreTheTruths(Dump dump) {
        Cabling cabling = dump.cabling();
        CablingContract.assertHolds(cabling);
        JsonNode counts = dump.truthJson().path("counts");

        assertThat(cabling.switches()).hasSize(counts.path("switches").asInt());
        assertThat(cabling.adapters()).hasSize(counts.path("hcas").asInt());
        assertThat(cabling.aggregationNodes())
                .isEqualTo(counts.path("sharp_aggregation_nodes").asInt());
        assertThat(cabling.adapters().stream().filter(a -> a.hostname() == null))
                .hasSize(counts.path("hcas_with_generic_node_description").asInt());

        List<OfflineFabric> fabrics = OfflineFabrics.of(cabling);
        assertThat(fabrics.stream().mapToInt(f -> f.model().links()).sum())
                .isEqualTo(counts.path("links").asInt()
                        - counts.path("aggregation_links").asInt());
        assertThat(fabrics.stream().mapToInt(f -> f.devices().size()).sum())
                .isEqualTo(counts.path("host_links").asInt());
        assertThat(fabrics.stream().mapToInt(f -> f.model().hosts()).sum())
                .isEqualTo(counts.path("named_hosts").asInt());
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void everyHostPortIsWhereTheTruthSays(Dump dump) {
        Map<String, Device> devices = new HashMap<>();
        for (OfflineFabric fabric : OfflineFabrics.of(dump.cabling())) {
            fabric.devices().forEach(d -> devices.put(d.endId() + "/" + d.port(), d));
        }
        Set<Device> checked = new HashSet<>();
        dump.truthJson()
                .path("host_ports")
                .properties()
                .forEach(host -> host.getValue().forEach(port -> {
                    Device device = Objects.requireNonNull(devices.get(
                            port.path("ca").asText() + "/" + port.path("port").asInt()));
                    assertThat(device.hostname()).isEqualTo(host.getKey());
                    assertThat(Objects.requireNonNull(device.neighbor()).id())
                            .isEqualTo(port.path("peer").asText());
                    assertThat(device.neighbor().port())
                            .isEqualTo(port.path("peer_port").asText());
                    checked.add(device);
                }));
        // One dump names no host: then the truth has none either.
        assertThat(checked).hasSize((int)
                devices.values().stream().filter(d -> !d.hostname().isEmpty()).count());
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void levelsAndSwitchFactsAreTheTruths(Dump dump) {
        Cabling cabling = dump.cabling();
        Map<String, Switch> switches = new HashMap<>();
        cabling.switches().forEach(s -> switches.put(s.id(), s));
        FabricModel model = OfflineFabrics.of(cabling).getFirst().model();
        for (JsonNode truth : dump.truthJson().path("switches")) {
            String id = truth.path("guid").asText();
            Switch found = Objects.requireNonNull(switches.get(id));
            assertThat(found.ports())
                    .allSatisfy(
                            p -> assertThat(p.lid()).isEqualTo(truth.path("lid").asInt()));
            assertThat(truth.path("rank").isInt()).isTrue();
            assertThat(Objects.requireNonNull(model.switchPosition(id)).level())
                    .isEqualTo(truth.path("rank").asInt());
        }
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void speedsAreTheNominalOnesOfTheTruth(Dump dump) {
        Map<Long, Integer> expected = new TreeMap<>();
        dump.truthJson()
                .path("link_speeds")
                .properties()
                .forEach(entry -> expected.merge(
                        Objects.requireNonNull(NOMINAL.get(entry.getKey())),
                        entry.getValue().asInt(),
                        Integer::sum));

        Map<Long, Integer> ends = new TreeMap<>();
        Cabling cabling = dump.cabling();
        for (Switch node : cabling.switches()) {
            node.ports().forEach(p -> ends.merge(Objects.requireNonNull(p.speedBitsPerSecond()), 1, Integer::sum));
        }
        for (Adapter adapter : cabling.adapters()) {
            for (AdapterPort port : adapter.ports()) {
                if (port.speedBitsPerSecond() != null) {
                    ends.merge(port.speedBitsPerSecond(), 1, Integer::sum);
                }
            }
        }
        // Both ends of every cable are listed, but for aggregation nodes, which are no adapters.
        int aggregation =
                dump.truthJson().path("counts").path("aggregation_links").asInt();
        int listed = ends.values().stream().mapToInt(i -> i).sum();
        assertThat(listed)
                .isEqualTo(2 * expected.values().stream().mapToInt(i -> i).sum() - aggregation);
        assertThat(ends.keySet()).isEqualTo(expected.keySet());
        if (aggregation == 0) {
            expected.replaceAll((speed, links) -> 2 * links);
            assertThat(ends).isEqualTo(expected);
        }
    }

    /** Names are never used, so that they can tell whether the wiring was understood: IBLEAF-rail-unit. */
    @Test
    void railsAndUnitsAreThoseThatTheSwitchesOfAPodAreNamedAfter() {
        Map<String, Set<Integer>> units = new TreeMap<>();
        Map<String, Set<Integer>> rails = new TreeMap<>();
        FabricModel model = OfflineFabrics.of(Dump.NDR.cabling()).getFirst().model();
        places(Dump.NDR, Pattern.compile(".*IBLEAF-(\\d\\d)-(\\d\\d)"), (name, place) -> {
            List<Integer> address = place.coordinates().getFirst().values();
            assertThat(place.group()).isEqualTo(address.getFirst());
            units.computeIfAbsent(name.group(2), n -> new HashSet<>()).add(address.getFirst());
            rails.computeIfAbsent(name.group(1), n -> new HashSet<>()).add(address.getLast());
        });
        assertThat(rails).isEqualTo(Map.of("01", Set.of(0), "02", Set.of(1), "03", Set.of(2), "04", Set.of(3)));
        assertThat(units)
                .hasSize(8)
                .allSatisfy((name, numbers) -> assertThat(numbers).hasSize(1));
        assertThat(units.values().stream().distinct()).hasSize(8);
        assertThat(model.planes()).hasSize(4);
    }

    @Test
    void podsAreThoseThatTheSwitchesAreNamedAfterAlsoWithoutHosts() {
        Map<String, Set<Integer>> pods = new TreeMap<>();
        places(
                Dump.SELENE,
                Pattern.compile("(?:SLG|SSPINE)0?(\\d)-\\d\\d"),
                (name, place) -> pods.computeIfAbsent(name.group(1), n -> new HashSet<>())
                        .add(Objects.requireNonNull(place.group())));
        assertThat(pods)
                .hasSize(4)
                .allSatisfy((name, groups) -> assertThat(groups).hasSize(1));
        assertThat(pods.values().stream().distinct()).hasSize(4);
        places(
                Dump.SELENE,
                Pattern.compile("SCORE.*"),
                (name, place) -> assertThat(place.group()).isNull());
    }

    private static void places(Dump dump, Pattern pattern, BiConsumer<Matcher, SwitchPosition> check) {
        OfflineFabric fabric = OfflineFabrics.of(dump.cabling()).getFirst();
        int matched = 0;
        for (Switch one : fabric.switches()) {
            Matcher name = pattern.matcher(Objects.requireNonNull(one.name()));
            if (name.matches()) {
                matched++;
                check.accept(name, Objects.requireNonNull(fabric.model().switchPosition(one.id())));
            }
        }
        assertThat(matched).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ft2-128", "ft3-k18", "rail-32x8"})
    void aRecordedFaultMovesNothingThatIsLeft(String name) {
        Dump dump = Dump.simulated(name);
        List<Vertex> vertices = new ArrayList<>();
        FabricModel before = managed(dump.cabling(), vertices, Numbering.NONE);
        FabricModel after = managed(dump.afterFault().cabling(), vertices, before.numbering());

        assertThat(after.kind()).isEqualTo(before.kind());
        assertThat(after.shapes()).isEqualTo(before.shapes());
        assertThat(after.groups()).isEqualTo(before.groups());
        for (int slot = 0; slot < before.topology().slots(); slot++) {
            DevicePosition was = Objects.requireNonNull(before.device(slot));
            DevicePosition is = Objects.requireNonNull(after.device(slot));
            assertThat(is.coordinates().isEmpty() || is.equals(was)).isTrue();
        }
        FabricModel repaired = managed(dump.cabling(), vertices, after.numbering());
        assertThat(repaired.numbering()).isEqualTo(before.numbering());
    }

    /** All devices of the first dump, managed also where they have no cable any more. */
    private static FabricModel managed(Cabling cabling, List<Vertex> vertices, Numbering previous) {
        if (vertices.isEmpty()) {
            for (Adapter adapter : cabling.adapters()) {
                for (AdapterPort port : adapter.ports()) {
                    if (port.peer() != null) {
                        vertices.add(new Vertex(
                                vertices.size(), adapter.id(), port.number(), adapter.hostname(), adapter.osName()));
                    }
                }
            }
        }
        return FabricModel.of(cabling.switches(), vertices, new ModelOptions(previous, Weights.NONE));
    }

    private static final Map<String, Long> NOMINAL = Map.of(
            "4xDDR", 20_000_000_000L,
            "4xQDR", 40_000_000_000L,
            "4xFDR10", 40_000_000_000L,
            "4xFDR", 56_000_000_000L,
            "4xEDR", 100_000_000_000L,
            "4xHDR", 200_000_000_000L,
            "4xNDR", 400_000_000_000L);
}
