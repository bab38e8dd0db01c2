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
                FROM                TO                  COST   HOPS   EQUAL   GBIT/S
                node0001-mlx5-0-1   node0128-mlx5-0-1   40     2      4       200

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
        assertThat(ok("check", TREE, "--fail").out()).isEqualTo("No findings.\n");
        assertThat(ok("check", DAMAGED).out()).isEqualTo("""
                FABRIC         FINDING         MESSAGE
                infiniband-0   MissingUplink   1 of 2 links between switches fc6a1c0373ab4876 and fc6a1c038201e2bd
                """);
        Program.Result failed = Program.run("check", DAMAGED, "--fail", "-o", "json");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.json().get(0).path("findings").get(0).path("type").asText())
                .isEqualTo("MissingUplink");
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
                .isEqualTo("error: fabric infiniband-0 has no devices in group 99; 'kubectl fabric groups' lists the"
                        + " groups\n");
    }

    @Test
    void objectsInAFileAnswerLikeTheDumpThatTheyCameFrom(@TempDir Path directory) throws IOException {
        for (String format : new String[] {"json", "yaml"}) {
            Path file = directory.resolve("fabric." + format);
            Files.write(file, ok("topology", TREE, "-o", format).bytes());
            assertThat(ok("groups", file.toString(), "--string").out())
                    .isEqualTo(ok("groups", TREE, "--string").out());
            assertThat(ok("diff", file.toString(), TREE).out()).hasLineCount(1);
        }
        Path damaged = Files.writeString(directory.resolve("x.yaml"), "kind: FabricSwitch\nspec: [1\n");
        Program.Result result = Program.run("topology", damaged.toString());
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).startsWith("error: " + damaged + ":");
    }

    @Test
    void withoutFilesAndWithoutAClusterTheMessageSaysWhatToDo() {
        Program.Result result =
                Program.with("topology").environment("HOME", "/nowhere").run();
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).startsWith("error: ").contains("--kubeconfig").contains("name files");
    }
}
