/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.XZInputStream;

/** Dumps that other tools write of the subnet that ibnetdiscover sweeps, or from which one is simulated. */
class OtherDumpsTest {
    private static final Path FIXTURES = Path.of(System.getProperty("fixtures"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private static Cabling read(Path file) throws Failure {
        return CablingFiles.read(SourceArgument.parse(file.toString()));
    }

    @ParameterizedTest
    @CsvSource({"df-a4p2h2", "ft2-128", "rail-32x8"})
    void openSmsListOfLinksSaysWhatIbnetdiscoverSaysOfTheSameSubnet(String name) throws Exception {
        Path of = FIXTURES.resolve("sim").resolve(name);
        for (String state : List.of("", "-after-fault")) {
            Cabling list = read(of.resolve("opensm-subnet" + state + ".lst.xz"));
            Cabling dump = read(of.resolve("ibnetdiscover" + state + ".txt.gz"));
            assertThat(list.switches()).isNotEmpty().isEqualTo(dump.switches());
            assertThat(list.adapters()).isNotEmpty().isEqualTo(dump.adapters());
            assertThat(list.problems()).isEmpty();
        }
    }

    @Test
    void aListOfLinksThatWasCutIsRefusedWhereverThatIs() throws Exception {
        String whole = list("ft2-128");
        Random random = new Random(7);
        for (int cut = 0; cut < 40; cut++) {
            // Of the last line nothing is lost with its line feed.
            Path file = Files.writeString(
                    directory.resolve("cut.lst"), whole.substring(0, 1 + random.nextInt(whole.length() - 2)));
            assertThatThrownBy(() -> read(file)).isInstanceOf(Failure.class).hasMessageContaining(file + ":");
        }
        Path lines = Files.write(
                directory.resolve("lines.lst"), whole.lines().limit(100).toList());
        assertThatThrownBy(() -> read(lines)).hasMessageContaining("from one end only");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PN:01 \\} \\{|PN:77 } {|port 119 of",
                "Ports:40|Ports:30|was something else on line",
                "NodeGUID:\\p{XDigit}+|NodeGUID:0000000000000000|a node whose GUID is zero",
                "Ports:40|Ports:FF|a node of 255 ports",
                "PHY=4x|PHY|a line of OpenSM's list of links that is not whole",
            })
    void whatIsWrongInAListOfLinksIsNamedWithItsLine(String once, String by, String words) throws Exception {
        Path file =
                Files.writeString(directory.resolve("x.lst"), list("ft2-128").replaceFirst(once, by));
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(file + ":")
                .hasMessageContaining(words);
    }

    /** As of a dump of ibnetdiscover. Each link stands there from both ends. */
    @ParameterizedTest
    @ValueSource(strings = {"SPD=????", "SPD=77"})
    void aRateThatIsNotKnownIsTold(String rate) throws Exception {
        Path file = Files.writeString(
                directory.resolve("rate.lst"),
                list("ft2-128").replaceFirst("SPD=\\S+", Matcher.quoteReplacement(rate)));
        assertThat(read(file).problems())
                .filteredOn(problem -> problem.message().contains("not known"))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.line()).isEqualTo(1);
                    assertThat(problem.message()).isEqualTo("a link rate that is not known here");
                });
    }

    @Test
    void aRateThatIsNotKnownInATopologyFileIsTold() throws Exception {
        Path file = Files.writeString(directory.resolve("x.topo"), """
                MT47396 S1
                   P1 -4x-77G-> HCA_1 H1 P1
                   P2 -4x-10G-> HCA_1 H2 P1
                """);
        assertThat(read(file).problems())
                .filteredOn(problem -> problem.message().contains("a link rate that is not known here"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.line()).isEqualTo(2));
    }

    private static String list(String name) throws IOException {
        try (InputStream packed =
                Files.newInputStream(FIXTURES.resolve("sim").resolve(name).resolve("opensm-subnet.lst.xz"))) {
            return new String(new XZInputStream(packed).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "12-ary-2-tree, 12x12",
        "4-ary-2-tree-links-at-same-rank-1, 4x4",
        "4-ary-2-tree-missing-sw-link, 4x4",
        "4-ary-3-tree, 4x4x4",
        "half-4-ary-3-tree, 2x4x4",
        "part-4-ary-3-tree, 3x4x4",
        "2-ary-4-tree, 2x2x2x2",
    })
    void topologyFilesOfIbutilsAreTheTreesTheyAreNamedAfter(String name, String shape) throws Exception {
        FabricSet found = FabricSet.read(List.of(SourceArgument.parse(
                FIXTURES.resolve("models/ibmgtsim").resolve(name + ".topo").toString())));
        assertThat(found.fabrics()).singleElement().satisfies(fabric -> {
            assertThat(fabric.model().defaultShape().string()).isEqualTo(shape);
            assertThat(found.devices())
                    .allSatisfy(device -> assertThat(device.hostname()).startsWith("H-"));
        });
    }

    @Test
    void aTopologyFileGivesPortsLanesAndSpeed() throws Exception {
        Cabling read = read(Files.writeString(directory.resolve("two.topo"), """
                # two switches
                MTS800 leaf
                   P1 -4x-10G-> Cougar node1 P1
                   P2 -4x-10G-> Cougar node2 P1
                   P8 -> MTS800 spine P3

                MTS800 spine
                   P3 -> MTS800 leaf P8
                   P4 -> MTS800 other P1
                   P5 -> MTS800 third P1
                """));
        assertThat(read.switches()).extracting(Switch::id).containsExactly("leaf", "other", "spine", "third");
        assertThat(read.switches().getFirst().ports()).first().satisfies(port -> {
            assertThat(port.number()).isEqualTo(1);
            assertThat(port.width()).isEqualTo(4);
            assertThat(port.speedBitsPerSecond()).isEqualTo(40_000_000_000L);
            assertThat(port.peerHost()).isEqualTo("node1");
        });
        assertThat(read.adapters()).extracting(Adapter::hostname).containsExactly("node1", "node2");
    }

    /** After the example of its manual page, where no adapter has a section of its own, with a director of which boards are missing. */
    @Test
    void adaptersWithoutASectionAreHostsAndBoardsOfADirectorAreNoPartOfItsName() throws Exception {
        Cabling read = read(Files.writeString(directory.resolve("manual.topo"), """
                MTS2400 S-1
                P1 -> MT23108 H-1 P1
                P2 -> MT23108 H-1 P2

                MTS9600 core CFG: leaf3=R,leaf5=R,spine-1=R
                L1/P1 -> MT23108 H-2 P1
                """));
        assertThat(read.switches()).extracting(Switch::name).containsExactly("core", "S-1");
        assertThat(read.adapters()).extracting(Adapter::hostname).containsExactly("H-1", "H-2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hello world|:1: no cable is described",
                "not a table of cables|not a header line",
                "MTS800 a\\n  P1 -> MTS800 b|:2: neither a system",
                "MTS800 a\\n  P1 -> MTS800 b P1\\nMTS800 b\\n  P1 -> MTS800 c P1|:4: port 1 of b had another cable",
                "MTS800 a\\n  P1 -> Cougar a P1|:2: a was of type MTS800",
                "MTS800 a\\n  P1 -> MTS800 A P1|differ in nothing but case",
                "MTS800 a\\n  P1 -> MTS800 a P1|to itself",
            })
    void whatIsWrongInATopologyFileIsNamedWithItsLine(String text, String words) throws Exception {
        Path file = Files.writeString(directory.resolve("x.topo"), text.replace("\\n", "\n"));
        SourceArgument argument = SourceArgument.parse("cables:" + file);
        assertThatThrownBy(() -> CablingFiles.read(argument))
                .isInstanceOf(Failure.class)
                .hasMessageContaining(words);
    }
}
