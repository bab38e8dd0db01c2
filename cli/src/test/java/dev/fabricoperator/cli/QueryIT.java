/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueryIT {
    private static final String TREE =
            FIXTURES.resolve("sim/ft2-128/ibnetdiscover.txt.gz").toString();
    private static final String DAMAGED =
            FIXTURES.resolve("sim/ft2-128/ibnetdiscover-after-fault.txt.gz").toString();

    private static Program.Result ok(String... arguments) {
        Program.Result result = Program.run(arguments);
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.err()).isEmpty();
        return result;
    }

    @Test
    void aPathNamesEachSwitchWithItsPorts() {
        assertThat(ok("path", "node0001/mlx5_0", "node0128/mlx5_0", TREE).out()).isEqualTo("""
                FROM                TO                  COST   HOPS   EQUAL   GBIT/S   BASIS
                node0001-mlx5-0-1   node0128-mlx5-0-1   40     2      4       200      cheapest way, no forwarding tables known

                STEP   SWITCH             NAME       IN   OUT   GBIT/S
                1      fc6a1c0373cf256d   leaf-01    1    23    200
                2      fc6a1c03309d6b79   spine-04   1    15    200
                3      fc6a1c0373ab4876   leaf-08    23   16    200
                """);
        JsonNode path = ok("path", "node0001/mlx5_0", "node0128/mlx5_0", TREE, "-o", "json")
                .json();
        JsonNode cost = ok("cost", "--from", "node0001/mlx5_0", "--to", "node0128/mlx5_0", TREE, "-o", "json")
                .json();
        assertThat(path.path("cost")).isEqualTo(cost.path("cost"));
        assertThat(path.path("steps")).hasSize(3);
        assertThat(path.path("steps").get(1).path("switch").asText()).isEqualTo("fc6a1c03309d6b79");
    }

    @Test
    void aPathGoesByTheForwardingTablesThatAreNamedBesideTheMap() {
        String tables = FIXTURES.resolve("sim/ft2-128/minhop.dump-fts.txt.xz").toString();
        assertThat(ok("path", "node0001", "node0128", TREE, tables).out()).isEqualTo("""
                FROM                TO                  COST   HOPS   EQUAL   GBIT/S   BASIS
                node0001-mlx5-0-1   node0128-mlx5-0-1   40     2      1       200      by the switches' forwarding tables

                STEP   SWITCH             NAME       IN   OUT   GBIT/S
                1      fc6a1c0373cf256d   leaf-01    1    24    200
                2      fc6a1c03309d6b79   spine-04   2    16    200
                3      fc6a1c0373ab4876   leaf-08    24   16    200
                """);
        for (String form : List.of("minhop.opensm.fdbs.xz", "minhop.opensm-lfts.dump.xz")) {
            String other = FIXTURES.resolve("sim/ft2-128").resolve(form).toString();
            JsonNode path = ok("path", "lfts:" + other, "node0001", "node0128", TREE, "-o", "json")
                    .json();
            assertThat(path.path("basis").asText()).isEqualTo("routes");
            assertThat(path.path("steps").get(0).path("outPort").asInt()).isEqualTo(24);
        }
        // What is no way is answered as without tables.
        assertThat(ok("groups", TREE, tables, "-o", "json").out())
                .isEqualTo(ok("groups", TREE, "-o", "json").out());
    }

    @Test
    void tablesThatCannotBeUsedAreNamedAndTheCheapestWayIsShown(@TempDir Path directory) throws IOException {
        String whole = ok("path", "node0001", "node0128", TREE, "-o", "json").out();
        Path torn = Files.writeString(
                directory.resolve("torn.txt"),
                "Unicast lids [0x0-0x8c] of switch Lid 3 guid 0xfc6a1c03c7fde805 (leaf-06):\n0x0001 017 : (Cha");
        Path other = Files.writeString(
                directory.resolve("other.fdbs"),
                "dump_ucast_routes: Switch 0x00000000000000a1\n0x0001 : 000  : 00   : yes\n");
        Path swapped = Files.writeString(
                directory.resolve("swapped.fdbs"),
                "dump_ucast_routes: Switch 0xfc6a1c03c7fde805\n0x0001 : 000  : 00   : yes\n");
        for (Map.Entry<Path, String> bad : Map.of(
                        torn, torn + ":1: the table of fc6a1c03c7fde805 has no end",
                        other, other + ":1: none of these 1 tables is of a switch of the map",
                        swapped, swapped + ":1: 1 of 12 tables are left out")
                .entrySet()) {
            Program.Result result = Program.run(
                    "path", "node0001", "node0128", TREE, bad.getKey().toString(), "-o", "json");
            assertThat(result.exitCode()).as(result.err()).isZero();
            assertThat(result.err()).contains("warning: " + bad.getValue());
            assertThat(result.json().path("basis").asText()).isEqualTo("cheapest");
            assertThat(result.out().replaceAll(" *\"basisReason\".*\n", "")).isEqualTo(whole);
        }
        Program.Result alone = Program.run("path", "node0001", "node0128", torn.toString());
        assertThat(alone.exitCode()).isNotZero();
        assertThat(alone.err()).contains(torn + ":1: forwarding tables, which know no cables");
    }

    @Test
    void peersShareASwitchAndGroupsNameTheSameHosts() {
        JsonNode peers = ok("peers", "node0001/mlx5_0", TREE, "-o", "json").json();
        assertThat(peers.path("switch").asText()).isEqualTo("fc6a1c0373cf256d");
        assertThat(peers.path("peers")).hasSize(16);
        JsonNode groups = ok("groups", TREE, "-o", "json").json();
        assertThat(groups.path("groups")).hasSize(8);
        assertThat(groups.path("string").asText())
                .startsWith("0:node0")
                .contains(";7:")
                .isEqualTo(ok("groups", TREE, "--string").out().strip());
    }

    @Test
    void geometryIsOfADeviceOrOfAllOfAHost() {
        assertThat(ok("geometry", "node0001", TREE).out()).isEqualTo("""
                DEVICE              FABRIC         INDEX   PLANE   VIEW      COORDINATE   SHAPE
                node0001-mlx5-0-1   infiniband-0   0       0       logical   1,0          8x16
                """);
        JsonNode physical = ok("geometry", "node0001/mlx5_0", TREE, "--view", "physical", "-o", "json")
                .json();
        assertThat(physical.path("coordinate").toString()).isEqualTo("[1,1]");
        assertThat(physical.path("shapeString").asText()).isEqualTo("8x17");
        assertThat(Program.run("geometry", "node0001", TREE, "--plane", "7").exitCode())
                .isEqualTo(2);
    }

    @Test
    void checkEndsWithZeroUnlessItIsToldToFail() {
        assertThat(ok("check", TREE, "--fail").out())
                .isEqualTo("infiniband-0: FatTree, 12 switches, 128 devices: no findings\n");
        assertThat(ok("check", DAMAGED).out()).isEqualTo("""
                infiniband-0: FatTree, 11 switches, 127 devices: 1 finding
                FINDING         MESSAGE
                MissingUplink   leaf-08 port 18 to spine-01 port 16: 1 of 2 links
                """);
        Program.Result failed = Program.run("check", DAMAGED, "--fail", "-o", "json");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.json().get(0).path("findings").get(0).path("type").asText())
                .isEqualTo("MissingUplink");
        assertThat(failed.json().at("/0/findings/0/names").toString()).isEqualTo("[\"leaf-08\",\"spine-01\"]");
        assertThat(failed.json().at("/0/findings/0/ports").toString()).isEqualTo("[18,16]");
    }

    @Test
    void linksAreToldPortByPortWithWhatIsMissing() {
        assertThat(ok("links", DAMAGED, "--down", "--slow").out()).isEqualTo("""
                SWITCH    PORT   STATE     GBIT/S   WIDTH    PEER       PEERPORT
                leaf-08   18     Missing   <none>   <none>   spine-01   16
                """);
        assertThat(ok("links", "SPINE-01", DAMAGED).out().lines())
                .hasSize(1 + 16)
                .contains(
                        "spine-01   15     Active    200      4x       leaf-08   17",
                        "spine-01   16     Missing   <none>   <none>   leaf-08   18");
        assertThat(ok("links", "leaf-[01-02]", DAMAGED, "-o", "json").json()).hasSize(2 * 22);
        assertThat(ok("links", TREE, "--down").out()).isEqualTo("No link is down or missing.\n");
        assertThat(Program.run("links", "leaf-99", DAMAGED).err())
                .isEqualTo(
                        "error: no switch and no file is called 'leaf-99'; did you mean one of leaf-01, leaf-02, leaf-03,"
                                + " leaf-04, leaf-05?\n");
    }

    /** What check finds is not denied where nobody knows the port. */
    @Test
    void missingLinksAreToldWithoutPortsToo() {
        String torus = FIXTURES.resolve("sim/torus-6x6x6/ibnetdiscover-after-fault.txt.gz")
                .toString();
        assertThat(ok("links", torus, "--down").out()).isEqualTo("""
                SWITCH     PORT     STATE     GBIT/S   WIDTH    PEER       PEERPORT
                sw-1-3-0   <none>   Missing   <none>   <none>   sw-1-3-1   <none>
                sw-1-4-4   <none>   Missing   <none>   <none>   sw-1-4-5   <none>
                sw-4-2-1   <none>   Missing   <none>   <none>   sw-4-2-2   <none>
                """);
        String dragonfly = FIXTURES.resolve("sim/df-a4p2h2/ibnetdiscover-after-fault.txt.gz")
                .toString();
        assertThat(ok("links", dragonfly, "--down").out())
                .startsWith("No link is down or missing at a switch that is known; 'kubectl fabric check'");
    }

    @Test
    void aLinkThatIsSlowerThanThoseBesideItIsShownWithWhatTheyHave(@TempDir Path directory) throws IOException {
        StringBuilder slow = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        for (int leaf = 1; leaf <= 5; leaf++) {
            for (int spine = 1; spine <= 2; spine++) {
                slow.append("leaf%d,%d,spine%d,%d,%d000000000%n"
                        .formatted(leaf, 10 + spine, spine, leaf, leaf == 3 && spine == 2 ? 100 : 400));
            }
            slow.append("leaf%d,1,node%d/mlx5_0,1,400000000000%n".formatted(leaf, leaf));
        }
        Path file = Files.writeString(directory.resolve("cables.csv"), slow);
        assertThat(ok("links", file.toString(), "--slow").out())
                .contains("100 of 400")
                .hasLineCount(2);
    }

    @Test
    void aListWithoutNamesIsWrongUsageWhereverOneIsTaken() {
        List<List<String>> questions = List.of(
                List.of("path", ",", "node0001"),
                List.of("peers", ","),
                List.of("links", ","),
                List.of("cost", "--row", ","),
                List.of("cost", "--nodes", ","),
                List.of("cost", "--rows", ",", "--cols", "node0001"),
                List.of("cost", "--rows", "node0001", "--cols", ","));
        for (List<String> question : questions) {
            List<String> words = new ArrayList<>(question);
            words.add(TREE);
            Program.Result result = Program.run(words.toArray(String[]::new));
            assertThat(result.exitCode()).as("%s", question).isEqualTo(2);
            assertThat(result.err()).as("%s", question).isEqualTo("error: ',' names nothing\n");
        }
    }

    @Test
    void aHostThatIsNotThereIsAnsweredWithThoseThatAreCalledNearlyThat() {
        assertThat(Program.run("peers", "node[98-99]", TREE).err())
                .startsWith("error: no device has the id 'node98'; did you mean node0098, ");
    }

    @Test
    void aDeviceThatAHostLacksIsAnsweredWithThoseThatItHas() {
        assertThat(Program.run("peers", "node0001/mlx5_1", TREE).err())
                .isEqualTo("error: no device has the id 'node0001/mlx5_1'; did you mean node0001/mlx5_0?\n");
    }

    @Test
    void aHostASwitchAPortAndAListStandForTheirDevicesEverywhere() {
        String path = ok("path", "node0001/mlx5_0", "node0128/mlx5_0", TREE).out();
        assertThat(ok("path", TREE, "node0001", "leaf-08:16").out()).isEqualTo(path);
        assertThat(ok("path", "leaf-01", TREE, "node[0128-0128]").out()).isEqualTo(path);
        assertThat(ok("peers", "leaf-01", TREE).out())
                .isEqualTo(ok("peers", TREE, "node[0001-0003]").out())
                .isEqualTo(ok("peers", "node0002/mlx5_0", TREE).out());
        assertThat(ok("cost", "--from", "node0001", "--to", "leaf-08", TREE, "-o", "json")
                        .json()
                        .path("cost")
                        .asInt())
                .isEqualTo(40);
        assertThat(ok("cost", "--nodes", "node[0001-0002],node0020", TREE, "-o", "json")
                        .json()
                        .path("costs")
                        .toString())
                .isEqualTo("[[0,20,40],[20,0,40],[40,40,0]]");
        assertThat(Program.run("peers", "spine-01", TREE).err())
                .isEqualTo("error: switch 'spine-01' holds no device; 'kubectl fabric links spine-01 " + TREE
                        + "' shows what is at it\n");
    }

    @Test
    void topologyIsInTheOrderOfLevelsAndNames() {
        assertThat(ok("topology", TREE).out().lines().filter(line -> line.contains("leaf-") || line.contains("spine-")))
                .extracting(line -> line.split(" +")[1])
                .containsExactly(
                        "leaf-01",
                        "leaf-02",
                        "leaf-03",
                        "leaf-04",
                        "leaf-05",
                        "leaf-06",
                        "leaf-07",
                        "leaf-08",
                        "spine-01",
                        "spine-02",
                        "spine-03",
                        "spine-04");
    }

    @Test
    void theFindingsOfAHundredHostsFitOnOneScreen() {
        String dump = FIXTURES.resolve("fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz")
                .toString();
        Program.Result result =
                Program.with("check", dump).environment("COLUMNS", "100").run();
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out().lines()).hasSizeLessThanOrEqualTo(24).allMatch(line -> line.length() <= 100);
        assertThat(result.out())
                .startsWith("infiniband-0: RailOptimized, 40 switches, 542 devices: 18 findings\n")
                .contains("""
                MissingSwitch   unit 0: 3 of 4 switches on level 1, A09-P1-IBLEAF-01-01,A09-P1-IBLEAF-02-01,
                                A09-P1-IBLEAF-04-01; because of it 10 hosts have 3 of 4 devices, none on plane 2:
                                a05-p1-dgx-01-c[01,03-04,09,12-15,17-18]
                """)
                .doesNotContainPattern("[0-9a-f]{16}");
    }

    @Test
    void costsOfBlocksHostsAndGroups() {
        JsonNode block = ok(
                        "cost",
                        TREE,
                        "--rows",
                        "node0001/mlx5_0,node0002/mlx5_0",
                        "--cols",
                        "node0001/mlx5_0,node0020/mlx5_0",
                        "-o",
                        "json")
                .json();
        assertThat(block.path("costs").toString()).isEqualTo("[[0,40],[20,40]]");
        JsonNode nodes = ok("cost", TREE, "--from-node", "node0001", "--to-node", "node0020", "-o", "json")
                .json();
        assertThat(nodes.path("cost").asInt()).isEqualTo(40);
        assertThat(nodes.path("planes").get(0).path("plane").asText()).isEqualTo("0");
        assertThat(nodes.at("/planes/0/pairs/0/fromDevice").asText()).isEqualTo("node0001-mlx5-0-1");
        assertThat(nodes.path("best")).isEqualTo(nodes.at("/planes/0/pairs/0"));
        JsonNode hosts = ok("cost", TREE, "--nodes", "node0001,node0002,node0020", "-o", "json")
                .json();
        assertThat(hosts.path("costs").toString()).isEqualTo("[[0,20,40],[20,0,40],[40,40,0]]");
        JsonNode group = ok("cost", TREE, "--device", "node0020/mlx5_0", "--group", "1", "-o", "json")
                .json();
        assertThat(group.path("devices").asInt()).isEqualTo(16);
        assertThat(group.path("minimum").asInt()).isEqualTo(40);
        assertThat(group.path("mean").asDouble()).isEqualTo(40.0);
        assertThat(Program.run("cost", TREE, "--device", "node0020/mlx5_0", "--group", "99")
                        .err())
                .isEqualTo("error: fabric infiniband-0 has no devices in group 99; 'kubectl fabric groups " + TREE
                        + "' lists the groups\n");
    }

    @Test
    void objectsInAFileAnswerLikeTheDumpThatTheyCameFrom(@TempDir Path directory) throws IOException {
        for (String format : new String[] {"json", "yaml"}) {
            Path file = directory.resolve("fabric." + format);
            Files.write(file, ok("topology", TREE, "-o", format).bytes());
            assertThat(ok("groups", file.toString(), "--string").out())
                    .isEqualTo(ok("groups", TREE, "--string").out());
            assertThat(ok("diff", file.toString(), TREE).out()).startsWith("No differences");
        }
        Path damaged = Files.writeString(directory.resolve("x.yaml"), "kind: FabricSwitch\nspec: [1\n");
        Program.Result result = Program.run("topology", damaged.toString());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).startsWith("error: " + damaged + ":");
    }

    @Test
    void moreCostsThanMemoryHoldsAreRefused(@TempDir Path directory) throws Exception {
        StringBuilder cables = new StringBuilder("from,to\n");
        for (int host = 0; host < 2100; host++) {
            cables.append("leaf")
                    .append(host / 300)
                    .append(",node")
                    .append(host)
                    .append("/mlx5_0\n");
            cables.append(host % 300 == 0 ? "leaf" + host / 300 + ",spine\n" : "");
        }
        Path file = Files.writeString(directory.resolve("large.csv"), cables);
        Program.Result result = Program.run("cost", "--nodes", "node[0-2099]", "cables:" + file);
        assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
        assertThat(result.err()).contains("4410000 costs").contains("--out");
    }

    @Test
    void namesInMessagesDoNothingButStandThere(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("switches.yaml");
        Files.writeString(file, """
                apiVersion: fabric-operator.dev/v1alpha1
                kind: FabricSwitch
                metadata: {name: s1}
                spec: {id: 00000000000000a1, name: "le\\u001b[31maf", ports: []}
                """);
        Program.Result result = Program.run("links", "lexx", file.toString());
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("'lexx'").doesNotContain("\u001b");
    }

    @Test
    void withoutFilesAndWithoutAClusterTheMessageSaysWhatToDo() {
        Program.Result result =
                Program.with("topology").environment("HOME", "/nowhere").run();
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).startsWith("error: ").contains("--kubeconfig").contains("name files");
    }
}
