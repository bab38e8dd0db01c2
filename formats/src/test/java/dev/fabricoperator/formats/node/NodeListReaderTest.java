/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.HostEnds;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes are written after the documentation of those who label them; none was recorded. */
class NodeListReaderTest {
    private static final List<String> KEYS = List.of("site/spine", "site/leaf");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            topology.k8s.aws/network-node-layer-1=nn-a topology.k8s.aws/network-node-layer-2=nn-b topology.k8s.aws/network-node-layer-3=nn-c | nn-a>nn-b nn-b>nn-c nn-c>n1
            topology.k8s.aws/network-node-layer-1=nn-a topology.k8s.aws/network-node-layer-2=nn-b topology.k8s.aws/network-node-layer-3=nn-c topology.k8s.aws/network-node-layer-4=nn-d | nn-a>nn-b nn-b>nn-c nn-c>nn-d nn-d>n1
            cloud.google.com/gce-topology-block=3e3056e23cf91a5cb4a8621b6a52c100 cloud.google.com/gce-topology-subblock=0fc09525cbd5abd734342893ca1c083f cloud.google.com/gce-topology-host=h | 3e3056e23cf91a5cb4a8621b6a52c100>0fc09525cbd5abd734342893ca1c083f 0fc09525cbd5abd734342893ca1c083f>n1
            oci.oraclecloud.com/rdma.hpc_island_id=af7ubvouuyq oci.oraclecloud.com/rdma.network_block_id=7xmzl4p4wba oci.oraclecloud.com/rdma.local_block_id=4tjxbt4s6ua oci.oraclecloud.com/rdma.host_id=ab3zs7y7v7q | 7xmzl4p4wba>4tjxbt4s6ua 4tjxbt4s6ua>n1 af7ubvouuyq>7xmzl4p4wba
            ib.coreweave.cloud/fabric=us-east-04a-ib1 ib.coreweave.cloud/superpod=1 ib.coreweave.cloud/leafgroup=7 | us-east-04a-ib1>us-east-04a-ib1.superpod-1 us-east-04a-ib1.superpod-1>us-east-04a-ib1.superpod-1.leafgroup-7 us-east-04a-ib1.superpod-1.leafgroup-7>n1
            backend.coreweave.cloud/fabric=f backend.coreweave.cloud/leafgroup=12 backend.coreweave.cloud/flavor=roce | f>f.leafgroup-12 f.leafgroup-12>n1
            kubernetes.azure.com/ppg=near | near>n1
            nvidia.com/gpu.clique=7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1 | 7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1>n1
            """)
    void labelsOfEachCloudAreFoundAndMakeItsTree(String labels, String tree) throws Exception {
        Cabling cabling = read(list(node("n1", labels)), List.of());
        assertThat(below(cabling)).containsExactlyInAnyOrder(tree.split(" "));
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void aNetworkAndTheCliquesInItAreBothRead() throws Exception {
        String labels =
                "nvidia.com/gpu.clique=c.1 cloud.google.com/gce-topology-block=b cloud.google.com/gce-topology-subblock=s";
        assertThat(below(read(list(node("n1", labels)), List.of()))).containsExactlyInAnyOrder("b>s", "s>n1", "c.1>n1");
        Cabling both = read(list(node("n1", labels)), List.of());
        assertThat(both.switches().stream().filter(NvlinkClique::is).map(Switch::id))
                .containsExactly("c.1");
        assertThat(both.adapters().stream().map(Adapter::id)).containsExactly("n1/", "n1/nvlink");
        List<OfflineFabric> fabrics = OfflineFabrics.of(both);
        assertThat(fabrics.stream().map(OfflineFabric::name)).containsExactlyInAnyOrder("infiniband-0", "nvlink-0");
        assertThat(fabrics.stream().flatMap(fabric -> fabric.devices().stream()))
                .extracting(Device::family, Device::type)
                .containsExactlyInAnyOrder(
                        tuple(Family.InfiniBand, DeviceType.OpenFabrics), tuple(Family.NVLink, DeviceType.Gpu));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nvidia.com/gpu.clique",
                "network.topology.nvidia.com/accelerator",
                "accelerator.topograph.run/domain"
            })
    void cliquesAreOneFabricWithAGroupEach(String key) throws Exception {
        Cabling cabling = read(
                list(
                        node("n1", key + "=a.0"),
                        node("n2", key + "=a.0"),
                        node("n3", key + "=b.0"),
                        node("n4", key + "=b.0")),
                List.of(key));
        List<OfflineFabric> fabrics = OfflineFabrics.of(cabling);
        assertThat(fabrics.stream().map(OfflineFabric::name)).containsExactly("nvlink-0");
        FabricModel model = fabrics.getFirst().model();
        assertThat(model.groups()).isEqualTo(2);
        assertThat(model.findings()).isEmpty();
        assertThat(model.cost().cost(0, 1)).isEqualTo(20);
        assertThat(model.cost().cost(0, 2)).isEqualTo(CostMatrix.UNREACHABLE);
    }

    @Test
    void keysThatAreNamedMakeTheTree() throws Exception {
        String text = list(node("n1", "site/spine=s site/leaf=a"), node("n2", "site/spine=s site/leaf=b"));
        assertThat(below(read(text, KEYS))).containsExactlyInAnyOrder("s>s.a", "s>s.b", "s.a>n1", "s.b>n2");
        assertThat(below(read(text, List.of("site/leaf")))).containsExactlyInAnyOrder("a>n1", "b>n2");
    }

    /** Racks of each row are counted from 1. */
    @Test
    void aNumberIsABlockOfItsParent() throws Exception {
        String text = list(node("n1", "site/spine=1 site/leaf=1"), node("n2", "site/spine=2 site/leaf=1"));
        assertThat(below(read(text, KEYS)))
                .containsExactlyInAnyOrder(
                        "spine-1>spine-1.leaf-1", "spine-2>spine-2.leaf-1", "spine-1.leaf-1>n1", "spine-2.leaf-1>n2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"kind": "NodeList", "items": [{"metadata": {"name": "n1", "labels": {"site/leaf": "a"}}, "spec": {"x": [{}]}}]}
            {"kind": "Node", "metadata": {"labels": {"site/leaf": "a"}, "name": "n1"}}
            [{"metadata": {"labels": {"site/leaf": "a", "n": null}, "name": "n1"}, "kind": "Node"}]
            """)
    void nodesAreReadAsAnyCommandPrintsThem(String text) throws Exception {
        assertThat(below(read(text, List.of("site/leaf")))).containsExactly("a>n1");
        assertThat(below(read("\uFEFF" + text + "\n" + text.replace("n1", "n2"), List.of("site/leaf"))))
                .containsExactly("a>n1", "a>n2");
    }

    @Test
    void nodesThatLackLabelsAreCountedWithAnExample() throws Exception {
        Cabling cabling = read(
                list(
                        node("n1", "site/spine=s site/leaf=a"),
                        node("n2", "site/spine=s"),
                        node("n3", "site/leaf="),
                        node("n4", "")),
                KEYS);
        assertThat(below(cabling)).containsExactlyInAnyOrder("s>s.a", "s.a>n1");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "1 of 4 nodes lack the label site/leaf, such as n2: each stays where it was, and has no place where it had none",
                        "2 of 4 nodes have none of the labels site/spine, site/leaf, such as n3: each stays where it was, and has no place where it had none");
    }

    @Test
    void ofTwoParentsOfACloudsBlockTheOneThatMostNodesNameIsItsOwn() throws Exception {
        Cabling cabling =
                read(list(node("n1", gke("s", "a")), node("n2", gke("t", "a")), node("n3", gke("t", "a"))), List.of());
        assertThat(below(cabling)).containsExactlyInAnyOrder("t>a", "a>n1", "a>n2", "a>n3");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "cloud.google.com/gce-topology-subblock=a is below cloud.google.com/gce-topology-block=t by the labels of 2 nodes, and below 1 others by those of 1, such as cloud.google.com/gce-topology-block=s of node n1: it stays below the former");
    }

    @Test
    void racksOfOneNameInTwoRowsAreTwoAndTold() throws Exception {
        Cabling cabling = read(
                list(
                        node("n1", "site/spine=a site/leaf=r1"),
                        node("n2", "site/spine=b site/leaf=r1"),
                        node("n3", "site/spine=b site/leaf=b")),
                KEYS);
        assertThat(below(cabling))
                .containsExactlyInAnyOrder("a>a.r1", "b>b.r1", "b>b.b", "a.r1>n1", "b.r1>n2", "b.b>n3");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "1 values stand below several blocks, such as site/leaf=r1 below site/spine=a and site/spine=b: each of these has a block of its own by that name, as keys go from the top to the leaf");
    }

    @Test
    void dotsInValuesMakeNoTwoPathsOne() throws Exception {
        Cabling cabling =
                read(list(node("n1", "site/spine=a.b site/leaf=c"), node("n2", "site/spine=a site/leaf=b.c")), KEYS);
        assertThat(cabling.switches()).hasSize(4);
    }

    @Test
    void upperAndLowerCaseAreOneBlockAndTold() throws Exception {
        Cabling cabling = read(
                list(node("n1", "site/spine=s site/leaf=Rack1"), node("n2", "site/spine=s site/leaf=rack1")), KEYS);
        assertThat(below(cabling)).containsExactlyInAnyOrder("s>s.rack1", "s.rack1>n1", "s.rack1>n2");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "1 values of labels are spelt in several ways, such as Rack1 and rack1: upper and lower case are taken for one block");
    }

    @Test
    void blocksOfACloudThatIsOneNetworkAreJoinedAndCliquesAreNot() throws Exception {
        assertThat(below(read(list(node("n1", gke("s", "a")), node("n2", gke("t", "b"))), List.of())))
                .containsExactlyInAnyOrder("gke-network>s", "gke-network>t", "s>a", "t>b", "a>n1", "b>n2");
        assertThat(below(read(
                        list(node("n1", "nvidia.com/gpu.clique=c.1"), node("n2", "nvidia.com/gpu.clique=c.2")),
                        List.of())))
                .containsExactlyInAnyOrder("c.1>n1", "c.2>n2");
    }

    private static String gke(String block, String subblock) {
        return "cloud.google.com/gce-topology-block=" + block + " cloud.google.com/gce-topology-subblock=" + subblock;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            ~~                                                            | f:1: the text is empty
            {"items": [                                                   | f:1: the text is cut off; kubectl get nodes -o json writes a whole one
            apiVersion: v1                                                | f:1: this is no JSON that can be read
            "a"                                                           | f:1: the text holds something that is no object: nodes are expected
            {"items": [3]}                                                | f:1: the list holds something that is no object: nodes are expected
            {"items": []}                                                 | f:1: no node is in it: write it with kubectl get nodes -o json
            {"kind": "Pod", "metadata": {"name": "p"}}                    | f:1: an object of kind "Pod", where nodes are expected
            {"kind": "Node", "metadata": {}}                              | f:1: an object without metadata.name, where nodes are expected
            {"metadata": {"name": "N[1-9]", "labels": {"site/leaf": "a"}}}| f:1: not the name of a node: "N[1-9]"
            {"metadata": {"name": "n", "labels": {"site/leaf": "a,b"}}}   | f:1: node n: not the value of a label: site/leaf="a,b"
            {"metadata": {"name": "n", "labels": {"other": "a"}}}         | f:1: none of 1 nodes has a label site/leaf: name keys that nodes have, from the top to the leaf
            """)
    void whatIsNoListOfNodesIsRefusedWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> read(text, List.of("site/leaf")))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void aNodeThatNamesABlockAtTheWrongTierIsLeftOutAloneAndTold() throws Exception {
        Cabling cabling =
                read(list(node("n1", gke("a", "s")), node("n2", gke("s", "a")), node("n3", gke("s", "a"))), List.of());
        assertThat(below(cabling)).containsExactlyInAnyOrder("s>a", "a>n2", "a>n3");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "1 of 3 nodes name a block at the wrong tier, such as n1 (node n1: cloud.google.com/gce-topology-block=a is the name of another tier's block, cloud.google.com/gce-topology-subblock=a: the values of two keys must differ): each stays where it was, and has no place where it had none");
    }

    @Test
    void labelsOfWhichAllContradictEachOtherAreRefused() {
        assertThatThrownBy(() -> read(list(node("n1", gke("a", "a"))), List.of()))
                .hasMessage(
                        "f:1: node n1: cloud.google.com/gce-topology-subblock=a is the name of another tier's block, cloud.google.com/gce-topology-block=a: the values of two keys must differ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"fabric-operator.dev/tier-1", "ib.fabric-operator.dev/tier-1", "fabric-operator.dev/fabric"})
    void whatTheOperatorWritesIsNoSource(String key) {
        assertThatThrownBy(() -> read(list(node("n1", key + "=a")), List.of(key)))
                .hasMessage("f:1: keys of labels: the operator itself writes " + key
                        + ", after what its sources say: name labels that somebody else writes");
    }

    @Test
    void nodesOfWhichNoneHasAllLabelsAreRefused() {
        assertThatThrownBy(() -> read(list(node("n1", "site/spine=a"), node("n2", "site/leaf=a")), KEYS))
                .hasMessage("f:1: no node has all of the labels site/spine, site/leaf: 1 lack site/leaf, such as n1");
        assertThatThrownBy(() -> read(list(node("n1", "x=y")), List.of()))
                .hasMessage(
                        "f:1: none of 1 nodes has the labels of aws, gke, oci, coreweave, coreweaveBackend, azure, nvidiaClique: name the keys, from the top to the leaf");
    }

    @ParameterizedTest
    @CsvSource({"a b", "a//b", "'',", "site/spine"})
    void keysThatNoLabelHasAreRefused(String key) {
        assertThatThrownBy(() -> read(list(node("n1", "")), List.of("site/spine", key == null ? "" : key)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("keys of labels: ");
    }

    @Test
    void fiveThousandNodesAreRead() throws Exception {
        String[] nodes = new String[5000];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = node("n%04d".formatted(i), "site/spine=s%d site/leaf=l%d".formatted(i / 500, i / 20));
        }
        Cabling cabling = read(list(nodes), KEYS);
        assertThat(cabling.switches()).hasSize(260);
        assertThat(cabling.adapters()).hasSize(5000);
    }

    private static Cabling read(String text, List<String> keys) throws IOException, BadInputException {
        return NodeListReader.read("f", new StringReader(text), keys);
    }

    private static String list(String... nodes) {
        return "{\"apiVersion\": \"v1\", \"items\": [" + String.join(", ", nodes) + "], \"kind\": \"List\"}";
    }

    private static String node(String name, String labels) {
        SortedMap<String, String> pairs = new TreeMap<>();
        for (String label : labels.isEmpty() ? new String[0] : labels.split(" ")) {
            String[] pair = label.split("=", -1);
            pairs.put(pair[0], pair[1]);
        }
        return "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"annotations\": {\"a\": \"b\"}, \"labels\": {"
                + pairs.entrySet().stream()
                        .map((Map.Entry<String, String> label) ->
                                "\"" + label.getKey() + "\": \"" + label.getValue() + "\"")
                        .collect(Collectors.joining(", "))
                + "}, \"name\": \"" + name + "\"}, \"spec\": {}}";
    }

    /** Cables, from the block above to what is below. */
    private static List<String> below(Cabling cabling) {
        return cabling.switches().stream()
                .flatMap(above -> above.ports().stream()
                        .map(SwitchPort::peer)
                        .filter(peer -> peer != null && isBelow(cabling, above.id(), peer.id()))
                        .map(peer -> above.id() + ">" + peer.id().replaceAll("/(nvlink)?$", "")))
                .toList();
    }

    /** A tree has each cable once in this direction: the lower one of two blocks is farther from a block without a parent. */
    private static boolean isBelow(Cabling cabling, String above, String below) {
        return HostEnds.hostOf(below) != null || depth(cabling, below) < depth(cabling, above);
    }

    /** Cables down to a host. */
    private static int depth(Cabling cabling, String id) {
        return depth(cabling, id, "");
    }

    private static int depth(Cabling cabling, String id, String from) {
        return cabling.switches().stream()
                .filter(node -> node.id().equals(id))
                .flatMap(node -> node.ports().stream())
                .filter(port -> port.peer() != null && !port.peer().id().equals(from))
                .mapToInt(port -> port.peerType() == NodeType.Device
                        ? 0
                        : 1 + depth(cabling, port.peer().id(), id))
                .min()
                .orElse(1000);
    }
}
