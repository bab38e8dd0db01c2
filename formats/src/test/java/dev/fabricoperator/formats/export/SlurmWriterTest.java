/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.cables.CablesReader;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.testdata.Dragonflies;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.formats.slurm.SlurmConfReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlurmWriterTest {
    private static final String ROOT = SlurmOptions.DEFAULT.name();

    static List<Dump> dumps() {
        return Dump.all();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void readingWhatWasWrittenGivesTheSameTree(Dump dump) throws Exception {
        FabricModel model = model(dump.cabling());
        SlurmLayout written = SlurmLayout.of(model, SlurmOptions.DEFAULT);
        Cabling read = read(SlurmWriter.conf(model));

        assertThat(read.problems()).isEmpty();
        assertThat(below(read)).isEqualTo(below(written));
        // A tree of a tree is that tree.
        FabricModel again = model(read);
        assertThat(new HashSet<>(
                        below(SlurmLayout.of(again, SlurmOptions.DEFAULT)).values()))
                .isEqualTo(new HashSet<>(below(written).values()));
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void eachHostIsOnceAndAtASwitchThatHoldsIt(Dump dump) throws Exception {
        FabricModel model = model(dump.cabling());
        Map<String, Set<String>> holders = holders(model);
        Cabling read = read(SlurmWriter.conf(model));

        assertThat(read.adapters()).hasSize(hosts(model).size());
        for (Switch one : read.switches()) {
            one.ports().forEach(port -> {
                PortPeer peer = port.peer();
                if (peer != null && holders.containsKey(hostOf(peer.id()))) {
                    assertThat(holders.get(hostOf(peer.id()))).contains(one.id());
                }
            });
        }
        // Whoever can talk in the fabric can in Slurm.
        assertThat(below(read).values()).contains(hosts(model));
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void theUnitOfAHostIsTheSwitchAtWhichTheFileHasIt(Dump dump) throws Exception {
        FabricModel model = model(dump.cabling());
        Map<String, String> units = SlurmWriter.units(new SlurmWriter.NamedTopology(model, SlurmOptions.DEFAULT));

        assertThat(units).containsOnlyKeys(hosts(model));
        Map<String, String> switchOf = new HashMap<>();
        for (Switch one : read(SlurmWriter.conf(model)).switches()) {
            one.ports().stream()
                    .map(port -> port.peer() == null ? "" : hostOf(port.peer().id()))
                    .filter(units::containsKey)
                    .forEach(host -> switchOf.put(host, one.id()));
        }
        units.replaceAll((host, unit) -> id(unit));
        assertThat(switchOf).isEqualTo(units);
    }

    /** Six leaves of eight hosts below two spines; behind one leaf is a switch with eight hosts more. */
    @Test
    void exportsForSlurmSayWhoIsBehindALeaf() throws Exception {
        StringBuilder cables = new StringBuilder("from,to\n");
        for (String leaf : List.of("l0", "l1", "l2", "l3", "l4", "l5", "island")) {
            cables.append(leaf.equals("island") ? "l3,island\n" : leaf + ",s0\n" + leaf + ",s1\n");
            for (int host = 0; host < 8; host++) {
                cables.append(leaf + ",h-" + leaf + "-" + host + "/mlx5_0\n");
            }
        }
        assertThat(SlurmWriter.conf(model(CablesReader.read("t", new StringReader(cables.toString())))))
                .contains(
                        "\n# 8 hosts on 1 switch are behind leaf l3: no group or tier says that they are nearer to its hosts than to others; costs do; 'kubectl fabric links l3' shows");
    }

    @Test
    void theUnitOfAHostIsItsBlockWhereThereAreBlocksAndNothingWhereTheNetworkIsFlat() throws Exception {
        FabricModel model = model(Dump.simulated("rail-32x8").cabling());
        SlurmOptions blocks = new SlurmOptions(ROOT, SlurmPlugin.block, null, false);
        assertThat(new HashSet<>(SlurmWriter.units(new SlurmWriter.NamedTopology(model, blocks))
                        .values()))
                .isEqualTo(SlurmLayout.of(model, blocks).rows().stream()
                        .map(SlurmLayout.Row::name)
                        .collect(Collectors.toSet()));
        FabricModel none = FabricModel.of(List.of(), List.of());
        assertThat(SlurmWriter.units(new SlurmWriter.NamedTopology(none, SlurmOptions.DEFAULT)))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void blocksAreTheGroups(Dump dump) throws Exception {
        FabricModel model = model(dump.cabling());
        StringBuilder conf = new StringBuilder();
        SlurmWriter.conf(model, new SlurmOptions(ROOT, SlurmPlugin.block, null, false), conf);
        Cabling read = read(conf.toString());

        List<Set<String>> groups = new FabricQuery(model)
                .groups().values().stream()
                        .map(members -> members.stream()
                                .map(host -> hosts(model).contains(host) ? host : "H-" + host)
                                .collect(Collectors.toSet()))
                        .toList();
        int[] sizes = groups.stream()
                .flatMapToInt(hosts -> IntStream.generate(hosts::size).limit(hosts.size()))
                .sorted()
                .toArray();
        int least = (sizes[sizes.length / 2] + 1) / 2;
        assertThat(new HashSet<>(below(read).values()))
                .isEqualTo(
                        groups.stream().filter(hosts -> hosts.size() >= least).collect(Collectors.toSet()));
        int smallest = below(read).values().stream().mapToInt(Set::size).min().orElseThrow();
        assertThat(conf.toString()).endsWith("\nBlockSizes=" + smallest + "\n");
    }

    private static Cabling handedOn(String name) throws Exception {
        return cables(new String(Dump.bytes("reported/handed-on/" + name + ".csv"), StandardCharsets.UTF_8));
    }

    private static String conf(FabricModel model, SlurmOptions options) throws Exception {
        StringBuilder conf = new StringBuilder();
        SlurmWriter.conf(model, options, conf);
        return conf.toString();
    }

    @Test
    void blocksAreThoseOfComputeHostsAndSmallerOnesAreForVersionsThatTakeThem() throws Exception {
        FabricModel model = model(handedOn("core-hosts"));
        String forAll = conf(model, new SlurmOptions(ROOT, SlurmPlugin.block, null, false));
        assertThat(forAll)
                .endsWith("\nBlockSizes=8\n")
                .contains(
                        "# 3 hosts in blocks of less than 8 are left out, since slurmctld before 26.05 may end on such blocks: "
                                + "login1, login2, mgmt1\n");
        assertThat(forAll.lines().filter(line -> line.startsWith("BlockName="))).hasSize(6);
        String forNew = conf(
                model,
                new SlurmOptions(
                        ROOT, SlurmPlugin.block, null, false, SlurmNodeNames.FULL, SlurmVersion.parse("26.05.1")));
        assertThat(forNew)
                .endsWith("\nBlockSizes=8\n")
                .contains(" Nodes=login[1-2]\n")
                .contains(" Nodes=mgmt1\n");
    }

    @Test
    void serversOfStorageAreInNoBlock() throws Exception {
        String conf = conf(model(handedOn("stor-low")), new SlurmOptions(ROOT, SlurmPlugin.block, null, false));
        assertThat(conf).doesNotContain("oss").endsWith("\nBlockSizes=4\n");
    }

    @Test
    void leavesStayJoinedBelowASpineWithHosts() throws Exception {
        String conf = conf(model(handedOn("core-hosts")), new SlurmOptions(ROOT, SlurmPlugin.tree, null, true));
        assertThat(conf)
                .contains("SwitchName=spine01-hosts Nodes=")
                .containsPattern("SwitchName=spine01 Switches=spine01-hosts,spine02-hosts,leaf\\[01-06]\n")
                .doesNotContain("no switch in common");
        assertThat(below(read(conf)).get("spine01")).isEqualTo(hosts(model(handedOn("core-hosts"))));
    }

    @Test
    void whatAnExportLeavesUnjoinedIsSaid() throws Exception {
        Wiring wiring = Dragonflies.plus(1, 5, 4, 4, 1, 3, 1);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        assertThat(conf(model, new SlurmOptions(ROOT, SlurmPlugin.tree, null, true)))
                .contains("# 5 parts have no switch in common here: Slurm refuses jobs across them\n");
        assertThat(SlurmWriter.conf(model)).doesNotContain("no switch in common");
    }

    @Test
    void namesThatEndInMoreDigitsThanANumberHasAreChanged() throws Exception {
        String conf = SlurmWriter.conf(model(handedOn("longdigits2")));
        assertThat(conf)
                .doesNotContainPattern("[0-9]{19}[\n ,]")
                .containsPattern("SwitchName=a-98765432109876543210-[0-9a-f]{8} Nodes=n\\[1-2]\n");
    }

    @Test
    void switchesHaveTheirNamesOnRequestWhereTheseAreTheirOwnAndSlurmReadsThem() throws Exception {
        FabricModel model = model(Dump.simulated("ft2-128").cabling());
        SlurmOptions named = new SlurmOptions(
                "leaf-02", SlurmPlugin.tree, null, false, SlurmNodeNames.FULL, SlurmVersion.OLDEST, true);
        String conf = conf(model, named);
        assertThat(conf)
                .contains("SwitchName=leaf-01 Nodes=node[0001-0016]\n", "SwitchName=leaf-02 Nodes=")
                .doesNotContain("S-", "called by their ids")
                .as("what is made up has another name")
                .containsPattern("SwitchName=leaf-02[^ ]+ Switches=leaf-");
        Cabling two = Dump.simulated("ft2-128").cabling();
        List<Switch> renamed = two.switches().stream()
                .map(one -> "leaf-03".equals(one.name()) || "leaf-04".equals(one.name())
                        ? new Switch(
                                one.id(), "leaf 3", one.vendor(), one.model(), one.chassis(), one.source(), one.ports())
                        : one)
                .toList();
        assertThat(conf(model(new Cabling(two.source(), renamed, two.adapters(), 0, two.problems())), named))
                .contains("# 2 switches have no name of their own that Slurm can read, and are called by their ids\n")
                .containsPattern("SwitchName=S-[0-9a-f]{16} Nodes=");
    }

    @Test
    void namesMayBeShortOrThoseOfNodes() throws Exception {
        FabricModel model = model(handedOn("fqdn"));
        assertThat(SlurmWriter.conf(model)).contains("choose names short").contains("Nodes=cn01.hpc.example.org,");
        SlurmOptions inShort = new SlurmOptions(
                ROOT,
                SlurmPlugin.tree,
                null,
                false,
                new SlurmNodeNames(SlurmNodeNames.Form.SHORT, Map.of()),
                SlurmVersion.OLDEST);
        assertThat(conf(model, inShort)).contains(" Nodes=cn[01-04]\n").doesNotContain("choose names short");
        SlurmOptions byNode = new SlurmOptions(
                ROOT,
                SlurmPlugin.tree,
                null,
                false,
                new SlurmNodeNames(SlurmNodeNames.Form.NODE, Map.of("cn01.hpc.example.org", "worker-7")),
                SlurmVersion.OLDEST);
        assertThat(conf(model, byNode)).contains("worker-7");
    }

    @Test
    void twoHostsOfOneShortNameKeepTheirDomains() throws Exception {
        FabricModel model = model(cables("from,to\nl1,n1.a.org/x\nl1,n1.b.org/x\nl1,n2.a.org/x\n"));
        SlurmOptions inShort = new SlurmOptions(
                ROOT,
                SlurmPlugin.tree,
                null,
                false,
                new SlurmNodeNames(SlurmNodeNames.Form.SHORT, Map.of()),
                SlurmVersion.OLDEST);
        assertThat(read(conf(model, inShort)).adapters()).hasSize(3);
    }

    @Test
    void aVersionThatIsNoneIsRefused() {
        assertThatThrownBy(() -> SlurmVersion.parse("new"))
                .hasMessage("'new' is no version of Slurm, such as 24.11 or 25.05.3");
    }

    @Test
    void ofSeveralTopologiesInOneFileTheFirstIsTheDefault() throws Exception {
        FabricModel tree = model(Dump.simulated("ft3-k18").cabling());
        FabricModel torus = model(Dump.simulated("torus-6x6x6").cabling());
        String yaml = SlurmWriter.yaml(List.of(
                new SlurmWriter.NamedTopology(tree, new SlurmOptions("a", SlurmPlugin.tree, null, false)),
                new SlurmWriter.NamedTopology(torus, new SlurmOptions("b", SlurmPlugin.block, null, false))));
        assertThat(yaml).containsOnlyOnce("\n---\n");
        assertThat(yaml.lines().filter(line -> !line.startsWith("      ") && !line.startsWith("#")))
                .containsExactly(
                        "---",
                        "- topology: a",
                        "  cluster_default: true",
                        "  tree:",
                        "    switches:",
                        "- topology: b",
                        "  cluster_default: false",
                        "  block:",
                        "    block_sizes:",
                        "    blocks:");
    }

    @Test
    void podsOfAFatTreeAreSwitches() throws Exception {
        String conf = SlurmWriter.conf(model(Dump.simulated("ft3-k18").cabling()));
        assertThat(conf).contains("SwitchName=fabric Switches=subtree-[0-17]\n");
        assertThat(conf.lines().filter(line -> line.contains(" Nodes="))).hasSize(162);
        assertThat(conf).hasLineCount(2 + 162 + 18 + 1);
    }

    @Test
    void hostsOfARailOptimisedFabricAreAtTheFirstRail() throws Exception {
        String conf = SlurmWriter.conf(model(Dump.simulated("rail-32x8").cabling()));
        assertThat(conf.lines().filter(line -> line.contains("Name=")))
                .singleElement()
                .satisfies(line ->
                        assertThat(line).contains(" Nodes=").contains("[").hasSizeLessThan(80));
    }

    @Test
    void everySwitchOfASiteIsWhereTheSiteHasIt() throws Exception {
        FabricModel model = model(Dump.PSMN.cabling());
        StringBuilder conf = new StringBuilder();
        SlurmWriter.conf(model, new SlurmOptions(ROOT, SlurmPlugin.tree, null, true), conf);
        Map<String, Set<String>> said = children(read(conf.toString()));
        Map<String, Set<String>> site = children(
                read(new String(Dump.bytes("fabric/ib-qdr-ddr-psmn-x5/X5.topology.conf"), StandardCharsets.UTF_8)));
        assertThat(said).isEqualTo(site);
    }

    @ParameterizedTest
    @ValueSource(strings = {"torus-6x6x6", "df-a4p2h2"})
    void whatIsNoTreeIsCutByItsCoordinates(String name) throws Exception {
        FabricModel model = model(Dump.simulated(name).cabling());
        String conf = SlurmWriter.conf(model);
        boolean torus = name.startsWith("torus");
        assertThat(conf).contains("# no tree: ");
        assertThat(conf).contains("\nSwitchName=fabric Switches=" + (torus ? "slice-[0-5]" : "group-[0-8]") + "\n");
        assertThat(conf.lines().filter(line -> line.contains(" Switches="))).hasSize(torus ? 43 : 10);
    }

    @Test
    void partsWithoutACableBetweenThemHaveNoSwitchInCommon() throws Exception {
        String conf = SlurmWriter.conf(model(cables("""
                from,fromPort,to,toPort
                l1,1,n1/mlx5_0,1
                l2,1,n2/mlx5_0,1
                l1,2,s1,1
                l2,2,s1,2
                l2,3,n3/mlx5_0,1
                """)));
        assertThat(conf).endsWith("""
                SwitchName=l1 Nodes=n1
                SwitchName=l2 Nodes=n[2-3]
                SwitchName=fabric Switches=l[1-2]
                """);
    }

    @Test
    void aHostWhoseDeviceOnThePlaneIsGoneIsWithItsNeighbours() throws Exception {
        StringBuilder cables = new StringBuilder("from,fromPort,to,toPort\n");
        for (int plane = 0; plane < 2; plane++) {
            for (int leaf = 0; leaf < 4; leaf++) {
                String name = "p" + plane + "l" + leaf;
                for (int host = 0; host < 4; host++) {
                    if (plane > 0 || leaf != 2 || host != 3) {
                        cables.append(
                                name + "," + (host + 1) + ",n" + (10 + 4 * leaf + host) + "/mlx5_" + plane + ",1\n");
                    }
                }
                cables.append(name + ",11,p" + plane + "s0," + (leaf + 1) + "\n");
                cables.append(name + ",12,p" + plane + "s1," + (leaf + 1) + "\n");
            }
        }
        Cabling cabling = cables(cables.toString());
        List<Vertex> vertices = new ArrayList<>();
        cabling.adapters()
                .forEach(adapter -> vertices.add(
                        new Vertex(vertices.size(), adapter.id(), 1, adapter.hostname(), adapter.osName())));
        String conf = SlurmWriter.conf(FabricModel.of(cabling.switches(), vertices));
        assertThat(conf).contains("Nodes=n[18-21]\n").contains("16 hosts, plane 0 of 2");
    }

    @Test
    void namesThatSlurmCannotReadAreChanged() throws Exception {
        String conf = SlurmWriter.conf(model(cables(
                "from,to\nleaf#1,a=b/x\nleaf#1,c,d/e/x\nleaf#1,001/x\nleaf#1,002/x\n".replace("c,d/e/x", "c[1]/x"))));
        assertThat(conf).contains("2 hosts have names that Slurm cannot read");
        assertThat(conf)
                .containsPattern("SwitchName=leaf_1-[0-9a-f]{8} Nodes=a_b-[0-9a-f]{8},c_1_-[0-9a-f]{8},\\[001-002]");
        assertThat(read(conf).adapters()).hasSize(4);
    }

    @Test
    void withoutSwitchesTheNetworkIsFlat() throws Exception {
        FabricModel none = FabricModel.of(List.of(), List.of());
        assertThat(SlurmWriter.conf(none)).startsWith("# TopologyPlugin=topology/flat\n");
        assertThat(SlurmWriter.yaml(none)).endsWith("- topology: fabric\n  cluster_default: true\n  flat: true\n");
    }

    @Test
    void aPlaneThatIsNotThereIsRefused() {
        FabricModel none = FabricModel.of(List.of(), List.of());
        assertThatThrownBy(() -> SlurmWriter.conf(
                        none, new SlurmOptions(ROOT, SlurmPlugin.tree, "7", false), new StringBuilder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no plane 7");
    }

    private static FabricModel model(Cabling cabling) {
        return OfflineFabrics.of(cabling).getFirst().model();
    }

    private static Cabling cables(String text) throws Exception {
        return CablesReader.read("cables", new StringReader(text));
    }

    private static Cabling read(String conf) throws Exception {
        return SlurmConfReader.read("topology.conf", new StringReader(conf));
    }

    private static String hostOf(String end) {
        return end.endsWith("/") ? end.substring(0, end.length() - 1) : "H-" + end;
    }

    private static Set<String> hosts(FabricModel model) {
        Topology topology = model.topology();
        Set<String> hosts = new TreeSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            hosts.add(host == null ? "H-" + topology.endId(end) : host);
        }
        return hosts;
    }

    /** Ids of the switches that hold a host on the first plane, by host. */
    private static Map<String, Set<String>> holders(FabricModel model) {
        Topology topology = model.topology();
        int plane = Integer.parseInt(model.planes().getFirst().id());
        Map<String, Set<String>> holders = new TreeMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            if (model.classification().planeOfEnd()[end] != plane) {
                continue;
            }
            String host = topology.endHost(end);
            holders.computeIfAbsent(host == null ? "H-" + topology.endId(end) : host, h -> new TreeSet<>())
                    .add(topology.switchId(topology.endSwitch(end)));
        }
        return holders;
    }

    /** Hosts below each switch. */
    private static Map<String, Set<String>> below(SlurmLayout layout) {
        Map<String, Set<String>> below = new TreeMap<>();
        for (SlurmLayout.Row row : layout.rows()) {
            Set<String> hosts = new TreeSet<>(row.nodes());
            row.switches().forEach(child -> hosts.addAll(below.getOrDefault(id(child), Set.of())));
            below.put(id(row.name()), hosts);
        }
        return below;
    }

    private static String id(String name) {
        return name.startsWith("S-") ? name.substring(2) : name;
    }

    /** As {@link #below(SlurmLayout)}: a switch of the text is below that whose line names it. */
    private static Map<String, Set<String>> below(Cabling cabling) {
        Map<String, Set<String>> joined = new HashMap<>();
        Map<String, Set<String>> hosts = new TreeMap<>();
        for (Switch one : cabling.switches()) {
            for (var port : one.ports()) {
                PortPeer peer = port.peer();
                if (peer == null) {
                    continue;
                }
                boolean toSwitch = cabling.switches().stream().anyMatch(s -> s.id().equals(peer.id()));
                (toSwitch ? joined : hosts)
                        .computeIfAbsent(one.id(), s -> new TreeSet<>())
                        .add(toSwitch ? peer.id() : hostOf(peer.id()));
            }
        }
        // From the leaves upwards: whoever has one neighbour left that is not done is below it.
        Map<String, Set<String>> below = new TreeMap<>(hosts);
        Map<String, Set<String>> open = new HashMap<>(joined);
        Set<String> done = new TreeSet<>();
        Set<String> layer = new TreeSet<>(hosts.keySet());
        while (!layer.isEmpty()) {
            Set<String> next = new TreeSet<>();
            for (String lower : layer) {
                done.add(lower);
                for (String upper : open.getOrDefault(lower, Set.of())) {
                    if (!done.contains(upper)) {
                        below.computeIfAbsent(upper, u -> new TreeSet<>()).addAll(below.getOrDefault(lower, Set.of()));
                        next.add(upper);
                    }
                }
            }
            layer = next;
        }
        return below;
    }

    /** Of switches without hosts the neighbours. */
    private static Map<String, Set<String>> children(Cabling cabling) {
        Set<String> ids = new HashSet<>();
        cabling.switches().forEach(s -> ids.add(s.id()));
        Map<String, Set<String>> children = new TreeMap<>();
        for (Switch one : cabling.switches()) {
            Set<String> near = new TreeSet<>();
            boolean holds = false;
            for (var port : one.ports()) {
                PortPeer peer = port.peer();
                holds |= peer != null && !ids.contains(peer.id());
                if (peer != null && ids.contains(peer.id())) {
                    near.add(peer.id());
                }
            }
            if (!holds) {
                children.put(one.id(), near);
            }
        }
        return children;
    }

    @Test
    void twoSwitchesOrHostsNeverHaveOneName() {
        SlurmNames names = new SlurmNames(SlurmNodeNames.FULL);
        String changed = names.ofSwitch("leaf 1");
        String host = names.host("node 1");

        assertThat(names.ofSwitch(changed)).isNotEqualTo(changed);
        assertThat(names.madeUp(changed)).isNotIn(changed, names.ofSwitch(changed));
        assertThat(names.ofSwitch("leaf 1")).isEqualTo(changed);
        assertThat(names.host(host)).isNotEqualTo(host);
        // Slurm knows hosts by the names that they have, and switches by others.
        assertThat(names.ofSwitch("node-2")).isEqualTo(names.host("node-2"));
    }
}
