/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an administrator reads, cuts and passes on. */
class AdministratorIT {
    private static final String DAMAGED =
            FIXTURES.resolve("sim/ft2-128/ibnetdiscover-after-fault.txt.gz").toString();
    private static final String RAILS =
            FIXTURES.resolve("sim/rail-32x8/ibnetdiscover-after-fault.txt.gz").toString();
    private static final String DRAGONFLY =
            FIXTURES.resolve("sim/df-a4p2h2/ibnetdiscover.txt.gz").toString();

    private static Program.Result ok(String... arguments) {
        Program.Result result = Program.run(arguments);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result;
    }

    @Test
    void hostsThatAreExemptAreNoFaultsAndAreCounted() {
        assertThat(ok("check", RAILS).out())
                .contains("dgx-023 has 7 of 8 devices")
                .contains(": 4 findings\n");
        String exempt =
                ok("check", "--exempt-hosts", "DGX-02[3,9],dgx-03*", RAILS).out();
        assertThat(exempt).doesNotContain("dgx-023").contains("; ");
        JsonNode document = ok("check", "--exempt-hosts", "dgx-023", RAILS, "-o", "json")
                .json()
                .path(0);
        assertThat(document.path("exemptHosts").asInt()).isEqualTo(1);
        assertThat(document.path("findings")).hasSize(3);
        assertThat(ok("check", RAILS, "-o", "json").json().path(0).has("exemptHosts"))
                .isFalse();
    }

    @Test
    void aListOfExemptHostsThatIsNoneIsRefusedAndAClusterHasItsOwn() {
        Program.Result bad = Program.run("check", "--exempt-hosts", "n[1-", RAILS);
        assertThat(bad.exitCode()).isEqualTo(2);
        assertThat(bad.err()).contains("--exempt-hosts 'n[1-': ").contains("write it as");
        assertThat(Program.run("check", "--exempt-hosts", "n1").err()).contains("spec.exemptHosts");
    }

    @Test
    void groupsHaveTheSitesWordsAndTheirNumbersWhereEverythingIsTold() {
        assertThat(ok("groups", DRAGONFLY).out())
                .contains("GROUP   COUNT   HOSTS\ng")
                .doesNotContain("\n0 ");
        assertThat(ok("groups", DRAGONFLY, "-o", "wide").out()).contains("GROUP   NAME   COUNT   HOSTS\n0       g");
        JsonNode first =
                ok("groups", DRAGONFLY, "-o", "json").json().path("groups").path(0);
        assertThat(first.path("group").asInt()).isZero();
        assertThat(first.path("name").asText()).startsWith("g");
        assertThat(ok("topology", DRAGONFLY).out())
                .containsPattern("\nfc\\p{XDigit}+ +\\S+ +.*infiniband-0 +1 +g\\S+ ");
        assertThat(ok("topology", DRAGONFLY, "-o", "wide").out()).containsPattern("infiniband-0 +1 +0 ");
    }

    private static Stream<List<String>> listings() {
        return Stream.of(
                List.of("topology", DAMAGED),
                List.of("groups", DAMAGED),
                List.of("peers", "leaf-01", DAMAGED),
                List.of("links", "leaf-08", DAMAGED),
                List.of("links", "--down", DAMAGED),
                List.of("check", DAMAGED),
                List.of("diff", DAMAGED.replace("-after-fault", ""), DAMAGED));
    }

    @ParameterizedTest
    @MethodSource("listings")
    void whatIsListedHasNamesALineEach(List<String> command) {
        String[] words =
                Stream.concat(command.stream(), Stream.of("-o", "name")).toArray(String[]::new);
        assertThat(ok(words).out().lines())
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .allMatch(line -> line.matches("\\S.*"));
    }

    @Test
    void aNameIsWhatTheNextCommandIsAskedAbout() {
        assertThat(ok("topology", DAMAGED, "-o", "name").out())
                .contains("fabric.fabric-operator.dev/infiniband-0\n", "fabricswitch.fabric-operator.dev/");
        String down = ok("links", "--down", DAMAGED, "-o", "name").out().strip();
        assertThat(down).matches("\\p{XDigit}{16}:18");
        assertThat(ok("links", down.substring(0, 16), DAMAGED).out()).contains("leaf-08");
        assertThat(ok("check", DAMAGED, "-o", "name").out().lines()).contains(down.substring(0, 16));
        List<String> devices =
                ok("peers", "leaf-01", DAMAGED, "-o", "name").out().lines().toList();
        assertThat(devices).hasSize(16);
        ok("cost", "--row", devices.getFirst(), DAMAGED);
        Program.Result one = Program.run("path", "node0001", "node0017", DAMAGED, "-o", "name");
        assertThat(one.exitCode()).isEqualTo(2);
        assertThat(one.err()).contains("-o name is for commands that list something");
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 80, 120, 200})
    void costsFitTheTerminalAndNoneIsMissing(int columns) throws Exception {
        String[] words = {"cost", "--nodes", "node[0001-0020]", DAMAGED};
        String whole = ok(words).out();
        String fitted = Program.with(words)
                .environment("COLUMNS", Integer.toString(columns))
                .run()
                .out();
        assertThat(fitted.lines()).allMatch(line -> line.length() <= columns);
        assertThat(costs(fitted)).isEqualTo(costs(whole));
        assertThat(Program.with(words[0], words[1], words[2], words[3], "-o", "wide")
                        .environment("COLUMNS", "60")
                        .run()
                        .out())
                .isEqualTo(whole);
    }

    private static long costs(String table) {
        return table.lines()
                .filter(line -> !line.startsWith("FROM"))
                .flatMap(line -> Arrays.stream(line.split(" +")).skip(1))
                .count();
    }

    @Test
    void hostsInTwoRangesOfAListAreAskedAboutOnce() {
        assertThat(ok("cost", "--nodes", "node[0001-0003,0002-0004],node0001", DAMAGED)
                        .out()
                        .lines())
                .hasSize(5);
        assertThat(ok("cost", "--rows", "node[0001-0002,0002],node0001", "--cols", "node0003", DAMAGED)
                        .out()
                        .lines())
                .hasSize(3);
    }

    /** Two spines and six leaves; behind one of them as many leaves as {@code behind} below two spines of their own. */
    private static Path treeBehindALeaf(Path directory, int behind) throws Exception {
        StringBuilder table = new StringBuilder("from,to\n");
        for (int leaf = 0; leaf < 6 + behind; leaf++) {
            String name = (leaf < 6 ? "l" : "il") + leaf;
            for (int spine = 0; spine < 2; spine++) {
                table.append(name + (leaf < 6 ? ",s" : ",is") + spine + "\n");
            }
            for (int host = 0; host < 4; host++) {
                table.append(name + ",h" + (leaf * 4 + host) + "/mlx5_0\n");
            }
        }
        table.append(behind == 0 ? "" : "l3,is0\nl3,is1\n");
        return Files.writeString(directory.resolve("behind" + behind + ".csv"), table.toString());
    }

    @Test
    void whatGroupsDoNotTellIsSaid(@TempDir Path directory) throws Exception {
        Path tree = treeBehindALeaf(directory, 0);
        Files.writeString(tree, "l3,il\nil,h90/mlx5_0\nil,h91/mlx5_0\n", StandardOpenOption.APPEND);
        String file = tree.toString();
        for (String command : List.of("groups", "check")) {
            assertThat(ok(command, file).out())
                    .contains("\nnote: 2 hosts on 1 switch are behind leaf l3: ")
                    .contains("'kubectl fabric links l3'");
            JsonNode document = ok(command, file, "-o", "json").json();
            JsonNode unresolved = (document.isArray() ? document.path(0) : document).path("unresolved");
            assertThat(unresolved).hasSize(1);
        }
        assertThat(ok("check", DAMAGED).out()).doesNotContain("note:");
        assertThat(ok("groups", DAMAGED, "-o", "json").json().has("unresolved")).isFalse();
    }

    @Test
    void tooMuchBehindALeafForATreeIsSaid(@TempDir Path directory) throws Exception {
        String file = treeBehindALeaf(directory, 3).toString();
        for (String command : List.of("groups", "check")) {
            assertThat(ok(command, file).out())
                    .contains("\nnote: 13 switches have no pattern that is known")
                    .contains("without what is behind single leaves the rest is a FatTree\n")
                    .contains(
                            "\nnote: 12 hosts on 3 switches are behind leaf l3, and nothing else joins them to the others; ");
        }
        assertThat(ok("topology", file, "-o", "wide").out())
                .contains("\nnote: 13 switches have no pattern that is known");
    }

    @Test
    void aFabricWithoutAPatternSaysWhatSpeaksAgainstEachKind(@TempDir Path directory) throws Exception {
        StringBuilder cables = new StringBuilder("from,to\n");
        for (int at = 0; at < 16; at++) {
            cables.append("s" + at + ",s" + (at + 1) % 16 + "\ns" + at + ",h" + at + "/mlx5_0\n");
        }
        String file = Files.writeString(directory.resolve("ring.csv"), cables + "s0,s7\ns2,s10\ns5,s13\n")
                .toString();
        String why =
                "no tree: 19 of 19 cabled pairs of switches both have hosts, and leaves are cabled to spines alone";
        assertThat(ok("topology", file, "-o", "wide").out())
                .contains("\nnote: " + why + "\nnote: no torus, mesh or HyperX: ");
        assertThat(ok("topology", file).out()).doesNotContain("note: ");
        JsonNode status =
                ok("topology", file, "-o", "json").json().path("items").path(0).path("status");
        assertThat(status.path("unresolved").path(1).asText()).isEqualTo(why);
    }

    @Test
    void aFileThatIsNotThereIsToldWhereNoClusterIsKnown() throws Exception {
        Program.Result asked = Program.with("links", "fabirc.txt")
                .environment("KUBECONFIG", "/nonexistent")
                .environment("HOME", "/nonexistent")
                .run();
        assertThat(asked.exitCode()).isEqualTo(1);
        assertThat(asked.err()).contains("no cluster is known", "there is no file 'fabirc.txt' in /");
    }

    @Test
    void switchesHaveTheirNamesInSlurmsFilesOnRequest() {
        assertThat(ok("export", "slurm", DAMAGED, "--switch-names").out()).contains("SwitchName=leaf-01 Nodes=");
        assertThat(ok("export", "slurm", DAMAGED).out())
                .contains("SwitchName=S-")
                .doesNotContain("leaf-01");
    }
}
