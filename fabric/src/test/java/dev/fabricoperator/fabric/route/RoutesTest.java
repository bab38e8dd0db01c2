/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.topology.Topology;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {
    private static final Pattern PAIR = Pattern.compile("# (\\p{XDigit}{16}) (\\p{XDigit}{16})");
    private static final Pattern HOP =
            Pattern.compile("\\[(\\d+)\\] -> (switch|ca) port \\{0x(\\p{XDigit}{16})\\}\\[(\\d+)\\].*");

    /** Two nodes at one leaf, one at another, and a spine between them: LIDs 1 and 2 are the leaves', 3 the spine's, 4 to 6 the nodes'. */
    private static final String MAP = """
            switchguid=0xa1(a1)
            Switch\t4 "S-00000000000000a1"\t\t# "leaf1" enhanced port 0 lid 1 lmc 0
            [1]\t"H-00000000000000b1"[1](c1) \t\t# "n1 mlx5_0" lid 4 4xHDR
            [2]\t"H-00000000000000b2"[1](c2) \t\t# "n2 mlx5_0" lid 5 4xHDR
            [3]\t"S-00000000000000a3"[1]\t\t# "spine" lid 3 4xHDR

            switchguid=0xa2(a2)
            Switch\t4 "S-00000000000000a2"\t\t# "leaf2" enhanced port 0 lid 2 lmc 0
            [1]\t"H-00000000000000b3"[1](c3) \t\t# "n3 mlx5_0" lid 6 4xHDR
            [3]\t"S-00000000000000a3"[2]\t\t# "spine" lid 3 4xEDR

            switchguid=0xa3(a3)
            Switch\t4 "S-00000000000000a3"\t\t# "spine" enhanced port 0 lid 3 lmc 0
            [1]\t"S-00000000000000a1"[3]\t\t# "leaf1" lid 1 4xHDR
            [2]\t"S-00000000000000a2"[3]\t\t# "leaf2" lid 2 4xEDR

            caguid=0xb1
            Ca\t1 "H-00000000000000b1"\t\t# "n1 mlx5_0"
            [1](c1) \t"S-00000000000000a1"[1]\t\t# lid 4 lmc 0 "leaf1" lid 1 4xHDR

            caguid=0xb2
            Ca\t1 "H-00000000000000b2"\t\t# "n2 mlx5_0"
            [1](c2) \t"S-00000000000000a1"[2]\t\t# lid 5 lmc 0 "leaf1" lid 1 4xHDR

            caguid=0xb3
            Ca\t1 "H-00000000000000b3"\t\t# "n3 mlx5_0"
            [1](c3) \t"S-00000000000000a2"[1]\t\t# lid 6 lmc 0 "leaf2" lid 2 4xHDR
            """;

    private static final String TABLES = """
            dump_ucast_routes: Switch 0x00000000000000a1
            0x0001 : 000  : 00   : yes
            0x0002 : 003  : 02   : yes
            0x0003 : 003  : 01   : yes
            0x0004 : 001  : 01   : yes
            0x0005 : 002  : 01   : yes
            0x0006 : 003  : 03   : yes
            dump_ucast_routes: Switch 0x00000000000000a2
            0x0001 : 003  : 02   : yes
            0x0002 : 000  : 00   : yes
            0x0003 : 003  : 01   : yes
            0x0004 : 003  : 03   : yes
            0x0005 : 003  : 03   : yes
            0x0006 : 001  : 01   : yes
            dump_ucast_routes: Switch 0x00000000000000a3
            0x0001 : 001  : 01   : yes
            0x0002 : 002  : 01   : yes
            0x0003 : 000  : 00   : yes
            0x0004 : 001  : 02   : yes
            0x0005 : 001  : 02   : yes
            0x0006 : 002  : 02   : yes
            """;

    /** A fabric with its routes, of which devices are asked by their port GUIDs. */
    private record Routed(OfflineFabric fabric, Routes routes) {
        static Routed of(String map, String tables) throws Exception {
            OfflineFabric fabric = OfflineFabrics.of(IbnetdiscoverReader.read("map", new StringReader(map)))
                    .getFirst();
            ForwardingTables read = ForwardingTableReader.read("lfts.txt", new StringReader(tables));
            return new Routed(fabric, Objects.requireNonNull(routes(fabric, read)));
        }

        static @Nullable Routes routes(OfflineFabric fabric, ForwardingTables tables) {
            List<Device> devices = fabric.devices();
            return Routes.of(
                    fabric.model().topology(),
                    tables,
                    slot -> new PortAddress(
                            devices.get(slot).portGuid(), devices.get(slot).lid()),
                    Routes.lids(fabric.switches()));
        }

        int slot(String portGuid) {
            for (int slot = 0; slot < fabric.devices().size(); slot++) {
                if (portGuid.equals(fabric.devices().get(slot).portGuid())) {
                    return slot;
                }
            }
            throw new AssertionError(portGuid);
        }

        Route between(String from, String to) {
            return routes.between(slot(from), slot(to));
        }

        /** As {@code switch:in:out}. */
        List<String> hops(String from, String to) {
            Topology topology = fabric.model().topology();
            return ((Route.Arrives) between(from, to))
                    .hops().stream()
                            .map(hop -> topology.switchId(hop.at()) + ":" + hop.inPort() + ":" + hop.outPort())
                            .toList();
        }

        Path path(String from, String to) {
            return Objects.requireNonNull(new FabricQuery(fabric.model(), routes).path(slot(from), slot(to)));
        }
    }

    private static String fixture(String path) {
        return new String(Dump.bytes("sim/" + path), StandardCharsets.UTF_8);
    }

    private static final String C1 = "00000000000000c1";
    private static final String C2 = "00000000000000c2";
    private static final String C3 = "00000000000000c3";

    @Test
    void aRouteGoesByThePortsOfTheTables() throws Exception {
        Routed routed = Routed.of(MAP, TABLES);
        assertThat(routed.routes().problems()).isEmpty();
        assertThat(routed.hops(C1, C2)).containsExactly("00000000000000a1:1:2");
        assertThat(routed.hops(C1, C3))
                .containsExactly("00000000000000a1:1:3", "00000000000000a3:1:2", "00000000000000a2:3:1");
        Path path = routed.path(C1, C3);
        assertThat(path.basis()).isEqualTo(Path.Basis.routes);
        assertThat(path.basisReason()).isNull();
        assertThat(path.hops()).isEqualTo(2);
        assertThat(path.equalPaths()).isEqualTo(1);
        assertThat(path.speedBitsPerSecond()).isEqualTo(100_000_000_000L);
        assertThat(path.steps())
                .extracting(Path.Step::outSpeedBitsPerSecond)
                .containsExactly(200_000_000_000L, 100_000_000_000L, 200_000_000_000L);
        assertThat(path.cost()).isEqualTo(routed.fabric().model().cost().cost(routed.slot(C1), routed.slot(C3)));
    }

    @Test
    void theDigestChangesWithTheWaysOfTheseDevicesAndWithNoOthers() throws Exception {
        Routed routed = Routed.of(MAP, TABLES);
        int[] near = {routed.slot(C1), routed.slot(C2)};
        int[] far = {routed.slot(C1), routed.slot(C3)};
        // Leaf 2 sends packets for n2 elsewhere, the spine those for n3.
        Routed leaf = Routed.of(MAP, TABLES.replace("0x0005 : 003  : 03", "0x0005 : 001  : 03"));
        Routed spine = Routed.of(MAP, TABLES.replace("0x0006 : 002  : 02", "0x0006 : 001  : 02"));
        assertThat(routed.routes().digest(far)).isEqualTo(routed.routes().digest(new int[] {far[1], far[0]}));
        assertThat(leaf.routes().digest(far)).isEqualTo(routed.routes().digest(far));
        assertThat(leaf.routes().digest(near)).isEqualTo(routed.routes().digest(near));
        assertThat(leaf.routes().digest(new int[] {near[0], near[1], far[1]}))
                .isNotEqualTo(routed.routes().digest(new int[] {near[0], near[1], far[1]}));
        assertThat(spine.routes().digest(far)).isNotEqualTo(routed.routes().digest(far));
        assertThat(spine.routes().digest(near)).isEqualTo(routed.routes().digest(near));
    }

    /** What ibtracert found on the same subnet: it asks the switches hop by hop. */
    @ParameterizedTest
    @CsvSource({
        "ft2-128/ibnetdiscover.txt.gz, ft2-128/minhop.dump-fts.txt.xz, ft2-128/minhop.ibtracert.txt.xz",
        "ft2-128/ibnetdiscover.txt.gz, ft2-128/minhop.opensm.fdbs.xz, ft2-128/minhop.ibtracert.txt.xz",
        "ft2-128/ibnetdiscover.txt.gz, ft2-128/minhop.opensm-lfts.dump.xz, ft2-128/minhop.ibtracert.txt.xz",
        "ft2-128/lmc2.ibnetdiscover.txt.xz, ft2-128/lmc2.dump-fts.txt.xz, ft2-128/lmc2.ibtracert.txt.xz",
        "ft2-128/lmc2.ibnetdiscover.txt.xz, ft2-128/lmc2.opensm.fdbs.xz, ft2-128/lmc2.ibtracert.txt.xz",
        "torus-6x6x6/ibnetdiscover.txt.gz, torus-6x6x6/dor.dump-fts.txt.xz, torus-6x6x6/dor.ibtracert.txt.xz"
    })
    void aRouteIsWhatIbtracertFinds(String map, String tables, String traced) throws Exception {
        Routed routed = Routed.of(fixture(map), fixture(tables));
        int pairs = 0;
        for (String trace : fixture(traced).split("(?m)^(?=# )")) {
            Matcher pair = PAIR.matcher(trace);
            if (!pair.lookingAt()) {
                continue;
            }
            assertThat(routed.hops(pair.group(1), pair.group(2)))
                    .as(trace)
                    .isEqualTo(hops(trace))
                    .isNotEmpty();
            pairs++;
        }
        assertThat(pairs).isEqualTo(200);
        assertThat(routed.routes().problems()).isEmpty();
    }

    /** Of {@code [1] -> switch port {0x..}[4] ..}: out of what was before, into this. */
    private static List<String> hops(String trace) {
        List<String> hops = new ArrayList<>();
        String before = "";
        for (String line : trace.lines().toList()) {
            Matcher hop = HOP.matcher(line);
            if (hop.matches()) {
                if (!before.isEmpty()) {
                    hops.add(before + ":" + hop.group(1));
                }
                before = hop.group(3) + ":" + hop.group(4);
            }
        }
        return hops;
    }

    @Test
    void severalLidsOfAPortAreSeveralWays() throws Exception {
        Routed routed =
                Routed.of(fixture("ft2-128/lmc2.ibnetdiscover.txt.xz"), fixture("ft2-128/lmc2.dump-fts.txt.xz"));
        Map<Boolean, List<Integer>> waysOnOneLeaf = new HashMap<>();
        for (int to = 1; to < routed.fabric().devices().size(); to++) {
            Route.Arrives route = (Route.Arrives) routed.routes().between(0, to);
            waysOnOneLeaf
                    .computeIfAbsent(route.hops().size() == 1, k -> new ArrayList<>())
                    .add(route.ways());
        }
        assertThat(waysOnOneLeaf.get(true)).hasSize(15).containsOnly(1);
        // Four spines, four LIDs.
        assertThat(waysOnOneLeaf.get(false)).hasSize(112).contains(4).allMatch(ways -> ways >= 1 && ways <= 4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dump_ucast_routes: Switch 0x00000000000000a3|dump_ucast_routes: Switch 0x00000000000000a4|NoTable|switch spine (00000000000000a3) has no forwarding table",
                "0x0006 : 002  : 02   : yes|0x0006 : UNREACHABLE|NoEntry|switch spine (00000000000000a3) has no port for it",
                "0x0006 : 002  : 02   : yes|0x0006 : 003  : 02   : yes|NoCable|sends it to port 3, where the map has no cable",
                "0x0006 : 002  : 02   : yes|0x0006 : 200  : 02   : yes|NoCable|sends it to port 200, where the map has no cable",
                "0x0006 : 002  : 02   : yes|0x0006 : 001  : 02   : yes|Loop|switch leaf1 (00000000000000a1) gets it a second time",
                "0x0006 : 002  : 02   : yes|0x0006 : 000  : 02   : yes|WrongEnd|switch spine (00000000000000a3) keeps it for itself",
                "0x0006 : 003  : 03   : yes|0x0006 : 002  : 03   : yes|WrongEnd|sends it to port 2, where device 00000000000000b2 port 1 of n2 is"
            })
    void whereTablesTellNoWayTheAnswerIsACheapestOneAndSaysWhy(String before, String after, Route.End end, String why)
            throws Exception {
        assertThat(TABLES).contains(before);
        Routed routed = Routed.of(MAP, TABLES.replace(before, after));
        assertThat(routed.between(C1, C3)).isInstanceOfSatisfying(Route.Ends.class, ends -> {
            assertThat(ends.end()).isEqualTo(end);
            assertThat(ends.message()).startsWith("LID 0x0006: ").contains(why);
        });
        Path path = routed.path(C1, C3);
        assertThat(path.basis()).isEqualTo(Path.Basis.cheapest);
        assertThat(path.basisReason()).contains(why);
        assertThat(path.steps())
                .isEqualTo(Objects.requireNonNull(
                                new FabricQuery(routed.fabric().model()).path(routed.slot(C1), routed.slot(C3)))
                        .steps())
                .hasSize(3);
        // What the damaged entry does not concern is routed as before.
        assertThat(routed.hops(C1, C2)).containsExactly("00000000000000a1:1:2");
    }

    @Test
    void aDeviceWhoseLidNobodySaysHasNoRoute() throws Exception {
        Routed routed =
                Routed.of(MAP.replace("lid 6 lmc 0", "lid 0 lmc 0").replace("lid 6 4xHDR", "lid 0 4xHDR"), TABLES);
        assertThat(routed.between(C1, C3))
                .isInstanceOfSatisfying(
                        Route.Ends.class, ends -> assertThat(ends.end()).isEqualTo(Route.End.NoLid));
    }

    /** As when two tables are exchanged, or LIDs were given anew since the map was made. */
    @Test
    void aTableOfAnotherSwitchIsLeftOutAndNamed() throws Exception {
        Routed routed = Routed.of(
                MAP, TABLES.replace("00a1", "00ax").replace("00a2", "00a1").replace("00ax", "00a2"));
        assertThat(routed.routes().problems()).singleElement().satisfies(problem -> {
            assertThat(problem.file()).isEqualTo("lfts.txt");
            assertThat(problem.line()).isEqualTo(8);
            assertThat(problem.message())
                    .contains(
                            "2 of 3 tables are left out",
                            "switch leaf1 (00000000000000a1) takes LID 2 for its own, and the map says 1");
        });
        assertThat(routed.path(C1, C2).basis()).isEqualTo(Path.Basis.cheapest);
    }

    @Test
    void tablesOfAnotherSubnetGiveNoRoutes() throws Exception {
        OfflineFabric fabric = OfflineFabrics.of(IbnetdiscoverReader.read("map", new StringReader(MAP)))
                .getFirst();
        ForwardingTables other =
                ForwardingTableReader.read("lfts.txt", new StringReader(fixture("ft2-128/minhop.opensm.fdbs.xz")));
        assertThat(Routed.routes(fabric, other)).isNull();
        assertThat(other.against(Map.of("00000000000000a1", "leaf1")))
                .singleElement()
                .extracting(Problem::message)
                .asString()
                .contains("another subnet");
    }
}
