/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.testdata.Dump;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IbnetdiscoverReaderTest {
    static final String SWITCH = "S-0000000000000001";
    static final String ADAPTER = "H-00000000000000a1";
    static final String SMALL = """
            #
            # Topology file: generated on Tue Feb 23 14:02:12 2021
            #
            # Initiated from node 00000000000000a1 port 00000000000000a1

            vendid=0x2c9
            devid=0xd2f0
            sysimgguid=0x1
            switchguid=0x1(1)
            Switch\t41 "S-0000000000000001"\t\t# "MF0;leaf:MQM8700/U1" enhanced port 0 lid 7 lmc 0
            [3]\t"H-00000000000000a1"[1](a1) \t\t# "node1 mlx5_0" lid 9 4xHDR
            [4]\t"H-00000000000000a2"[2](a4) \t\t# "node2 mlx5_0" lid 10 4xHDR

            vendid=0x2c9
            devid=0x101b
            sysimgguid=0xa1
            caguid=0xa1
            Ca\t1 "H-00000000000000a1"\t\t# "node1 mlx5_0"
            [1](a1) \t"S-0000000000000001"[3]\t\t# lid 9 lmc 0 "MF0;leaf:MQM8700/U1" lid 7 4xHDR

            vendid=0x2c9
            devid=0x101b
            sysimgguid=0xa2
            caguid=0xa2
            Ca\t2 "H-00000000000000a2"\t\t# "node2 mlx5_0"
            [2](a4) \t"S-0000000000000001"[4]\t\t# lid 10 lmc 0 "MF0;leaf:MQM8700/U1" lid 7 4xHDR
            """;

    static List<Dump> dumps() {
        return Dump.all();
    }

    private static Cabling reported(String file) {
        return read(new String(Dump.bytes("reported/" + file), StandardCharsets.UTF_8));
    }

    @Test
    void devicesWithTheStableNamesOfRdmaCoreHaveTheirHosts() {
        Cabling cabling = reported("gb200-pcidomain-ibnetdiscover.txt");
        assertThat(cabling.adapters())
                .extracting(a -> a.hostname() + "/" + a.osName())
                .containsExactly(
                        "tray01/ibp3s0",
                        "tray01/ibP2p3s0",
                        "tray01/ibP16p3s0",
                        "tray01/ibP18p3s0",
                        "tray02/ibp3s0",
                        "tray02/ibP2p3s0");
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void hostsThatAreCalledLikeMakersAndWhatStandsBehindAColonAreUnderstood() {
        Cabling cabling = reported("hostname-forms-ibnetdiscover.txt");
        assertThat(cabling.adapters())
                .extracting(Adapter::hostname)
                .containsExactly("sun", "dell01", "gpu-a", "hca01", "GPU_NODE-7", "n1");
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void hostsThatAreNotUnderstoodAreOneWarningWithTheirNumber() {
        String text = SMALL.replace("node1 mlx5_0", "Rack 1, node 1").replace("node2 mlx5_0", "Rack 1, node 2");
        Cabling cabling = read(text);
        assertThat(cabling.adapters()).extracting(Adapter::hostname).containsOnlyNulls();
        assertThat(cabling.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.message()).startsWith("2 adapters ").contains("\"Rack 1, node 1\"");
            assertThat(text.lines().toList().get(Objects.requireNonNull(problem.line()) - 1))
                    .startsWith("Ca")
                    .contains("Rack 1, node 1");
        });
    }

    private static Cabling read(String text) {
        try {
            return IbnetdiscoverReader.read("dump", new StringReader(text));
        } catch (IOException | BadInputException e) {
            throw new AssertionError(e);
        }
    }

    static BadInputException bad(String text) {
        BadInputException bad = catchThrowableOfType(
                BadInputException.class, () -> IbnetdiscoverReader.read("dump", new StringReader(text)));
        assertThat(bad).as("an error for this dump").isNotNull();
        assertThat(bad.getMessage()).startsWith("dump:" + bad.line() + ": ");
        return bad;
    }

    @Test
    void readsSwitchesAdaptersAndCables() {
        Cabling cabling = read(SMALL);

        assertThat(cabling.problems()).isEmpty();
        Switch leaf = cabling.switches().getFirst();
        assertThat(leaf.id()).isEqualTo("0000000000000001");
        assertThat(leaf.name()).isEqualTo("leaf");
        assertThat(leaf.vendor()).isEqualTo("Mellanox");
        assertThat(leaf.model()).isEqualTo("MQM8700");
        assertThat(leaf.ports().getFirst())
                .isEqualTo(new SwitchPort(
                        3,
                        new PortPeer("00000000000000a1", 1),
                        PortState.Active,
                        200_000_000_000L,
                        4,
                        7,
                        "node1",
                        "mlx5_0",
                        NodeType.Device));

        Adapter second = cabling.adapters().get(1);
        assertThat(second.hostname()).isEqualTo("node2");
        assertThat(second.osName()).isEqualTo("mlx5_0");
        assertThat(second.vendorId()).isEqualTo("2c9");
        assertThat(second.deviceId()).isEqualTo("101b");
        assertThat(second.ports()).hasSize(2);
        assertThat(second.ports().getFirst().peer()).isNull();
        assertThat(second.ports().getLast().portGuid()).isEqualTo("00000000000000a4");
        assertThat(second.ports().getLast().lid()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "4xSDR, 10",
        "4xDDR, 20",
        "4xQDR, 40",
        "4xFDR10, 40",
        "4xFDR, 56",
        "4xEDR, 100",
        "4xHDR, 200",
        "4xNDR, 400",
        "4xXDR, 800",
        "1xEDR, 25",
        "2xHDR, 100",
        "8xQDR, 80",
        "12xDDR, 60",
    })
    void ratesAreTheNominalOnes(String rate, long gigabits) {
        Cabling cabling = read(SMALL.replace("4xHDR", rate));
        assertThat(cabling.switches().getFirst().ports().getFirst().speedBitsPerSecond())
                .isEqualTo(gigabits * 1_000_000_000L);
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void anUnknownRateIsUnknownAndAProblem() {
        Cabling cabling = read(SMALL.replace("4xHDR", "4x???"));
        assertThat(cabling.switches().getFirst().ports().getFirst().speedBitsPerSecond())
                .isNull();
        assertThat(cabling.problems()).hasSize(4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "he said \"no\"",
                "a # b",
                "x\" lid 3 4xHDR \"y",
                "[1]",
                "",
                "  ",
                "\u00e9\ufffd\u4e2d",
                "tab\there",
            })
    void descriptionsMayHoldAnything(String description) {
        Cabling cabling = read(SMALL.replace("node1 mlx5_0", description));
        assertThat(cabling.adapters()).hasSize(2);
        assertThat(cabling.adapters().getFirst().ports().getFirst().lid()).isEqualTo(9);
    }

    @Test
    void switchesOfOneDirectorShareAChassis() {
        String second = """
            vendid=0x2c9
            devid=0xd2f0
            sysimgguid=0x1
            switchguid=0x5(5)
            Switch\t41 "S-0000000000000005"\t\t# "MF0;leaf:MQM8700/U2" enhanced port 0 lid 8 lmc 0

            """;
        int at = SMALL.indexOf("vendid=");
        String byImage = SMALL.substring(0, at) + second + SMALL.substring(at);
        assertThat(read(byImage).switches())
                .extracting(Switch::chassis)
                .containsExactly("0000000000000001", "0000000000000001");

        String apart = byImage.replaceFirst("sysimgguid=0x1\n", "sysimgguid=0x5\n");
        assertThat(read(apart).switches()).extracting(Switch::chassis).containsOnlyNulls();

        String grouped = apart.replace("sysimgguid=0x1\n", "sysimgguid=0x1\t\t# Chassis 3\n")
                .replace("sysimgguid=0x5\n", "sysimgguid=0x5\t\t# Chassis 3\n");
        assertThat(read(grouped).switches())
                .extracting(Switch::chassis)
                .containsExactly("0000000000000001", "0000000000000001");

        String underOneLine = "\nChassis 1 (guid 0x9) ports\n"
                + apart.replace("vendid=0x2c9\ndevid=0x101b", "Non-Chassis Nodes\n\nvendid=0x2c9\ndevid=0x101b");
        assertThat(read(underOneLine).switches())
                .extracting(Switch::chassis)
                .containsExactly("0000000000000001", "0000000000000001");
    }

    @Test
    void toleratesOtherLayoutsOfTheSameTool() {
        String grouped = SMALL.replace("switchguid=0x1(1)", "switchguid=0x1(1) Spine 1 Chip 2")
                .replace("sysimgguid=0x1\n", "sysimgguid=0x1\t\t# Chassis 1\n")
                .replace("[3]\t\"H", "[3][ext 17]\t\"H")
                .replace("\"[3]\t", "\"[3][ext 17]\t")
                .replace("4xHDR\n", "4xHDR s=16 w=2 v=3 m=5\n")
                .replace("# Initiated", "Chassis 1 (guid 0x1)\n# Initiated");
        assertThat(read(grouped).switches().getFirst().ports()).hasSize(2);

        String windows = SMALL.replace("\n", "\r\n");
        assertThat(read(windows).adapters()).hasSize(2);

        String bare = SMALL.replaceAll("\\t\\t# .*", "").replace("Ca\t1", "Ca 1");
        assertThat(read(bare).adapters())
                .allSatisfy(a -> assertThat(a.hostname()).isNull());

        String of2007 = SMALL.replace("vendid=0x2c9\ndevid=0xd2f0", "Non-Chassis Nodes\n\nvendid=0x2c9\ndevid=0xd2f0")
                .replace("switchguid=0x1(1)", "switchguid=0x1")
                .replaceAll("\"MF0;leaf:MQM8700/U1\" lid 7 4xHDR", "")
                .replaceAll(" 4xHDR", "");
        assertThat(read(of2007).adapters().getFirst().ports().getFirst().lid()).isEqualTo(9);
        assertThat(read(of2007).problems()).isEmpty();

        String noisy = "ibwarn: [4711] _do_madrpc: send failed; Invalid argument\n" + SMALL
                + "src/query_smp.c:227; umad (DR path slid 0; dlid 0; 0,1,3 Attr 0x11:0) bad status 110\n";
        assertThat(read(noisy).problems()).hasSize(2);

        assertThat(read(SMALL.stripTrailing()).adapters()).hasSize(2);
    }

    @Test
    void routersAndAggregationNodesAreNeitherSwitchNorAdapter() {
        String routed = SMALL.replace("caguid=0xa2", "rtguid=0xa2")
                .replace("Ca\t2 \"H-", "Rt\t2 \"R-")
                .replace("H-00000000000000a2", "R-00000000000000a2");
        Cabling cabling = read(routed);
        assertThat(cabling.adapters()).hasSize(1);
        assertThat(cabling.switches().getFirst().ports().getLast().peer()).isNull();

        Cabling aggregating = read(SMALL.replace("node2 mlx5_0", "Mellanox Technologies Aggregation Node"));
        assertThat(aggregating.aggregationNodes()).isEqualTo(1);
        assertThat(aggregating.adapters()).hasSize(1);
        assertThat(aggregating.switches().getFirst().ports().getLast().peer()).isNull();
    }

    @Test
    void aCableThatOneEndDoesNotMentionIsAProblem() {
        String oneWay = SMALL.replaceAll("(?m)^\\[3\\].*\\n", "");
        assertThat(read(oneWay).problems())
                .singleElement()
                .satisfies(p -> assertThat(p.line()).isEqualTo(18));
    }

    @Test
    void theSameRecordTwiceIsAProblemAndAContradictionAnError() {
        assertThat(read(SMALL + SMALL).problems()).isNotEmpty();
        assertThat(bad(SMALL + SMALL.replace("Ca\t2", "Ca\t1")).getMessage()).contains("something else");
        assertThat(bad(SMALL + SMALL.replace("[3]", "[5]")).getMessage()).contains("another cable");
    }

    static List<String> torn() {
        List<String> torn = new ArrayList<>(List.of(
                "",
                "\n\n",
                "# Topology file: generated on Tue Feb 23 14:02:12 2021\n",
                "\u0000\u0001\u0002",
                "PK\u0003\u0004\u0014",
                "{\"kind\": \"List\"}",
                "SwitchName=leaf Nodes=n[1-4]\n",
                "[1]\t\"S-0000000000000001\"[3]\t\t# lid 9 lmc 0 \"x\" lid 7 4xHDR\n",
                SMALL + "vendid=0x2c9\n",
                SMALL + "garbage\n",
                SMALL.replace("[3]\t\"H", "[42]\t\"H"),
                SMALL.replace("[3]\t\"H", "[0]\t\"H"),
                SMALL.replace("[3]\t\"H", "[99999999999999999999]\t\"H"),
                SMALL.replace("[3]\t\"H", "[-3]\t\"H"),
                SMALL.replace("[3]\t\"H", "[3\t\"H"),
                SMALL.replace("Switch\t41", "Switch\t100000"),
                SMALL.replace("Switch\t41", "Switch\tmany"),
                SMALL.replace("switchguid=0x1(", "switchguid=0x2("),
                SMALL.replace("sysimgguid=0xa1\n", "sysimgguid=0xa1zz\n"),
                SMALL.replace("vendid=0x2c9\ndevid=0x101b", "vendid=\ndevid=0x101b"),
                SMALL.replace("\"[1](a1)", "\"[2](a1)"),
                SMALL.replace("\"[1](a1)", "\"[1](a1"),
                SMALL.replace("S-0000000000000001\"[4]", "S-00000000000000000001\"[4]"),
                SMALL.replace("H-00000000000000a1\"[1]", "S-00000000000000a1\"[1]"),
                SMALL.replace("Ca\t1 \"H-00000000000000a1\"\t\t# \"node1 mlx5_0\"\n", ""),
                SMALL.replace("S-0000000000000001\"\t\t#", "S-0000000000000000\"\t\t#")));
        return torn;
    }

    @ParameterizedTest
    @MethodSource("torn")
    void tornTextIsAnErrorThatNamesTheLine(String text) {
        assertThat(bad(text).line()).isPositive();
    }

    @Test
    void theTruncatedDumpOfTopographIsAnError() {
        String text =
                new String(Dump.bytes("fabric/ib-ndr-dgx-topograph/truncated-single-ca.txt"), StandardCharsets.UTF_8);
        assertThat(bad(text).getMessage()).contains("no cable");
    }

    /** Every prefix, but for those that lack only the last line feed. */
    @Test
    void aDumpThatWasCutAnywhereIsAnError() {
        for (int length = 0; length < SMALL.length() - 1; length++) {
            bad(SMALL.substring(0, length));
        }
        String fdr10 = SMALL.replace("4xHDR", "4xFDR10").stripTrailing();
        bad(fdr10.substring(0, fdr10.length() - 1));
        bad(fdr10.substring(0, fdr10.length() - 2));
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void aRecordedDumpThatWasCutAnywhereIsAnError(Dump dump) {
        String text = dump.text().stripTrailing();
        Random random = new Random(42);
        for (int i = 0; i < 12; i++) {
            bad(text.substring(0, random.nextInt(text.length())));
            bad(text.substring(0, text.length() - 1 - random.nextInt(200)));
        }
    }
}
