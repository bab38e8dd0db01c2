/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UfmReaderTest {
    private static final String LEAF = "248a070300fd6100";
    private static final String SPINE = "248a070300fcccd0";
    private static final String HCA = "0c42a10300021908";

    private static final String SYSTEMS = """
            {"guid": "%s", "system_guid": "%s", "type": "switch", "system_name": "leaf", "modules": [],
             "ports": ["%s_1", "%s_2"]},
            {"guid": "%s", "type": "switch", "system_name": "spine", "modules": [{"status": "ok"}], "ports": []},
            {"guid": "%s", "type": "host", "system_name": "node1", "modules": null, "ports": ["%s_1"]}
            """.formatted(LEAF, LEAF, LEAF, LEAF, SPINE, HCA, HCA);
    private static final String PORTS = """
            {"name": "%s_1", "number": 1, "systemID": "%s", "active_speed": "HDR", "active_width": "4x",
             "logical_state": "Active", "physical_state": "Link Up", "lid": 7, "peer": "%s_1"},
            {"name": "%s_2", "number": "2", "systemID": "%s", "active_speed": "N/A", "active_width": "N/A",
             "logical_state": "Down", "lid": "N/A", "peer": "N/A"}
            """.formatted(LEAF, LEAF, HCA, LEAF, LEAF);
    private static final String LINKS = """
            {"source_guid": "%s", "source_port": "1", "destination_guid": "%s", "destination_port": 1, "width": "IB_4x",
             "source_port_node_description": "node1 mlx5_0", "destination_port_node_description": "leaf:1"},
            {"source_guid": "%s", "source_port": "3", "destination_guid": "%s", "destination_port": "9",
             "source_port_node_description": "leaf:3", "destination_port_node_description": "spine:9"}
            """.formatted(HCA, LEAF, LEAF, SPINE);

    @Test
    void speedsThatNobodyKnowsAreToldOnceWithTheirNumber() throws Exception {
        String ports =
                PORTS.replace("HDR", "ZDR") + "," + PORTS.replace("HDR", "YDR").replace(LEAF, SPINE);
        Cabling cabling = read("{'systems': [$S], 'ports': [$P], 'links': [$L]}"
                .replace('\'', '"')
                .replace("$S", SYSTEMS)
                .replace("$P", ports)
                .replace("$L", LINKS));
        assertThat(cabling.problems())
                .filteredOn(problem -> problem.message().contains("rate"))
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .isEqualTo("2 ports have a link rate that is not known here, such as '4x ZDR'"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'systems': [$S], 'ports': [$P], 'links': [$L]}",
                "{'links': [$L], 'ports': [$P], 'systems': [$S]}",
                "{'links': {'data': [$L], 'total_resources': 2}, 'ports': {'first_index': 1, 'data': [$P]}, 'systems': [$S]}",
                "[$S,$P,$L]",
                "[{'data': [$S]}, {'data': [$P]}, {'data': [$L]}]",
                "{'data': [$S]} {'data': [$P]} {'data': [$L]}",
                "[$S]\n[$P]\n[$L]\n",
                "\uFEFF {'x': {'ports': 1}, 'data': [$S,$P,$L], 'y': [[1]]}",
            })
    void sectionsStandInAnyOrderAndForm(String form) throws Exception {
        Cabling cabling = read(form.replace('\'', '"')
                .replace("$S", SYSTEMS)
                .replace("$P", PORTS)
                .replace("$L", LINKS));
        assertThat(cabling.problems()).isEmpty();
        assertThat(cabling.switches()).extracting(Switch::name).containsExactly("spine", "leaf");
        Switch leaf = cabling.switches().get(1);
        assertThat(leaf.ports())
                .containsExactly(
                        new SwitchPort(
                                1,
                                new PortPeer(HCA, 1),
                                PortState.Active,
                                200_000_000_000L,
                                4,
                                7,
                                "node1",
                                "mlx5_0",
                                NodeType.Device),
                        new SwitchPort(2, null, PortState.Down, null, null, null, null, null),
                        new SwitchPort(
                                3,
                                new PortPeer(SPINE, 9),
                                PortState.Unknown,
                                null,
                                null,
                                null,
                                null,
                                null,
                                NodeType.Switch));
        assertThat(cabling.adapters()).extracting(Adapter::id).containsExactly(HCA);
    }

    @Test
    void hostsAreUnderstoodAsInADumpAndTheOthersAreOneWarning() throws Exception {
        StringBuilder links = new StringBuilder("[");
        List<String> descriptions = List.of(
                "tray01 ibP2p3s0", "gpu-a:mlx5_0", "sun mlx5_0", "localhost HCA-1", "Rack 1, node 1", "Rack 1, node 2");
        for (int i = 0; i < descriptions.size(); i++) {
            links.append(i == 0 ? "" : ",").append("""
                    {"source_guid": "0c42a1030002190%d", "source_port": "1", "destination_guid": "%s",
                     "destination_port": "%d", "source_port_dname": "HCA-1/1", "destination_port_dname": "%d",
                     "source_port_node_description": "%s", "destination_port_node_description": "leaf:%d"}
                    """.formatted(i, LEAF, i + 1, i + 1, descriptions.get(i), i + 1));
        }
        Cabling cabling = read(links + "]");
        assertThat(cabling.adapters())
                .extracting(a -> a.hostname() + " " + a.osName())
                .containsExactly(
                        "tray01 ibP2p3s0", "gpu-a mlx5_0", "sun mlx5_0", "null null", "null null", "null null");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .singleElement()
                .asString()
                .startsWith("2 adapters ")
                .contains("\"Rack 1, node 1\"");
    }

    @Test
    void linksAloneTellSwitchesFromHosts() throws Exception {
        Cabling cabling = read("[" + LINKS + "]");
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly(SPINE, LEAF);
        assertThat(cabling.adapters())
                .extracting(a -> a.hostname() + " " + a.osName())
                .containsExactly("node1 mlx5_0");
    }

    @Test
    void linksOfOldVersionsDescribeNoNode() throws Exception {
        Cabling cabling = read("""
                [{"source_guid": "%s", "source_port": "29", "destination_guid": "%s", "destination_port": "28",
                  "source_port_dname": "29", "destination_port_dname": "28", "width": "IB_4x", "severity": "Info",
                  "name": "%s_28:%s_29", "capabilities": []},
                 {"source_guid": "%s", "source_port": "20", "destination_guid": "b8599f03000a77d0",
                  "destination_port": "2", "source_port_dname": "20", "destination_port_dname": "HCA-1/2",
                  "name": "%s_20:ec0d9a03007d7d0b_2"},
                 {"source_guid": "%s", "source_port": "21", "destination_guid": "0002c90300001111",
                  "destination_port": "1"}]
                """.formatted(LEAF, LEAF, LEAF, LEAF, LEAF, LEAF, LEAF));
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly(LEAF);
        assertThat(peers(cabling))
                .containsExactly(
                        "20 ec0d9a03007d7d0b 1", "21 0002c90300001111 1", "28 " + LEAF + " 29", "29 " + LEAF + " 28");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .singleElement()
                .asString()
                .contains("1 nodes");
    }

    /** UFM gives every adapter of a host the GUID of the host; only the link's name tells them apart. */
    @Test
    void adaptersOfOneHostAreToldApart() throws Exception {
        Cabling cabling = read("""
                [{"source_guid": "aa00000000000000", "source_port": "1", "destination_guid": "%s", "destination_port": "4",
                  "source_port_dname": "mlx5_4/1", "source_port_node_description": "luna mlx5_4",
                  "destination_port_node_description": "leaf:4", "name": "aa00000000000010_1:%s_4"},
                 {"source_guid": "%s", "source_port": "5", "destination_guid": "aa00000000000000", "destination_port": "1",
                  "destination_port_node_description": "luna mlx5_5", "source_port_node_description": "leaf:5",
                  "source_port_name": "%s_5", "destination_port_name": "aa00000000000011_1", "name": "?"},
                 {"source_guid": "aa00000000000000", "source_port": "2", "destination_guid": "%s", "destination_port": "6",
                  "source_port_node_description": "luna mlx5_6", "destination_port_node_description": "leaf:6",
                  "name": "%s_6:aa00000000000012_2"}]
                """.formatted(LEAF, LEAF, LEAF, LEAF, LEAF, LEAF));
        assertThat(peers(cabling))
                .containsExactly("4 aa00000000000010 1", "5 aa00000000000011 1", "6 aa00000000000012 1");
        assertThat(cabling.adapters()).extracting(Adapter::osName).containsExactly("mlx5_4", "mlx5_5", "mlx5_6");
    }

    @Test
    void aNodeOfTwoPortsIsOneDevice() throws Exception {
        String link = """
                {"source_guid": "f452140300383a00", "source_port": "%d", "destination_guid": "%s",
                 "destination_port": "%d", "source_port_dname": "HCA-1/%d",
                 "source_port_node_description": "r-ufm51 HCA-1", "name": "%s_%d:%s_%d"}
                """;
        String first = link.formatted(1, LEAF, 7, 1, "f452140300383a01", 1, LEAF, 7);
        String second = link.formatted(2, LEAF, 8, 2, "f452140300383a02", 2, LEAF, 8);
        assertThat(peers(read("[" + first + "," + second + "]")))
                .containsExactly("7 f452140300383a00 1", "8 f452140300383a00 2");
        String far = "{\"name\": \"%s_8\", \"number\": 8, \"description\": \"Switch IB Port\", \"peer\":"
                + " \"f452140300383a02_2\", \"peer_node_guid\": \"f4521403003839ff\"}";
        assertThat(peers(read("{\"links\": [" + second + "], \"ports\": [" + far.formatted(LEAF) + "]}")))
                .containsExactly("8 f4521403003839ff 2");
    }

    @Test
    void aGuidThatTwoPortsOfOneNumberHaveIsNotThatOfANode() throws Exception {
        String port = "{\"name\": \"%s_%d\", \"number\": %d, \"description\": \"Switch IB Port\", \"peer\": \"%s_1\","
                + " \"peer_node_guid\": \"aa00000000000000\", \"peer_node_description\": \"luna mlx5_%d\"}";
        Cabling cabling = read("[" + port.formatted(LEAF, 1, 1, "aa00000000000010", 0) + ","
                + port.formatted(LEAF, 2, 2, "aa00000000000011", 1) + "]");
        assertThat(peers(cabling)).containsExactly("1 aa00000000000010 1", "2 aa00000000000011 1");
    }

    @Test
    void switchesOfADirectorAreOneChassis() throws Exception {
        String link = """
                {"source_guid": "dd00000000000000", "source_port": "%d", "destination_guid": "dd00000000000000",
                 "destination_port": "%d", "source_port_node_description": "dir:L01/U1/%d",
                 "destination_port_node_description": "dir:S02/U1/%d",
                 "name": "dd00000000000001_%d:dd00000000000002_%d"}
                """;
        Cabling cabling =
                read("[" + link.formatted(19, 1, 19, 1, 19, 1) + "," + link.formatted(20, 2, 20, 2, 20, 2) + "]");
        assertThat(cabling.switches())
                .extracting(s -> s.id() + " " + s.chassis() + " " + s.name())
                .containsExactly(
                        "dd00000000000001 dd00000000000000 dir/L01/U1", "dd00000000000002 dd00000000000000 dir/S02/U1");
        assertThat(peers(cabling)).contains("19 dd00000000000002 1", "20 dd00000000000002 2");
    }

    @Test
    void aggregationNodesAndRoutersAreLeftOut() throws Exception {
        Cabling cabling = read("""
                {"systems": [{"guid": "ff00000000000001", "type": "router", "system_name": "way out", "ports": []}],
                 "links": [{"source_guid": "%s", "source_port": "41", "destination_guid": "ff00000000000002",
                  "destination_port": "1", "source_port_node_description": "leaf:41",
                  "destination_port_node_description": "Mellanox Technologies Aggregation Node"},
                  {"source_guid": "%s", "source_port": "40", "destination_guid": "ff00000000000001",
                  "destination_port": "1", "source_port_node_description": "leaf:40"}]}
                """.formatted(LEAF, LEAF));
        assertThat(cabling.aggregationNodes()).isEqualTo(1);
        assertThat(cabling.adapters()).isEmpty();
        assertThat(cabling.switches().getFirst().ports()).hasSize(2).allMatch(port -> port.peer() == null);
        assertThat(messages(cabling)).anyMatch(m -> m.contains("1 routers lead to other subnets"));
    }

    @Test
    void namedPortsOfNewSwitchesGoByTheirNumber() throws Exception {
        Cabling cabling = read("""
                [{"source_guid": "900a840300ac8c40", "source_port": "5", "destination_guid": "9c0591030085abc0",
                  "destination_port": "6", "source_port_dname": "1/3/1", "source_port_name": "900a840300ac8c40_5",
                  "destination_port_dname": "1/3/2", "destination_port_name": "9c0591030085abc0_6", "width": "4x",
                  "source_port_node_description": "sw-ufm-ndr03:1/3/1",
                  "destination_port_node_description": "sw-ufm-ndr04:1/3/2",
                  "name": "900a840300ac8c40_5:9c0591030085abc0_6"}]
                """);
        assertThat(cabling.switches()).extracting(Switch::name).containsExactly("sw-ufm-ndr03", "sw-ufm-ndr04");
        assertThat(peers(cabling)).containsExactly("5 9c0591030085abc0 6", "6 900a840300ac8c40 5");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                the same link again                 | [L,L]                                                                          | 2 links are there more than once
                a link that takes a cabled port     | [L,{"source_guid":"LEAF","source_port":1,"destination_guid":"1","destination_port":1}] | no GUID
                a second cable at one port          | [L,{"source_guid":"LEAF","source_port":1,"destination_guid":"SPINE","destination_port":2}] | had another cable
                a link to itself                    | [L,{"source_guid":"LEAF","source_port":7,"destination_guid":"LEAF","destination_port":7}] | to itself
                an end that UFM does not know       | [L,{"source_guid":"LEAF","source_port":7,"destination_guid":"N/A","destination_port":"N/A"}] | links[2]: a link to nowhere
                an end of zeros                     | [L,{"source_guid":"LEAF","source_port":7,"destination_guid":"0x0000000000000000","destination_port":1}] | links[2]: a link to nowhere
                an end that nobody describes        | {"systems":[S],"links":[L,{"source_guid":"LEAF","source_port":7,"destination_guid":"00000000000000aa","destination_port":1}]} | port 1 of 00000000000000aa, which neither
                a cable that one port mentions      | {"systems":[S],"ports":[P]}                                                     | a cable that only port 1 of LEAF mentions
                a cable that links do not have      | {"systems":[S],"links":[L],"ports":[P,{"name":"SPINE_4","number":4,"peer":"LEAF_4"},{"name":"LEAF_4","number":4,"peer":"SPINE_4"}]} | not among the links
                a port that is there twice          | {"systems":[S],"links":[L],"ports":[P,P]}                                       | is there twice, first
                a system that is there twice        | [S,S,L]                                                                        | is there twice, first
                a description that is none          | [L,{"source_guid":"LEAF","source_port":8,"destination_guid":"SPINE","destination_port":8,"source_port_node_description":[]}] | source_port_node_description is a list
                """)
    void oddThingsAreToldAndTheRestStays(String what, String text, String told) throws Exception {
        String whole = filled(text);
        if (told.equals("no GUID")) {
            assertThatThrownBy(() -> read(whole))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining(told);
            return;
        }
        Cabling cabling = read(whole);
        assertThat(messages(cabling)).as(what).anyMatch(message -> message.contains(filled(told)));
        assertThat(peers(cabling)).as(what).contains("1 " + HCA + " 1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                ''                                                            | u:1: the text is empty
                [                                                             | u:1: the text is cut off
                [L,                                                           | u:4: the text is cut off
                {"links": [L                                                  | u:4: the text is cut off
                {"links": [{"source_guid": "0c42                              | u:1: the text is cut off
                []                                                            | u:1: neither a link nor a system is described
                {}                                                            | u:1: this object is neither
                {"systems": [], "ports": [], "links": []}                     | u:1: neither a link nor a system is described
                null                                                          | u:1: data: null, where a list is expected
                7                                                             | u:1: data: "7", where a list is expected
                [7]                                                           | u:1: data: the list holds "7", not objects only
                [[]]                                                          | u:1: data: the list holds a list
                {"links": null}                                               | u:1: links: null, where a list is expected
                {"links": "none"}                                             | u:1: links: "none", where a list is expected
                {"links": [null]}                                             | u:1: links: the list holds null
                {"systems": {"data": 1}}                                      | u:1: systems: "1", where a list is expected
                [{"source_guid": "0c42a10300021908"}]                         | u:1: links[0]: no source_port
                [{"source_port": "1"}]                                        | u:1: links[0]: no source_guid
                [{"source_guid": {}, "source_port": 1}]                       | u:1: links[0]: no source_guid
                [{"source_guid": "leaf", "source_port": 1}]                   | u:1: links[0].source_guid: "leaf" is no GUID
                [{"source_guid": "LEAF", "source_port": 1.5}]                 | u:1: links[0].source_port: "1.5" is no port
                [{"source_guid": "LEAF", "source_port": -1}]                  | u:1: links[0].source_port: "-1" is no port
                [{"source_guid": "LEAF", "source_port": 70000}]               | u:1: links[0].source_port: "70000" is no port
                [{"source_guid": "LEAF", "source_port": true}]                | u:1: links[0].source_port: "true" is no port
                {"ports": [{"number": 1}]}                                    | u:1: ports[0]: no guid
                {"ports": [{"guid": "LEAF"}]}                                 | u:1: ports[0]: no number
                {"systems": [{"type": "switch"}]}                             | u:1: systems[0]: no system_guid
                {"systems": [{"guid": "LEAF", "ports": [1]}]}                 | u:1: ports: the list holds "1", not names of ports only
                {"systems": [{"guid": "LEAF", "ports": ["1"]}]}               | u:1: ports: the list holds "1", not names of ports only
                {"error": "no such resource"}                                 | u:1: this object is neither a system nor a port nor a link
                <html>                                                        | u:1: this is no JSON that can be read
                [{"a": 01}]                                                   | u:1: this is no JSON that can be read
                [L]]                                                          | u:4: this is no JSON that can be read
                """)
    void whatCannotBeUnderstoodIsNamedByItsPlace(String text, String message) {
        assertThatThrownBy(() -> read(filled(text)))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void nestingHasAnEnd() {
        assertThatThrownBy(() -> read("[".repeat(100_000)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("data: the list holds a list");
        assertThatThrownBy(() -> read("[{\"x\":" + "[".repeat(100_000)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("depth");
        assertThatThrownBy(() -> read("{\"data\":".repeat(100_000)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("depth");
    }

    @Test
    void theCallersTextStaysOpen() throws Exception {
        StringReader text = new StringReader("[" + LINKS + "]");
        UfmReader.read("u", text);
        assertThat(text.read()).isEqualTo(-1);
    }

    private static String filled(String text) {
        return text.replace("\"LEAF", "\"" + LEAF)
                .replace("\"SPINE", "\"" + SPINE)
                .replace(" LEAF ", " " + LEAF + " ")
                .replace("S,S", SYSTEMS + "," + SYSTEMS)
                .replace("[S", "[" + SYSTEMS)
                .replace("P,P", PORTS + "," + PORTS)
                .replace("[P", "[" + PORTS)
                .replace("L,L", LINKS + "," + LINKS)
                .replace(",L]", "," + LINKS + "]")
                .replace("[L", "[" + LINKS.strip());
    }

    private static List<String> messages(Cabling cabling) {
        return cabling.problems().stream().map(Problem::message).toList();
    }

    /** Of the first switch that has any: port, far end, its port. */
    private static List<String> peers(Cabling cabling) {
        return cabling.switches().stream()
                .flatMap(s -> s.ports().stream())
                .filter(port -> port.peer() != null)
                .map(port -> port.number() + " " + port.peer().id() + " "
                        + port.peer().port())
                .toList();
    }

    private static Cabling read(String text) throws IOException, BadInputException {
        return UfmReader.read("u", new StringReader(text));
    }
}
