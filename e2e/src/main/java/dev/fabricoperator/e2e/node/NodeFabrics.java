/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.hostgen.DerivedHost;
import dev.fabricoperator.e2e.hostgen.DumpText;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.hostgen.HostTree;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The two fabrics that the nodes of a real cluster are in.
 *
 * <p>{@code ethernet} is there: the nodes' {@code eth0} with the MAC addresses that they have, the bridges that they hang on and the cables between those; pods talk
 * over it. What is played of it is the PCI bus and the NUMA node that the cards are on, since the interfaces of namespaces have none.
 *
 * <p>{@code infiniband-0} is played: a machine without InfiniBand hardware has no card to show. Each node reads the files of a host of a recorded dump, with
 * its GUIDs, LIDs and ports; the host's name is the node's in both. Nodes with odd numbers are in one scalable unit of it, the others in another. A pod sees those files in
 * {@code /sys/class} with the runtime class {@value #RUNTIME_CLASS}, and opens a device where it mounts {@value #DEVICES}, whose files are {@code /dev/null}: no message ever
 * goes over them.
 */
public final class NodeFabrics {
    /** Where a node has what is played. */
    static final String PLAYED = "/run/played";

    /** What agents read instead of the machine's own {@code /sys}. */
    public static final String SYS = PLAYED + "/sys";

    /** For a volume of a pod that may open the cards, at {@code /dev/infiniband}. */
    public static final String DEVICES = PLAYED + "/infiniband";

    /** For {@code spec.runtimeClassName} of a pod that sees the cards. */
    public static final String RUNTIME_CLASS = "with-cards";

    public static final String ETHERNET = "ethernet";
    public static final String INFINIBAND = "infiniband-0";

    /** Of each node; one for each rail of the recorded fabric. */
    public static final int CARDS = 4;

    private static final String RECORDED = "fixtures/fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz";
    private static final List<String> UNITS = List.of("a08-p1-dgx-04-", "a07-p1-dgx-03-");
    private static final long MEGABITS_PER_SECOND = 10_000;
    private static final int UPLINK = 100;

    private final List<String> nodes;
    private final DumpText dump;
    private final Map<String, DerivedHost> hosts;

    private NodeFabrics(List<String> nodes, DumpText dump, Map<String, DerivedHost> hosts) {
        this.nodes = nodes;
        this.dump = dump;
        this.hosts = hosts;
    }

    static NodeFabrics of(List<String> nodes) {
        try {
            DumpText recorded = Dumps.read(ProjectRoot.find().resolve(RECORDED));
            List<DerivedHost> all = DerivedHost.of(Dumps.cabling(RECORDED, recorded));
            String text = recorded.text();
            for (int i = 0; i < nodes.size(); i++) {
                String unit = UNITS.get(i % UNITS.size());
                String host = all.stream()
                        .filter(each -> each.hostname().startsWith(unit)
                                && each.adapters().size() == CARDS)
                        .skip(i / UNITS.size())
                        .findFirst()
                        .orElseThrow()
                        .hostname();
                text = text.replace('"' + host + ' ', '"' + nodes.get(i) + ' ');
            }
            DumpText dump = DumpText.of(text);
            Map<String, DerivedHost> hosts = DerivedHost.of(Dumps.cabling(RECORDED, dump)).stream()
                    .collect(Collectors.toMap(DerivedHost::hostname, host -> host));
            return new NodeFabrics(List.copyOf(nodes), dump, hosts);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + RECORDED, e);
        }
    }

    public List<String> nodes() {
        return nodes;
    }

    /** The host of the dump that a node plays. */
    public DerivedHost host(String node) {
        DerivedHost host = hosts.get(node);
        if (host == null) {
            throw new IllegalArgumentException("no node is called " + node);
        }
        return host;
    }

    /** The fabric as ibnetdiscover would print it. */
    String dump() {
        return dump.text();
    }

    /** Node GUIDs of adapters that no node of the cluster has, sorted. */
    List<String> otherAdapters() {
        return hosts.values().stream()
                .filter(host -> !nodes.contains(host.hostname()))
                .flatMap(host -> host.adapters().stream())
                .map(placed -> placed.adapter().id())
                .sorted()
                .toList();
    }

    /** A Job whose pods see the cards of their nodes and may open them. */
    public static Job withCards(Job job) {
        return new JobBuilder(job)
                .editSpec()
                .editTemplate()
                .editSpec()
                .withRuntimeClassName(RUNTIME_CLASS)
                .addNewVolume()
                .withName("cards")
                .withNewHostPath(DEVICES, "Directory")
                .endVolume()
                .editFirstContainer()
                .addNewVolumeMount()
                .withName("cards")
                .withMountPath("/dev/infiniband")
                .endVolumeMount()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    /** What the agent reads goes to {@code host/sys}, what containers with cards have as {@code /sys/class} to {@code class}. */
    void layOut(String node, String macAddress, Path directory) throws IOException {
        Path root = directory.resolve("host");
        HostTree.write(host(node), root);
        HostTree.addEthernet(root, "eth0", macAddress, MEGABITS_PER_SECOND);
        Path classes = directory.resolve("class");
        int number = 0;
        // As the shell that makes the devices counts them.
        for (DerivedHost.Placed card : new TreeMap<>(host(node).adapters().stream()
                        .collect(Collectors.toMap(DerivedHost.Placed::osName, placed -> placed)))
                .values()) {
            Path device = classes.resolve("infiniband").resolve(card.osName());
            copyFiles(
                    root.resolve("sys/class/infiniband").resolve(card.osName()).toRealPath(), device);
            Path function = Path.of("../../../" + card.pciAddress());
            Files.createSymbolicLink(device.resolve("device"), function);
            Path verbs = Files.createDirectories(classes.resolve("infiniband_verbs/uverbs" + number++));
            Files.writeString(verbs.resolve("ibdev"), card.osName() + "\n");
            Files.createSymbolicLink(verbs.resolve("device"), function);
        }
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(from)) {
            files = walk.filter(path -> Files.isRegularFile(path, java.nio.file.LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
        for (Path file : files) {
            Path copy = to.resolve(from.relativize(file).toString());
            Files.createDirectories(copy.resolveSibling(""));
            Files.copy(file, copy);
        }
    }

    /** A container as containerd makes it, with the played {@code /sys/class}: card files cannot be added to the kernel's own. */
    static String containerSpec(Path directory, NodePrograms programs) throws IOException {
        ObjectMapper json = new ObjectMapper();
        JsonNode spec = json.readTree(HostCommand.run(programs.ctr().toString(), "oci", "spec"));
        ObjectNode mount = ((ArrayNode) spec.get("mounts")).addObject();
        mount.put("destination", "/sys/class");
        mount.put("type", "bind");
        mount.put("source", directory.resolve("class").toString());
        mount.putArray("options").add("rbind").add("ro");
        return json.writeValueAsString(spec);
    }

    /** What the operator is told: a table of the bridges' cables, and the dump. */
    public String manifests() {
        StringBuilder table = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        long speed = MEGABITS_PER_SECOND * 1_000_000;
        for (int i = 0; i < nodes.size(); i++) {
            int number = ClusterNetwork.firstNode() + i;
            table.append(
                    "switch:%s,%d,%s/eth0,0,%d%n".formatted(ClusterNetwork.leaf(number), number, nodes.get(i), speed));
        }
        IntStream.rangeClosed(1, Math.min(ClusterNetwork.LEAVES, nodes.size()))
                .forEach(leaf ->
                        table.append("switch:leaf-%d,%d,switch:nodes,%d,%d%n".formatted(leaf, UPLINK, leaf, speed)));
        List<String> parts = new ArrayList<>();
        parts.add("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: ethernet-cables, namespace: fabric-operator}
                data:
                  cables.csv: |
                %s
                """.formatted(table.toString().indent(4)));
        parts.add("""
                apiVersion: v1
                kind: ConfigMap
                metadata:
                  name: recorded
                  namespace: fabric-operator
                  labels: {fabric-operator.dev/topology: ibnetdiscover}
                data:
                  ibnetdiscover.txt: |
                %s
                """.formatted(dump.text().indent(4)));
        parts.add("""
                apiVersion: node.k8s.io/v1
                kind: RuntimeClass
                metadata: {name: %1$s}
                handler: %1$s
                """.formatted(RUNTIME_CLASS));
        // Pods' own interfaces stand on it, so that it is a fabric for jobs, too.
        parts.add("""
                apiVersion: fabric-operator.dev/v1alpha1
                kind: Fabric
                metadata: {name: %s}
                spec:
                  purpose: Management
                  selector: {families: [Ethernet]}
                  sources:
                    - {type: cables, configMapRef: {name: ethernet-cables}}
                """.formatted(ETHERNET));
        return String.join("---\n", parts);
    }
}
