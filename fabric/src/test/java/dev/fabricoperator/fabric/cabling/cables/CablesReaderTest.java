/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.cables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.topology.Topology;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CablesReaderTest {
    private static final String HEADER = "from,fromPort,to,toPort,speedBitsPerSecond\n";

    @Test
    void thetaHasItsRoutersAndLinks() throws Exception {
        String links = new String(Dump.bytes("fabric/dragonfly-cray-theta/links.csv.gz"), StandardCharsets.UTF_8);
        String table = links.lines()
                .skip(1)
                .map(row -> row.substring(0, row.lastIndexOf(',')) + ",")
                .collect(Collectors.joining("\n", HEADER, "\n"));
        Cabling cabling = read(table);
        assertThat(cabling.switches()).hasSize(864);
        assertThat(cabling.adapters()).isEmpty();
        assertThat(cabling.problems()).isEmpty();
        Topology topology = Topology.of(cabling.switches(), List.of());
        assertThat(topology.links()).isEqualTo(14_688);
    }

    /** Sites whose switches go by rack and name. */
    @Test
    void aTableWithoutASwitchSaysWhatItsSlashesMean() throws Exception {
        assertThat(read("from,to\nr1/leaf1,r1/spine1\nr2/leaf2,r1/spine1\n").problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .startsWith("no switch is among the 3 ends of cables: a name with a slash, such as r1/"));
        assertThat(read("from,to\nn1/ib0,n2/ib0\n").problems()).isEmpty();
    }

    @Test
    void emptyRowsOfASpreadsheetAreNoCables() throws Exception {
        Cabling cabling = read("from,fromPort,to,toPort\na,1,b,1\n,,,\nb,2,c,2\n , ,,\n");
        assertThat(cabling.switches()).extracting(s -> s.id()).containsExactly("a", "b", "c");
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void anEndOnAHostIsADeviceAndEveryOtherOneASwitch() throws Exception {
        Cabling cabling = read(HEADER + """
                # two hosts
                Leaf1,1,h1/mlx5_0,1,100000000000
                "Leaf1", 2 ,h2/mlx5_0,,100000000000

                Leaf1,3,spine1,swp7,
                """);
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("leaf1", "spine1");
        assertThat(cabling.switches().getFirst().name()).isEqualTo("Leaf1");
        assertThat(cabling.adapters())
                .extracting(a -> a.hostname() + " " + a.osName() + " " + a.ports())
                .containsExactly(
                        "h1 mlx5_0 [AdapterPort[number=1, portGuid=null, lid=null, speedBitsPerSecond=100000000000,"
                                + " width=null, peer=PortPeer[id=leaf1, port=1]]]",
                        "h2 mlx5_0 [AdapterPort[number=0, portGuid=null, lid=null, speedBitsPerSecond=100000000000,"
                                + " width=null, peer=PortPeer[id=leaf1, port=2]]]");
        SwitchPort third = cabling.switches().getFirst().ports().get(2);
        assertThat(third.peer()).isEqualTo(new PortPeer("spine1", 7));
        assertThat(cabling.switches().getFirst().ports().getFirst().peerHost()).isEqualTo("h1");
    }

    @Test
    void aNodeGuidWithOneCableIsADeviceUnlessSaidOtherwise() throws Exception {
        String rows = """
                0x0002c90200417670,1,0002:c903:0008:0e84,1,
                0002c90200417670,2,switch:0002c90300080d58,1,
                0002c90200417670,3,device:weird,,
                """;
        Cabling cabling = read(HEADER + rows);
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("0002c90200417670", "0002c90300080d58");
        assertThat(cabling.adapters()).extracting(a -> a.id()).containsExactly("0002c90300080e84", "weird");
        assertThat(cabling.problems()).hasSize(1);
    }

    @Test
    void portsWithoutNumbersGetFreeOnesAndBothEndsAgree() throws Exception {
        Cabling cabling = read("to,from\nb,a\nc,a\n");
        assertThat(cabling.switches())
                .extracting(s -> s.id()
                        + s.ports().stream()
                                .map(p -> p.number() + ">" + p.peer())
                                .toList())
                .containsExactly(
                        "a[1>PortPeer[id=b, port=1], 2>PortPeer[id=c, port=1]]",
                        "b[1>PortPeer[id=a, port=1]]",
                        "c[1>PortPeer[id=a, port=2]]");
    }

    @Test
    void aCableMayBeNamedFromBothEnds() throws Exception {
        Cabling cabling = read(HEADER + "a,1,b,2,5\nb,2,a,1,\n");
        assertThat(cabling.switches()).extracting(s -> s.ports().size()).containsExactly(1, 1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                               | 1 | no header line
            a,b,c                            | 1 | not a header line
            from,to,FROM                     | 1 | column FROM is there twice
            from,to                          | 1 | the table is empty
            from,to\\na,b,c                  | 2 | 3 fields under a header of 2
            from,to\\n"a,b                   | 2 | a quoted field does not end
            from,to\\n,b                     | 2 | no "from"
            from,to\\na b,c                  | 2 | not the id of a switch or device: "a b"
            from,fromPort,to\\na,1,b\\na,1,c | 3 | port 1 of a had another cable on line 2
            from,fromPort,to\\na,65536,b     | 2 | port 65536 is above 65535
            from,fromPort,to,toPort\\na,1,a,01 | 2 | a cable from port 1 of a to itself
            from,to,speedBitsPerSecond\\na,b,-1 | 2 | not a speed
            from,to,speedBitsPerSecond\\na,b,99999999999999999999 | 2 | not a speed
            from,to\\nA,b\\na,c              | 0 |
            from,to\\nAb,b\\naB,c            | 3 | differ in nothing but case
            from,to\\ndevice:a,b\\nswitch:a,c | 3 | a was a device before
            """)
    void whatIsWrongIsNamedWithItsLine(String text, int line, String wrong) throws Exception {
        String table = text.replace("\\n", "\n");
        if (line == 0) {
            assertThat(read(table).switches()).isNotEmpty();
            return;
        }
        assertThatThrownBy(() -> read(table))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("cables.csv:" + line + ": ")
                .hasMessageContaining(wrong);
    }

    private static Cabling read(String text) throws IOException, BadInputException {
        return CablesReader.read("cables.csv", new StringReader(text));
    }
}
