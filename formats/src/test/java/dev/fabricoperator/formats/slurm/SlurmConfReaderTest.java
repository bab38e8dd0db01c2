/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.management.ThreadMXBean;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.topology.HostEnds;
import dev.fabricoperator.fabric.topology.HostEnds.HostDevice;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.io.IOException;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlurmConfReaderTest {
    @Test
    void theTreeThatASiteWroteDownHasTheSwitchesAndLinksOfItsDump() throws Exception {
        String text = new String(Dump.bytes("fabric/ib-qdr-ddr-psmn-x5/X5.topology.conf"), StandardCharsets.UTF_8);
        Cabling tree = read(text);
        Cabling dump = Dump.PSMN.cabling();
        assertThat(tree.switches())
                .extracting(Switch::id)
                .containsExactlyElementsOf(
                        dump.switches().stream().map(Switch::id).toList());
        Set<String> described = joined(tree);
        assertThat(joined(dump)).containsAll(described);
        assertThat(tree.adapters()).hasSize(89);
        assertThat(tree.adapters()).extracting(Adapter::id).contains("78e7d1030024535c", "sl390lin124/");
    }

    @Test
    void keysHaveAnyCaseLinesContinueAndCommentsEnd() throws Exception {
        Cabling cabling = read("""
                # a tree
                SWITCHNAME=Root switches=s[1-2] LinkSpeed=100 # the core
                switchname=s1 \\
                   nodes=n[01-03]
                SwitchName=s2 Nodes=n[08,10],x
                BlockSizes=4
                """);
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("root", "s1", "s2");
        assertThat(cabling.switches().getFirst().name()).isEqualTo("Root");
        assertThat(cabling.adapters())
                .extracting(Adapter::hostname)
                .containsExactly("n01", "n02", "n03", "n08", "n10", "x");
        assertThat(cabling.switches().get(1).ports().getFirst().peer()).isEqualTo(new PortPeer("n01/", 0));
        assertThat(cabling.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "reported",
                "SwitchName = leaf1  Nodes = \"cn[01-02]\"\nSwitchName=\"leaf2\" Nodes=\" cn03, cn04 \" LinkSpeed = \"1 x\"\n"
                        + "SwitchName =top Switches= \"leaf1, leaf2\"\n",
                "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=cn[01-02]\nSwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=cn[03-04]\n"
                        + "SwitchName=top Level=1 LinkSpeed=1 Nodes=cn[01-04] Switches=leaf[1-2]\n",
            })
    void quotesBlanksAndWhatScontrolShowsAreTheSameTree(String text) throws Exception {
        Cabling cabling = read(
                text.equals("reported")
                        ? new String(Dump.bytes("reported/quoted-topology.conf"), StandardCharsets.UTF_8)
                        : text);
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("leaf1", "leaf2", "top");
        assertThat(cabling.adapters())
                .extracting(a -> a.id() + " " + a.ports().getFirst().peer())
                .containsExactly(
                        "cn01/ " + new PortPeer("leaf1", 1),
                        "cn02/ " + new PortPeer("leaf1", 2),
                        "cn03/ " + new PortPeer("leaf2", 1),
                        "cn04/ " + new PortPeer("leaf2", 2));
        assertThat(cabling.adapters()).allSatisfy(a -> assertThat(a.ports()).hasSize(1));
        assertThat(joined(cabling)).contains("top leaf1", "top leaf2");
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void scontrolsTreeHasEachHostOnce() throws Exception {
        Cabling cabling = read(new String(Dump.bytes("reported/scontrol-show-topology.conf"), StandardCharsets.UTF_8));
        assertThat(cabling.adapters())
                .extracting(Adapter::hostname)
                .containsExactly("tux0", "tux1", "tux2", "tux3", "tux4", "tux5", "tux6", "tux7");
        assertThat(cabling.switches().getLast().ports()).hasSize(2);
    }

    /** As of a tree whose root has nodes that no rack is known of, and whose middle has a service node. */
    @Test
    void hostsThatScontrolShowsAtASwitchAboveOthersAloneAreItsOwn() throws Exception {
        Cabling cabling = read("""
                SwitchName=root Level=2 LinkSpeed=1 Nodes=w-[0-3],dynamic-0,service-1 Switches=pod
                SwitchName=a Level=0 LinkSpeed=1 Nodes=w-[0-1]
                SwitchName=pod Level=1 LinkSpeed=1 Nodes=w-[0-3],service-1 Switches=a,b
                SwitchName=b Level=0 LinkSpeed=1 Nodes=w-[2-3]
                """);
        Map<String, String> at = new HashMap<>();
        cabling.adapters()
                .forEach(a -> at.put(
                        String.valueOf(a.hostname()),
                        String.valueOf(a.ports().getFirst().peer()).replaceAll(".*id=(\\w+),.*", "$1")));
        assertThat(cabling.adapters()).allSatisfy(a -> assertThat(a.ports()).hasSize(1));
        assertThat(at)
                .isEqualTo(Map.of(
                        "w-0", "a", "w-1", "a", "w-2", "b", "w-3", "b", "service-1", "pod", "dynamic-0", "root"));
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void listsThatNameTheSameHostsAtEachLevelHaveABound() {
        StringBuilder text = new StringBuilder("SwitchName=a Nodes=x\n");
        for (char name = 'b'; name <= 'g'; name++) {
            text.append("SwitchName=" + name + " Level=1 LinkSpeed=1 Switches=a Nodes=n[0-199999]\n");
        }
        assertBad(text.toString(), Map.of(), "topology.conf:7: a list that stands for too many hosts");
        assertBad(
                "SwitchName=a Nodes=x\nSwitchName=b Level=up Switches=a Nodes=x",
                Map.of(),
                "topology.conf:2: not a level");
    }

    @Test
    void scontrolsBlocksAreThoseOfTheConfiguration() throws Exception {
        Cabling cabling = read("""
                BlockName=b0 BlockIndex=0 Nodes=n[0-1] BlockSize=2
                BlockName=b1 BlockIndex=1 Nodes=n[2-3] BlockSize=2
                AggregatedBlock=b[0-1] BlockIndex=2 Nodes=n[0-3] BlockSize=4
                """);
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("b0", "b1");
        assertThat(cabling.adapters()).hasSize(4);
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void includedTextsStandForTheirLines() throws Exception {
        Map<String, String> files = Map.of(
                "racks/a.conf",
                "SwitchName=s1 Nodes=n[1-2]\ninclude deeper.conf\n",
                "deeper.conf",
                "SwitchName=s2 Nodes=n3\n");
        Cabling cabling =
                read("SwitchName=root Switches=s[1-2]\nINCLUDE \\\n\tracks/a.conf # of the first rack\n", files);

        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("root", "s1", "s2");
        assertThat(cabling.adapters()).extracting(Adapter::hostname).containsExactly("n1", "n2", "n3");
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void aTextThatIsAllThereIsSaysOnWhichLineItIncludesOthers() throws Exception {
        Cabling cabling = read("SwitchName=a Nodes=n[1-2]\nInclude more.conf\n");

        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("a");
        assertThat(cabling.problems())
                .extracting(Problem::line, Problem::message)
                .containsExactly(
                        tuple(2, "Include more.conf is not followed: no file is beside this text: put its lines here"));
    }

    /** The limit is no measure of speed: work that grows with the square of a line would take many minutes. */
    @Test
    @Timeout(60)
    void manyBlanksBehindAnIncludedNameDelayNobody() throws Exception {
        Cabling cabling = read("SwitchName=a Nodes=n[1-2]\n  Include  b" + " ".repeat(400_000) + "c \t\n");
        assertThat(cabling.switches()).extracting(Switch::id).containsExactly("a");
        assertThat(cabling.problems()).extracting(Problem::line).containsExactly(2);
    }

    @Test
    void whatIsWrongWithAnIncludedTextIsNamedThere() throws Exception {
        assertBad("SwitchName=a\nInclude b", Map.of("b", "\n\nhello"), "b:3: not Key=value: hello");
        assertBad("SwitchName=a\nInclude b", Map.of("b", "\nSwitchName=a"), "b:2: switch a is described twice");
        assertBad("SwitchName=a\nInclude b", Map.of("b", "SwitchName=c Nodes=n[1-"), "b:1: a bracket is not closed");
        assertBad("SwitchName=a\nInclude b", Map.of(), "topology.conf:2: Include b: no such file");
        assertThat(read("SwitchName=a\nInclude b", Map.of("b", "SwitchName=c More=1"))
                        .problems())
                .extracting(Problem::line, Problem::message)
                .containsExactly(tuple(2, "b:1: key more is not read"));
    }

    @Test
    void includedTextsHaveAnEnd() {
        assertBad(
                "Include topology.conf",
                Map.of("topology.conf", ""),
                "topology.conf:1: Include topology.conf: that file includes");
        assertBad(
                "Include a",
                Map.of("a", "Include b", "b", "\nInclude a"),
                "b:2: Include a: that file includes this one");
        Map<String, String> chain = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            chain.put("f" + i, "Include f" + (i + 1));
        }
        assertBad("Include f0", chain, "f7:1: Include f8: more than 8 within one another");
        Map<String, String> doubling = new HashMap<>();
        for (int i = 0; i < 8; i++) {
            doubling.put("f" + i, ("Include f" + (i + 1) + "\n").repeat(20));
        }
        doubling.put("f8", "# nothing");
        assertBad("Include f1", doubling, "1024 in all");
    }

    @Test
    void blocksAreSwitches() throws Exception {
        assertThat(read("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\n")
                        .switches())
                .hasSize(2);
    }

    @Test
    void aHostBelowSeveralSwitchesHasAPortForEach() throws Exception {
        Cabling cabling = read("SwitchName=b Nodes=n\nSwitchName=a Nodes=n\nSwitchName=c Switches=a,b\n");
        assertThat(cabling.adapters())
                .singleElement()
                .satisfies(host -> assertThat(host.ports())
                        .extracting(port -> port.number(), port -> port.peer())
                        .containsExactly(tuple(0, new PortPeer("a", 2)), tuple(1, new PortPeer("b", 2))));
        assertThat(cabling.switches().get(1).ports().getLast().peer()).isEqualTo(new PortPeer("n/", 1));
    }

    @Test
    void listsHaveSeveralBrackets() throws Exception {
        // As slurmctld prints names of GUIDs.
        assertThat(HostList.expand("H-0002c[90300048208,90300048248-90300048249]", 10))
                .containsExactly("H-0002c90300048208", "H-0002c90300048248", "H-0002c90300048249");
        assertThat(HostList.expand("r[1-2]n[08-09],y", 10)).containsExactly("r1n08", "r1n09", "r2n08", "r2n09", "y");
        List<String> names = List.of("n08", "n09", "n10", "n1", "n2", "x");
        assertThat(HostList.compress(names)).isEqualTo("x,n[1-2],n[08-10]");
        assertThat(HostList.expand(HostList.compress(names), 10)).containsExactlyInAnyOrderElementsOf(names);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                       | 1 | the topology is empty
            hello                                    | 1 | not Key=value: hello
            Switches=a                               | 1 | neither SwitchName= nor BlockName=
            SwitchName=a Nodes=n[1-                  | 1 | a bracket is not closed
            SwitchName=a Nodes=n]1[                  | 1 | brackets do not match
            SwitchName=a Nodes=n[[1]]                | 1 | brackets do not match
            SwitchName=a Nodes=n[3-1]                | 1 | not a range of numbers
            SwitchName=a Nodes=n[0-999999999]        | 1 | too many hosts
            SwitchName=a Nodes=n[0-9999][0-9999]     | 1 | too many hosts
            SwitchName=a Nodes=n[0-99999999999]      | 1 | too many hosts
            SwitchName=a Nodes=n[0-9999999999999999999] | 1 | not a range of numbers
            SwitchName=a Nodes=x\\nSwitchName=a Nodes=y | 2 | switch a is described twice
            SwitchName=a Switches=a                  | 1 | switch a is below itself
            SwitchName=a Nodes=x nodes=y             | 1 | key nodes is there twice
            SwitchName=a Nodes="x                    | 1 | a quotation mark is not closed
            SwitchName=a Nodes=x"y"                  | 1 | a quotation mark within a value
            SwitchName=a Nodes=x "y"=z               | 1 | not Key=value
            SwitchName=a Nodes=x, y                  | 1 | not Key=value: y
            """)
    void whatIsWrongIsNamedWithItsLine(String text, int line, String wrong) {
        assertThatThrownBy(() -> read(text.replace("\\n", "\n")))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("topology.conf:" + line + ": ")
                .hasMessageContaining(wrong);
    }

    /** Names are counted, and their characters too: this list stands for 10 GB of them. */
    @Test
    void aListOfLongNamesIsRefusedBeforeTheyAreMade() {
        String list = "n[00001-99999]" + "x".repeat(100_000);
        assertThatThrownBy(() -> HostList.expand(list, 1 << 18))
                .isInstanceOf(HostList.BadHostList.class)
                .hasMessageContaining("a name of more than 253 characters");
        assertThatThrownBy(() -> read("SwitchName=a\nSwitchName=b Nodes=" + list))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("topology.conf:2: ");
        assertThatThrownBy(() -> HostList.expand("n[0-99999]" + "x".repeat(240), 1 << 18))
                .isInstanceOf(HostList.BadHostList.class)
                .hasMessageContaining("too many hosts");
        assertThatThrownBy(() -> HostList.expand("n" + "[0-1]".repeat(18) + "[7]".repeat(100_000), 1 << 18))
                .isInstanceOf(HostList.BadHostList.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "n[0-999999999]",
                "n[1-9999][1-9999][1-9999]",
                "n[1-2][0-262144]",
                "n[1,5-262200]",
                "n[0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999,0-999999999999999999]"
            })
    void aListOfTooManyNamesIsRefusedBeforeANumberIsMade(String list) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The first time classes are loaded.
        for (int i = 0; i < 2; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> HostList.expand(list, 1 << 18))
                    .isInstanceOf(HostList.BadHostList.class)
                    .hasMessageContaining("too many hosts");
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(1 << 16);
    }

    private static Set<String> joined(Cabling cabling) {
        Set<String> switches = new TreeSet<>();
        cabling.switches().forEach(s -> switches.add(s.id()));
        Set<String> joined = new TreeSet<>();
        for (Switch node : cabling.switches()) {
            node.ports().forEach(port -> {
                PortPeer peer = port.peer();
                if (peer != null && switches.contains(peer.id())) {
                    joined.add(node.id() + " " + peer.id());
                }
            });
        }
        return joined;
    }

    private static void assertBad(String text, Map<String, String> files, String message) {
        assertThatThrownBy(() -> read(text, files))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(message);
    }

    private static Cabling read(String text, Map<String, String> files) throws IOException, BadInputException {
        return SlurmConfReader.read("topology.conf", new StringReader(text), name -> {
            String included = files.get(name);
            if (included == null) {
                throw new IOException("no such file");
            }
            return new TextsBeside.IncludedText(name, new StringReader(included));
        });
    }

    /** A GUID is looked for as a whole, and cannot be copied out of brackets. */
    @Test
    void guidsAreNotFolded() {
        assertThat(HostList.compress(List.of("0002c90300048208", "0002c90300048248", "n1", "n2")))
                .isEqualTo("0002c90300048208,0002c90300048248,n[1-2]");
    }

    private static Cabling read(String text) throws IOException, BadInputException {
        return SlurmConfReader.read("topology.conf", new StringReader(text));
    }

    @Test
    void aTreeOfSlurmHoldsTheDevicesOfItsHosts() throws Exception {
        String guid = "b83fd2030000000";
        String conf = "SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\n";
        SortedMap<String, Switch> tree = new TreeMap<>();
        SlurmConfReader.read("topology.conf", new StringReader(conf)).switches().forEach(s -> tree.put(s.id(), s));
        List<HostDevice> devices = new ArrayList<>();
        List<Vertex> vertices = new ArrayList<>();
        for (int n = 1; n <= 4; n++) {
            devices.add(new HostDevice(
                    new PortPeer(guid + n, 1),
                    "n" + n,
                    "k8s-n" + n,
                    "mlx5_0",
                    "ib0",
                    "02:00:00:00:00:0" + n,
                    Family.InfiniBand,
                    true));
            vertices.add(new Vertex(n - 1, guid + n, 1, "n" + n));
        }
        assertThat(HostEnds.areIn(tree.values())).isTrue();
        SortedMap<String, Switch> found = HostEnds.found(tree, devices);
        assertThat(HostEnds.areIn(found.values())).isFalse();
        Topology topology = Topology.of(found.values(), vertices);
        assertThat(topology.ends()).isEqualTo(4);
        assertThat(topology.links()).isEqualTo(6);
        assertThat(topology.switchId(topology.endSwitch(0))).isEqualTo("s1");
        assertThat(topology.switchId(topology.endSwitch(3))).isEqualTo("s2");
    }
}
