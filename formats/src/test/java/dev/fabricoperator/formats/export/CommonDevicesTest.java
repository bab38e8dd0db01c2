/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterBuilder;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.cabling.cables.CablesReader;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.Classifier;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.classify.LeafIslands;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommonDevicesTest {
    private static Cabling reported(String name) {
        String text = new String(Dump.bytes("reported/handed-on/" + name + ".csv"), StandardCharsets.UTF_8);
        try {
            return CablesReader.read(name, new StringReader(text));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static FabricModel model(Cabling cabling) {
        return OfflineFabrics.of(cabling).getFirst().model();
    }

    private static Set<Set<String>> groups(FabricModel model) {
        return new FabricQuery(model)
                .groups().values().stream().map(Set::copyOf).collect(Collectors.toSet());
    }

    private static Set<String> hosts(String prefix, int from, int to) {
        Set<String> hosts = new TreeSet<>();
        for (int i = from; i <= to; i++) {
            hosts.add(prefix.formatted(i));
        }
        return hosts;
    }

    private static Set<Set<String>> lowestTier(FabricModel model) {
        Topology topology = model.topology();
        return TierTree.of(model, "fabric", slot -> topology.endHost(topology.endOfSlot(slot))).vertices().stream()
                .map(vertex -> Set.copyOf(vertex.hosts()))
                .filter(hosts -> !hosts.isEmpty())
                .collect(Collectors.toSet());
    }

    @Test
    void aLeafOfStorageThatAllHostsAreOnIsNotWhereTheyAre() {
        FabricModel model = model(reported("stor-low"));
        Set<Set<String>> leaves = Set.of(
                hosts("n%03d", 1, 4),
                hosts("n%03d", 5, 8),
                hosts("n%03d", 9, 12),
                hosts("n%03d", 13, 16),
                hosts("oss%d", 1, 4));
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(groups(model)).isEqualTo(leaves);
        assertThat(lowestTier(model)).isEqualTo(leaves);
        assertThat(bySlurm(model)).isEqualTo(leaves);
        assertThat(model.classification().common()).isEqualTo(new Classification.Common(20, 1));
        assertThat(model.findings()).isEmpty();
    }

    @Test
    void railsWithTwoLeavesOfStorageAreRails() {
        FabricModel model = model(reported("dgx-stor-low"));
        Set<Set<String>> units = Set.of(
                hosts("dgx%02d", 1, 8),
                hosts("dgx%02d", 9, 16),
                hosts("dgx%02d", 17, 24),
                hosts("dgx%02d", 25, 32),
                hosts("oss%d", 0, 3));
        assertThat(model.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(model.planes()).hasSize(4);
        assertThat(groups(model)).isEqualTo(units);
        assertThat(lowestTier(model)).isEqualTo(units);
        assertThat(bySlurm(model)).isEqualTo(units);
        assertThat(model.classification().common()).isEqualTo(new Classification.Common(72, 2));
        assertThat(model.findings()).isEmpty();
    }

    /** Five leaves, and three of storage, which are too many to stand out but for their speed; their servers have that speed alone. */
    @Test
    void slowerLeavesWithTheirServersAreNotWhereHostsAre() throws Exception {
        StringBuilder table = new StringBuilder("from,to,speedBitsPerSecond\n");
        for (int spine = 0; spine < 2; spine++) {
            for (int leaf = 0; leaf < 5; leaf++) {
                table.append("leaf" + leaf + ",spine" + spine + ",400000000000\n");
            }
            for (int leaf = 0; leaf < 3; leaf++) {
                table.append("stor" + leaf + ",spine" + spine + ",400000000000\n");
            }
        }
        for (int host = 0; host < 50; host++) {
            String name = "cn%02d".formatted(host);
            table.append("leaf" + host / 10 + "," + name + "/mlx5_0,400000000000\n");
            table.append("stor" + host % 3 + "," + name + "/mlx5_1,200000000000\n");
        }
        for (int server = 0; server < 6; server++) {
            table.append("stor" + server % 3 + ",nsd" + server + "/mlx5_0,200000000000\n");
        }
        FabricModel model = model(CablesReader.read("t", new StringReader(table.toString())));
        assertThat(groups(model))
                .contains(
                        hosts("cn%02d", 0, 9),
                        hosts("cn%02d", 10, 19),
                        hosts("cn%02d", 20, 29),
                        hosts("cn%02d", 30, 39),
                        hosts("cn%02d", 40, 49));
        assertThat(model.classification().common()).isEqualTo(new Classification.Common(56, 3));
        assertThat(model.findings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gateways-on-one-core", "gateways-on-each-core"})
    void gatewaysOnCoreSwitchesLeavePodsWhatTheyAre(String name) {
        FabricModel model = model(reported(name));
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(groups(model))
                .contains(
                        hosts("n%03d", 1, 16),
                        hosts("n%03d", 17, 32),
                        hosts("n%03d", 33, 48),
                        hosts("n%03d", 49, 64),
                        Set.of("gw0", "gw1", "gw2"));
        assertThat(model.findings()).isEmpty();
    }

    /** More devices on one core switch than a leaf has. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 20})
    void podsStayPodsHoweverManyGatewaysOneCoreSwitchHas(int gateways) throws Exception {
        StringBuilder table = new StringBuilder("from,to\n");
        List<Set<String>> pods = new ArrayList<>();
        for (int pod = 0; pod < 6; pod++) {
            pods.add(hosts("n" + pod + "-%02d", 0, 11));
            for (int spine = 0; spine < 2; spine++) {
                for (int leaf = 0; leaf < 3; leaf++) {
                    table.append("p" + pod + "l" + leaf + ",p" + pod + "s" + spine + "\n");
                }
                for (int core = 0; core < 4; core++) {
                    table.append("p" + pod + "s" + spine + ",core" + core + "\n");
                }
            }
            for (int host = 0; host < 12; host++) {
                table.append("p" + pod + "l" + host / 4 + ",n%d-%02d/mlx5_0\n".formatted(pod, host));
            }
        }
        for (int gateway = 0; gateway < gateways; gateway++) {
            table.append("core0,gw" + gateway + "/mlx5_0\ncore0,gw" + gateway + "/mlx5_1\n");
        }
        FabricModel model = model(CablesReader.read("t", new StringReader(table.toString())));
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(groups(model)).containsAll(pods).contains(hosts("gw%d", 0, gateways - 1));
        assertThat(model.findings()).isEmpty();
    }

    @Test
    void twoGroupsOfFourFullyConnectedSwitchesAreADragonfly() {
        FabricModel model = model(reported("s2-4-2"));
        assertThat(model.kind()).isEqualTo(FabricKind.Dragonfly);
        assertThat(groups(model)).containsExactlyInAnyOrder(hosts("nid%06d", 1, 32), hosts("nid%06d", 33, 64));
        assertThat(model.findings()).isEmpty();
    }

    @Test
    void aServiceSwitchBesideARingIsWithTheSwitchThatItHangsOff() {
        FabricModel model = model(reported("service-switch-beside-ring"));
        assertThat(model.kind()).isEqualTo(FabricKind.Torus);
        Topology topology = model.topology();
        Map<String, SortedMap<Integer, String>> places = TierTree.of(
                        model, "fabric", slot -> topology.endHost(topology.endOfSlot(slot)))
                .placesOfHosts();
        assertThat(Objects.requireNonNull(places.get("s0")).get(2))
                .isEqualTo(Objects.requireNonNull(places.get("n20")).get(2));
        assertThat(Objects.requireNonNull(places.get("s0")).get(2))
                .isNotEqualTo(Objects.requireNonNull(places.get("n60")).get(2));
        assertThat(model.findings()).isEmpty();
    }

    private static Set<Set<String>> bySlurm(FabricModel model) {
        Map<String, Set<String>> hostsOfUnit = new TreeMap<>();
        SlurmWriter.units(new SlurmWriter.NamedTopology(model, SlurmOptions.DEFAULT))
                .forEach((host, unit) ->
                        hostsOfUnit.computeIfAbsent(unit, u -> new TreeSet<>()).add(host));
        return Set.copyOf(hostsOfUnit.values());
    }

    /** Two units of two rails with four hosts each, and two leaves on which each host has another device. */
    private static FabricModel splitEvenly(Vertex.Use use, long secondSpeed) {
        Wiring wiring = new Wiring(7);
        int[] spines = wiring.nodes(2);
        int[] leaves = wiring.nodes(8);
        for (int leaf : leaves) {
            for (int spine : spines) {
                wiring.cable(leaf, spine, 1);
            }
        }
        for (int host = 0; host < 16; host++) {
            wiring.device(leaves[host / 4], "h" + host, "mlx5_0", 400_000_000_000L);
            wiring.device(leaves[4 + host % 4], "h" + host, "mlx5_1", secondSpeed);
        }
        List<Vertex> vertices = wiring.vertices().stream()
                .map(v -> new Vertex(
                        v.index(),
                        v.id(),
                        v.port(),
                        v.host(),
                        v.osName(),
                        "mlx5_1".equals(v.osName()) ? use : Vertex.Use.Unsaid))
                .toList();
        return FabricModel.of(wiring.switches(), vertices);
    }

    private static final Set<Set<String>> BY_FIRST = Set.of(
            Set.of("h0", "h1", "h2", "h3"),
            Set.of("h4", "h5", "h6", "h7"),
            Set.of("h8", "h9", "h10", "h11"),
            Set.of("h12", "h13", "h14", "h15"));

    @Test
    void whatTheWiringCannotTellIsToldByWhatPeopleSay() {
        assertThat(splitEvenly(Vertex.Use.Unsaid, 400_000_000_000L)
                        .classification()
                        .common()
                        .devices())
                .isZero();
        FabricModel model = splitEvenly(Vertex.Use.Other, 400_000_000_000L);
        assertThat(groups(model)).isEqualTo(BY_FIRST);
        assertThat(lowestTier(model)).isEqualTo(BY_FIRST);
        assertThat(model.classification().common()).isEqualTo(new Classification.Common(16, 4));
    }

    @Test
    void whatTheWiringCannotTellIsToldBySpeed() {
        FabricModel model = splitEvenly(Vertex.Use.Unsaid, 200_000_000_000L);
        assertThat(groups(model)).isEqualTo(BY_FIRST);
        assertThat(lowestTier(model)).isEqualTo(BY_FIRST);
    }

    @Test
    void devicesThatAreForComputingAreWhereTheirHostsAreWhateverTheWiringSays() {
        Cabling cabling = reported("stor-low");
        OfflineFabric fabric = OfflineFabrics.of(cabling).getFirst();
        Topology topology = fabric.model().topology();
        List<Vertex> vertices = new ArrayList<>();
        for (int slot = 0; slot < topology.slots(); slot++) {
            int end = topology.endOfSlot(slot);
            vertices.add(new Vertex(
                    slot,
                    topology.endId(end),
                    topology.endPort(end),
                    topology.endHost(end),
                    topology.endOsName(end),
                    Vertex.Use.Compute));
        }
        FabricModel model = FabricModel.of(cabling.switches(), vertices);
        assertThat(model.classification().common()).isEqualTo(new Classification.Common(0, 0));
    }

    @Test
    void aSecondModelKeepsTheAddressesOfCommonSwitches() {
        for (String name : List.of("stor-low", "dgx-stor-low")) {
            OfflineFabric fabric = OfflineFabrics.of(reported(name)).getFirst();
            Topology topology = fabric.model().topology();
            Classification first = fabric.model().classification();
            Classification again = Classifier.classify(topology, fabric.model().numbering());
            assertThat(again.axes()).isDeepEqualTo(first.axes());
            assertThat(again.groupOfEnd()).isEqualTo(first.groupOfEnd());
            assertThat(again.planeOfEnd()).isEqualTo(first.planeOfEnd());
        }
    }

    static Stream<Named> fixtures() {
        List<Named> all = new ArrayList<>();
        for (Dump dump : Dump.all()) {
            all.add(new Named(dump.toString(), dump.cabling()));
        }
        for (String name : List.of(
                "stor-low",
                "dgx-stor-low",
                "core-hosts",
                "s2-4-2",
                "fqdn",
                "gateways-on-one-core",
                "gateways-on-each-core")) {
            all.add(new Named(name, reported(name)));
        }
        return all.stream();
    }

    record Named(String name, Cabling cabling) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Kinds, and who is with whom, do not depend on ids and names. A torus of equal sides can be cut in layers in as many ways. */
    @ParameterizedTest
    @MethodSource("fixtures")
    void noAnswerDependsOnIdsOrNames(Named fixture) {
        for (Answer answer : Answer.values()) {
            Map<String, String> known = new HashMap<>();
            Renamed.of(fixture.cabling(), 1).hosts().values().forEach(host -> known.put(host, host));
            Set<Object> before = answers(answer, OfflineFabrics.of(fixture.cabling()), known);
            for (long seed = 1; seed <= 3; seed++) {
                Renamed renamed = Renamed.of(fixture.cabling(), seed);
                assertThat(answers(answer, OfflineFabrics.of(renamed.cabling()), renamed.hosts()))
                        .as("%s, seed %d", answer, seed)
                        .isEqualTo(before);
            }
        }
    }

    enum Answer {
        KIND,
        COMMON,
        GROUPS,
        TIERS,
        ISLANDS,
        SLURM
    }

    private static Set<Object> answers(Answer answer, Collection<OfflineFabric> fabrics, Map<String, String> before) {
        return fabrics.stream()
                .map(OfflineFabric::model)
                .map(model -> switch (answer) {
                    case KIND -> model.kind();
                    case COMMON -> model.classification().common();
                    case GROUPS -> model.kind() == FabricKind.Torus ? Set.of() : named(groups(model), before);
                    case TIERS -> named(lowestTier(model), before);
                    case ISLANDS ->
                        LeafIslands.of(model.topology(), model.classification()).stream()
                                .map(island -> List.of(island.switches(), island.hosts()))
                                .toList();
                    case SLURM -> named(bySlurm(model), before);
                })
                .collect(Collectors.toSet());
    }

    private static Set<Set<String>> named(Set<Set<String>> groups, Map<String, String> before) {
        return groups.stream()
                .map(group -> group.stream()
                        .filter(before::containsKey)
                        .map(before::get)
                        .collect(Collectors.toSet()))
                .filter(group -> !group.isEmpty())
                .collect(Collectors.toSet());
    }

    /** @param hosts by its new name, what each host was called before */
    record Renamed(Cabling cabling, Map<String, String> hosts) {
        static Renamed of(Cabling cabling, long seed) {
            Random random = new Random(seed);
            Map<String, String> ids = new HashMap<>();
            List<String> known = new ArrayList<>();
            cabling.switches().forEach(node -> known.add(node.id()));
            cabling.adapters().forEach(adapter -> known.add(adapter.id()));
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < known.size(); i++) {
                numbers.add(i);
            }
            Collections.shuffle(numbers, random);
            for (int i = 0; i < known.size(); i++) {
                // Far from each other, so that no two look like functions of one card.
                ids.put(known.get(i), "%016x".formatted(0x1000_0000_0000_0000L + numbers.get(i) * 0x10000L));
            }
            List<String> names = new ArrayList<>(cabling.adapters().stream()
                    .map(adapter -> adapter.hostname() == null ? "" : adapter.hostname())
                    .filter(name -> !name.isEmpty())
                    .distinct()
                    .toList());
            Map<String, String> newName = new HashMap<>();
            Collections.shuffle(names, random);
            for (int i = 0; i < names.size(); i++) {
                newName.put(names.get(i), "x" + i);
            }
            List<Switch> switches = new ArrayList<>();
            for (Switch node : cabling.switches()) {
                List<SwitchPort> ports = node.ports().stream()
                        .map(port -> SwitchPortBuilder.builder(port)
                                .peer(renamed(port.peer(), ids))
                                .peerHost(newName.getOrDefault(port.peerHost(), port.peerHost()))
                                .build())
                        .toList();
                switches.add(SwitchBuilder.builder(node)
                        .id(ids.get(node.id()))
                        .name(null)
                        .ports(ports)
                        .build());
            }
            List<Adapter> adapters = new ArrayList<>();
            for (Adapter adapter : cabling.adapters()) {
                List<AdapterPort> ports = adapter.ports().stream()
                        .map(port -> new AdapterPort(
                                port.number(),
                                port.portGuid(),
                                port.lid(),
                                port.speedBitsPerSecond(),
                                port.width(),
                                renamed(port.peer(), ids)))
                        .toList();
                adapters.add(AdapterBuilder.builder(adapter)
                        .id(ids.get(adapter.id()))
                        .hostname(newName.getOrDefault(adapter.hostname(), adapter.hostname()))
                        .ports(ports)
                        .build());
            }
            Map<String, String> before = new HashMap<>();
            newName.forEach((name, now) -> before.put(now, name));
            return new Renamed(
                    new Cabling(cabling.source(), switches, adapters, cabling.aggregationNodes(), cabling.problems()),
                    before);
        }

        private static @Nullable PortPeer renamed(@Nullable PortPeer peer, Map<String, String> ids) {
            return peer == null ? null : new PortPeer(ids.getOrDefault(peer.id(), peer.id()), peer.port());
        }
    }
}
