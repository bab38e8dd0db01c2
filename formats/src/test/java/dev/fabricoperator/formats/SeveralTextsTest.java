/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of one source: whatever stands in which of them, they say the same. */
class SeveralTextsTest {
    private static final Path CLOS = Path.of(System.getProperty("fixtures"), "lldp", "lldpd-1.0.16-clos");
    private static final List<String> SYSTEMS =
            List.of("h1", "h2", "h3", "h4", "leaf01", "leaf02", "spine01", "spine02");
    private static final int RUNS = 60;

    private static final List<String> UFM = List.of("""
            [{"guid": "248a070300fd6100", "type": "switch", "system_name": "leaf", "ports": ["248a070300fd6100_1"]}]""", """
            [{"guid": "248a070300fcccd0", "type": "switch", "system_name": "spine", "ports": []},
             {"guid": "0c42a10300021908", "type": "host", "system_name": "node1", "ports": ["0c42a10300021908_1"]}]""", """
            {"ports": {"data": [
             {"name": "248a070300fd6100_1", "number": 1, "systemID": "248a070300fd6100", "active_speed": "HDR",
              "active_width": "4x", "logical_state": "Active", "lid": 7, "peer": "0c42a10300021908_1"}]}}""", """
            [{"source_guid": "0c42a10300021908", "source_port": "1", "destination_guid": "248a070300fd6100",
              "destination_port": 1, "width": "IB_4x", "source_port_node_description": "node1 mlx5_0",
              "destination_port_node_description": "leaf:1"}]""", """
            {"links": [{"source_guid": "248a070300fd6100", "source_port": "3", "destination_guid": "248a070300fcccd0",
              "destination_port": "9", "source_port_node_description": "leaf:3",
              "destination_port_node_description": "spine:9"}]}""");

    private record Text(String file, String text) {}

    private static Cabling together(TopologyFormat format, List<Text> texts) throws IOException, BadInputException {
        SourceTexts reader = Objects.requireNonNull(format.together());
        for (Text text : texts) {
            reader.add(text.file(), new StringReader(text.text()), TextsBeside.NONE);
        }
        return reader.cabling();
    }

    /** The answers in any order and in as many texts as it happens. */
    private static List<Text> split(List<String> answers, Random random) {
        List<String> order = new ArrayList<>(answers);
        Collections.shuffle(order, random);
        List<Text> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < order.size(); i++) {
            text.append(order.get(i)).append('\n');
            if (i == order.size() - 1 || random.nextInt(3) > 0) {
                texts.add(new Text("racks/" + i + "/answers.txt", text.toString()));
                text.setLength(0);
            }
        }
        return texts;
    }

    private static void assertSame(TopologyFormat format, List<String> answers) throws Exception {
        Cabling whole = format.read("all", new StringReader(String.join("\n", answers)));
        assertThat(whole.switches()).isNotEmpty();
        for (int seed = 0; seed < RUNS; seed++) {
            List<Text> texts = split(answers, new Random(seed));
            Cabling cabling = together(format, texts);
            assertThat(cabling.switches()).as("seed %d: %s", seed, texts).isEqualTo(whole.switches());
            assertThat(cabling.adapters()).as("seed %d: %s", seed, texts).isEqualTo(whole.adapters());
            assertThat(cabling.problems()).as("seed %d: %s", seed, texts).isEqualTo(whole.problems());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "json0", "keyvalue"})
    void anySplitOfLldpAnswersIsTheSameCabling(String form) throws Exception {
        List<String> answers = new ArrayList<>();
        for (String system : SYSTEMS) {
            answers.add(Files.readString(CLOS.resolve(system + "." + form)));
        }
        assertSame(TopologyFormat.lldp, answers);
    }

    @Test
    void anySplitOfUfmAnswersIsTheSameCabling() throws Exception {
        assertSame(TopologyFormat.ufm, UFM);
    }

    /** Each switch is described in one text and named in another. */
    @Test
    void anySplitOfSlurmsLinesIsTheSameTree() throws Exception {
        List<String> lines = List.of(
                "SwitchName=root Switches=pod[0-1]",
                "SwitchName=pod0 Switches=s[0-1]",
                "SwitchName=pod1 Switches=s[2-3]",
                "SwitchName=s0 Nodes=n[00-03]",
                "SwitchName=s1 Nodes=n[04-07]",
                "SwitchName=s2 Nodes=n[08-11]",
                "SwitchName=s3 Nodes=n[12-15]");
        assertSame(TopologyFormat.slurm, lines);
        assertSame(
                TopologyFormat.slurm,
                List.of(
                        "SwitchName=root Level=1 LinkSpeed=1 Switches=s[0-1] Nodes=n[0-3],login",
                        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]",
                        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]"));
    }

    /** Without port numbers, over GUIDs of which only all rows together show which are devices, with parallel cables of unlike speed. */
    @Test
    void anySplitOfATableOfCablesIsTheSameCabling() throws Exception {
        String header = "from,fromPort,to,toPort,speedBitsPerSecond";
        List<String> rows = new ArrayList<>();
        for (int leaf = 1; leaf <= 3; leaf++) {
            for (int spine = 1; spine <= 2; spine++) {
                rows.add("leaf" + leaf + ",,spine" + spine + ",,400000000000");
                rows.add("leaf" + leaf + ",,spine" + spine + ",,100000000000");
                rows.add("spine" + spine + ",,leaf" + leaf + "," + (40 + spine) + ",400000000000");
            }
            for (int host = 0; host < 3; host++) {
                rows.add("leaf" + leaf + ",,n" + (3 * leaf + host) + "/mlx5_0,,");
            }
            rows.add("leaf" + leaf + ",,000000000000000" + leaf + ",,");
        }
        Cabling whole =
                TopologyFormat.cables.read("all", new StringReader(header + "\n" + String.join("\n", rows) + "\n"));
        assertThat(whole.switches())
                .hasSize(5)
                .allSatisfy(each -> assertThat(each.ports()).hasSize(each.id().startsWith("leaf") ? 10 : 9));
        assertThat(whole.adapters()).hasSize(12);
        for (int seed = 0; seed < RUNS; seed++) {
            List<Text> texts = split(rows, new Random(seed)).stream()
                    .map(text -> new Text(text.file(), header + "\n" + text.text()))
                    .toList();
            Cabling cabling = together(TopologyFormat.cables, texts);
            assertThat(cabling.switches()).as("seed %d: %s", seed, texts).isEqualTo(whole.switches());
            assertThat(cabling.adapters()).as("seed %d: %s", seed, texts).isEqualTo(whole.adapters());
            assertThat(cabling.problems()).as("seed %d: %s", seed, texts).isEqualTo(whole.problems());
        }
    }

    @Test
    void formsMayDifferFromTextToText() throws Exception {
        List<Text> texts = new ArrayList<>();
        List<String> all = new ArrayList<>();
        List<String> forms = List.of("json", "keyvalue", "json0");
        for (int i = 0; i < SYSTEMS.size(); i++) {
            String form = forms.get(i % forms.size());
            texts.add(new Text(SYSTEMS.get(i), Files.readString(CLOS.resolve(SYSTEMS.get(i) + "." + form))));
            all.add(Files.readString(CLOS.resolve(SYSTEMS.get(i) + ".json")));
        }
        Cabling whole = TopologyFormat.lldp.read("all", new StringReader(String.join("\n", all)));
        assertThat(together(TopologyFormat.lldp, texts).switches()).isEqualTo(whole.switches());
    }

    private static String heard(String netdev, String system, String mac) {
        return """
                {"lldp": {"interface": {"%s": {"via": "LLDP",
                 "chassis": {"%s": {"id": {"type": "mac", "value": "%s"}, "descr": "Cumulus Linux"}},
                 "port": {"id": {"type": "ifname", "value": "swp1"}}}}}}
                """.formatted(netdev, system, mac);
    }

    @Test
    void warningsHaveTheirFileAndItsLineAndSystemsOfOneFileNameStayApart() throws Exception {
        Cabling cabling = together(
                TopologyFormat.lldp,
                List.of(
                        new Text("a/node.json", "\n\n" + heard("ens1", "leaf01", "02:00:00:00:00:01")),
                        new Text("b/node.json", heard("ens1", "leaf02", "02:00:00:00:00:02")),
                        new Text(
                                "c.json",
                                heard("ens1", "leaf02", "02:00:00:00:00:02").replace("swp1", "swp3")),
                        new Text(
                                "d.json",
                                heard("ens1", "leaf02", "02:00:00:00:00:02").replace("swp1", "swp3")),
                        new Text("quiet.json", "{\"lldp\": {}}")));
        assertThat(cabling.problems())
                .extracting(Problem::file, Problem::line, Problem::message)
                .containsExactlyInAnyOrder(
                        tuple("a/node.json", 3, "nothing says which system answered here: it is called node-3"),
                        tuple("b/node.json", 1, "nothing says which system answered here: it is called node-1"),
                        tuple("c.json", 1, "nothing says which system answered here: it is called c"),
                        tuple("d.json", 1, "nothing says which system answered here: it is called d"),
                        tuple(
                                "d.json",
                                1,
                                "the cable from port ens1 of d to port swp3 of leaf02 is left out: line 1 of c.json has the"
                                        + " cable from port ens1 of c to port swp3 of leaf02"),
                        tuple("quiet.json", 1, "no LLDP neighbour is described"));
        assertThat(cabling.adapters()).extracting(a -> a.hostname()).containsExactly("c", "node-1", "node-3");
    }

    @ParameterizedTest
    @CsvSource({"lldp,{\"lldp\": [", "lldp,hello", "ufm,{\"links\": [", "ufm,7"})
    void whatIsWrongIsNamedWithItsFileAndItsLine(TopologyFormat format, String bad) {
        List<Text> texts = List.of(
                new Text("good", format == TopologyFormat.lldp ? heard("e1", "a", "02:00:00:00:00:01") : UFM.get(3)),
                new Text("bad", "\n\n" + bad));
        assertThatThrownBy(() -> together(format, texts))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("bad:3: ");
    }

    @Test
    void textsThatSayNothingAreAnErrorTogether() {
        assertThatThrownBy(() -> together(
                        TopologyFormat.lldp, List.of(new Text("a", "{\"lldp\": {}}"), new Text("b", "{\"lldp\": {}}"))))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("no LLDP neighbour is described");
        assertThatThrownBy(() -> together(TopologyFormat.ufm, List.of(new Text("a", "[]"), new Text("b", "[]"))))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("neither a link nor a system is described");
    }
}
