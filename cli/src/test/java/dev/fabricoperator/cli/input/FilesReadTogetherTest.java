/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilesReadTogetherTest {
    private static final Path FIXTURES = Path.of(System.getProperty("fixtures"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private static FabricSet read(List<Path> files) throws Failure {
        return FabricSet.read(
                files.stream().map(f -> SourceArgument.parse(f.toString())).toList());
    }

    private static List<Path> clos(String form) throws IOException {
        try (Stream<Path> files = Files.list(FIXTURES.resolve("lldp/lldpd-1.0.16-clos"))) {
            return new ArrayList<>(files.filter(f -> f.toString().endsWith("." + form))
                    .sorted()
                    .toList());
        }
    }

    @ParameterizedTest
    @CsvSource({"json", "json0", "keyvalue"})
    void lldpWithOneFileForEachSystemIsOneFabric(String form) throws Exception {
        List<Path> files = clos(form);
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(files, new Random(seed));
            FabricSet found = read(files);
            assertThat(found.problems()).isEmpty();
            assertThat(found.switches()).hasSize(4);
            assertThat(found.fabrics()).singleElement().satisfies(fabric -> {
                assertThat(fabric.switches()).hasSize(4);
                assertThat(fabric.model().findings()).isEmpty();
            });
            assertThat(found.devices()).hasSize(8);
        }
    }

    @Test
    void warningsOfEveryKindHaveTheirFile() throws Exception {
        Path dump = Files.writeString(
                directory.resolve("dump.txt"),
                "ibwarn: [1] mad_rpc: _do_madrpc failed\n"
                        + Files.readString(FIXTURES.resolve("reported/back-to-back-ibnetdiscover.txt")));
        Path tree = Files.writeString(directory.resolve("tree.conf"), "SwitchName=a Nodes=n[1-2] More=1\n");
        assertThat(read(List.of(dump, tree)).problems())
                .filteredOn(p -> p.line() != null)
                .extracting(Problem::file)
                .contains(dump.toString(), tree.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\": 1}|JSON, and holds neither",
                "\\uFFFDPNG\\r\\n|a picture (PNG)",
                "\\u0000\\u0001\\u0002|no text",
                "<?xml version='1.0'?><lldp label='x'/>|XML as lldpctl prints it",
                "<html>|a web page",
                "switch,port,host\\nleaf1,1,n1|a table whose first line is \"switch,port,host\"",
                "CA: m01 HCA-3:\\n  0x01 2 1[ ] ==( 4X 25.78 Gbps Active/ LinkUp)==> 1 1[ ] \"m02\" ( )|the output of iblinkinfo",
                "Switch\\t: 0x0002c9020046c588 ports 36 \"x\" base port 0|a list of nodes without their cables",
                "LLDP neighbors:\\nInterface:    eth0, via: LLDP|text as lldpctl prints it for people",
                "ClusterName=x\\nNodeName=n1|a slurm.conf",
                "CA 'mlx5_0'\\n\\tCA type: MT4129|the output of ibstat",
                "digraph g {|a graph for Graphviz",
                "SW     1  1 0xb8599f0300fc6de4 4x EDR - CA     9  1 0xec0d9a03007d7d0a ( 'a' - 'b' )|the list of ports that ibnetdiscover -p prints",
                "# net\\nSwitch\\t36 \"NVSwitch0\"\\n[1]\\t\"GraceHopper0\"[1]|a network for ibsim",
                "# Running version: \"IBDIAGNET 2.9.0\",\"IBDIAG 2.1.1\"\\n\"leaf01\", MT54002|a report of ibdiagnet",
                "#Fields:StartDevice,StartPort,EndDevice\\nleaf01,Port 1,n1|a table of UFM's expected cables",
                "from;fromPort;to;toPort\\na;1;b;1|a table with semicolons",
                "\\uFFFD\\uFFFDf\\u0000r\\u0000o\\u0000m\\u0000|text in UTF-16",
                "START_NODES\\nNodeDesc|a database of ibdiagnet",
                "switches:\\n- a|YAML of another kind",
                "hello world|a text of no known kind, which begins with \"hello world\"",
            })
    void contentOfNoKindSaysWhatItLooksLike(String text, String words) throws Exception {
        Path file = directory.resolve("x");
        String content = text.replace("\\r", "\r")
                .replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace("\\u0000", "\0");
        content = content.replace("\\u0001", "\1").replace("\\u0002", "\2");
        byte[] bytes = content.replace("\\uFFFD", "\u0089").getBytes(StandardCharsets.ISO_8859_1);
        Files.write(file, bytes);
        assertThatThrownBy(() -> read(List.of(file)))
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith(file + ":1: this is " + words)
                .hasMessageEndingWith(
                        ". Read are ibnetdiscover, slurm, cables, lldp, ufm, fabricswitches, node-labels, lfts; where it is one of"
                                + " these, name it as KIND:FILE");
    }
}
