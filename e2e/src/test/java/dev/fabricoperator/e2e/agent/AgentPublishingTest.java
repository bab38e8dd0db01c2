/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.agent;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.agent.Agent;
import dev.fabricoperator.agent.AgentConfig;
import dev.fabricoperator.agent.AgentConfigBuilder;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.CustomResources;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.hostgen.RecordedHost;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.lldp.LldpLab;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** The agent on a recorded host, with its own rights and a token of its node, under the admission policy. */
@WithControlPlane(own = true)
class AgentPublishingTest {
    private static final String NAMESPACE = "fabric-operator";
    private static final Path STAMPEDE =
            Path.of(System.getProperty("fixtures"), "sysfs/recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private ControlPlane controlPlane;

    @SuppressWarnings("NullAway.Init")
    private KubernetesClient client;

    @SuppressWarnings("NullAway.Init")
    private String node;

    private @Nullable Agent agent;
    private @Nullable Path lldpSocket;
    private Duration resync = Duration.ofSeconds(2);

    /** One for all tests, since it has thousands of files; what a test changes of it is undone after it. */
    @SuppressWarnings("NullAway.Init")
    private static Path host;

    /** The last first. */
    private final Deque<Undo> undos = new ArrayDeque<>();

    private interface Undo {
        void run() throws IOException;
    }

    @BeforeAll
    static void install(ControlPlane controlPlane, @TempDir Path recording) throws IOException {
        host = RecordedHost.unpack(STAMPEDE, recording);
        KubernetesClient admin = controlPlane.admin();
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        for (String file : List.of(
                "crd/fabricdevices.fabric-operator.dev.yaml",
                "agent/serviceaccount.yaml",
                "agent/rbac.yaml",
                "agent/daemonset.yaml",
                "admission/agent-writes-own-devices.yaml")) {
            try (InputStream in =
                    Files.newInputStream(ProjectRoot.find().resolve("config").resolve(file))) {
                admin.load(in).serverSideApply();
            }
        }
    }

    @BeforeEach
    void layOutNode(ControlPlane controlPlane, TestInfo test) throws IOException {
        this.controlPlane = controlPlane;
        client = controlPlane.admin();
        node = "n" + Integer.toHexString(test.getDisplayName().hashCode());
        client.resource(newNode()).create();
        Files.writeString(directory.resolve("ca.crt"), controlPlane.authorityPem());
        Files.writeString(directory.resolve("token"), token());
    }

    @AfterEach
    void stop() throws IOException {
        try {
            if (agent != null) {
                agent.close();
            }
        } finally {
            for (Undo undo : undos) {
                undo.run();
            }
        }
    }

    private void write(Path file, String text) throws IOException {
        byte[] before = Files.readAllBytes(file);
        undos.push(() -> Files.write(file, before));
        Files.writeString(file, text);
    }

    private void deleteLink(Path link) throws IOException {
        Path target = Files.readSymbolicLink(link);
        undos.push(() -> Files.createSymbolicLink(link, target));
        Files.delete(link);
    }

    private void move(Path from, Path to) throws IOException {
        undos.push(() -> Files.move(to, from));
        Files.move(from, to);
    }

    private Node newNode() {
        return new NodeBuilder().withNewMetadata().withName(node).endMetadata().build();
    }

    /** A token as the kubelet would ask for it: bound to a pod on the node, so that the node is in its claims. */
    private String token() {
        Pod pod = client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName("agent-" + node)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node)
                        .withServiceAccountName("fabric-agent")
                        .addNewContainer()
                        .withName("agent")
                        .withImage("agent")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        return ServiceAccountTokens.ofPod(client, pod);
    }

    private Agent startAgent() throws IOException {
        AgentConfig config = AgentConfig.of(
                host, node, URI.create(controlPlane.server()), directory.resolve("token"), directory.resolve("ca.crt"));
        Agent started = new Agent(AgentConfigBuilder.builder(config)
                .pollInterval(Duration.ofMillis(200))
                .rediscoverInterval(Duration.ofSeconds(1))
                .resyncInterval(resync)
                .presenceInterval(Duration.ofSeconds(1))
                .lldpSocket(lldpSocket)
                .build());
        agent = started;
        started.start();
        await().atMost(LIMIT).until(started::isReady);
        return started;
    }

    private List<FabricDevice> published() {
        return client.resources(FabricDevice.class)
                .withLabel("fabric-operator.dev/node", node)
                .list()
                .getItems();
    }

    private FabricDevice device(String osName) {
        return client.resources(FabricDevice.class)
                .withName(node + "-" + osName)
                .require();
    }

    private FabricDeviceSpec mlx4() {
        return device("mlx4-0-1").getSpec();
    }

    private Path port(String file) {
        return host.resolve("sys/class/infiniband/mlx4_0/ports/1").resolve(file);
    }

    @Test
    void devicesOfANodeThatIsDeletedAndRegistersAgainArePublishedAnewLongBeforeAResync() throws IOException {
        resync = Duration.ofHours(1);
        startAgent();
        int devices = published().size();
        String before = client.nodes().withName(node).get().getMetadata().getUid();
        client.nodes().withName(node).delete();
        client.resource(newNode()).create();
        String after = client.nodes().withName(node).get().getMetadata().getUid();
        assertThat(after).isNotEqualTo(before);
        // As the garbage collector does, which does not run here.
        client.resources(FabricDevice.class)
                .withLabel("fabric-operator.dev/node", node)
                .delete();

        eventually(() -> assertThat(published())
                .hasSize(devices)
                .allSatisfy(device -> assertThat(device.getMetadata().getOwnerReferences())
                        .singleElement()
                        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(after))));
    }

    @Test
    void devicesArePublishedAnewLongBeforeAResyncWhenTheirKindIsBack() throws IOException {
        resync = Duration.ofHours(1);
        startAgent();
        int devices = published().size();
        CustomResources.delete(client, List.of("fabricdevices.fabric-operator.dev"));
        try (InputStream in =
                Files.newInputStream(ProjectRoot.find().resolve("config/crd/fabricdevices.fabric-operator.dev.yaml"))) {
            client.load(in).serverSideApply();
        }

        eventually(() -> assertThat(published()).hasSize(devices));
    }

    @Test
    void devicesAreOwnedByTheirNodeAndARestartWithoutChangeSendsNothing() throws IOException {
        startAgent().close();
        List<FabricDevice> first = published();
        assertThat(first)
                .extracting(d -> d.getMetadata().getName())
                .containsExactly(node + "-eth0-0", node + "-eth1-0", node + "-mlx4-0-1");
        String uid = client.nodes().withName(node).get().getMetadata().getUid();
        assertThat(first).allSatisfy(d -> {
            assertThat(d.getMetadata().getOwnerReferences()).singleElement().satisfies(owner -> {
                assertThat(owner.getUid()).isEqualTo(uid);
                assertThat(owner.getBlockOwnerDeletion()).isNull();
                assertThat(owner.getController()).isNull();
            });
            assertThat(d.getMetadata().getManagedFields())
                    .extracting(f -> f.getManager() + " " + f.getOperation())
                    .containsExactly("fabric-agent Apply");
        });
        assertThat(mlx4().lid()).isEqualTo(0x3a4);
        startAgent().close();
        assertThat(published())
                .extracting(d -> d.getMetadata().getResourceVersion())
                .isEqualTo(first.stream()
                        .map(d -> d.getMetadata().getResourceVersion())
                        .toList());
    }

    @Test
    void aLinkThatGoesDownIsPublished() throws IOException {
        startAgent();
        write(port("state"), "1: DOWN\n");
        write(port("phys_state"), "2: Polling\n");
        await().atMost(LIMIT).until(() -> mlx4().state() == PortState.Down && "Polling".equals(mlx4().physicalState()));
        assertThat(mlx4().speedBitsPerSecond()).isEqualTo(56_000_000_000L);
    }

    @Test
    void whatCannotBeReadKeepsItsValueAndIsNamedUntilItCan() throws IOException {
        Agent first = startAgent();
        write(port("rate"), "56 Gb/se");
        await().atMost(LIMIT).until(() -> !mlx4().readErrors().isEmpty());
        assertThat(mlx4().speedBitsPerSecond()).isEqualTo(56_000_000_000L);
        assertThat(mlx4().readErrors()).singleElement().satisfies(e -> {
            assertThat(e.file()).endsWith("mlx4_0/ports/1/rate");
            assertThat(e.since()).isNotNull();
        });
        // The last good value is the API server's to keep: it survives the agent.
        first.close();
        startAgent();
        assertThat(mlx4().speedBitsPerSecond()).isEqualTo(56_000_000_000L);
        write(port("rate"), "40 Gb/sec (4X QDR)\n");
        await().atMost(LIMIT).until(() -> mlx4().readErrors().isEmpty());
        assertThat(mlx4().speedBitsPerSecond()).isEqualTo(40_000_000_000L);
    }

    @Test
    void aDeviceThatIsGoneStaysUntilALookWithoutErrors() throws IOException {
        startAgent();
        write(port("lid"), "torn");
        await().atMost(LIMIT).until(() -> !mlx4().readErrors().isEmpty());
        deleteLink(host.resolve("sys/class/net/eth1"));
        await().during(Duration.ofSeconds(3))
                .atMost(LIMIT)
                .until(() -> published().size() == 3);
        write(port("lid"), "0x3a4\n");
        await().atMost(LIMIT).until(() -> published().size() == 2);
        assertThat(published())
                .extracting(d -> d.getMetadata().getName())
                .containsExactly(node + "-eth0-0", node + "-mlx4-0-1");
    }

    @Test
    void aHostRootThatVanishesDeletesNothing() throws IOException {
        startAgent();
        move(host.resolve("sys"), host.resolve("elsewhere"));
        await().atMost(LIMIT).until(() -> !mlx4().readErrors().isEmpty());
        assertThat(published()).hasSize(3);
        assertThat(mlx4().state()).isEqualTo(PortState.Active);
        move(host.resolve("elsewhere"), host.resolve("sys"));
        await().atMost(LIMIT).until(() -> mlx4().readErrors().isEmpty());
    }

    @Test
    void whatOthersDeleteOrChangeIsPutRight() throws IOException {
        startAgent();
        client.resource(device("eth0-0")).delete();
        eventually(() -> client.resources(FabricDevice.class)
                .withName(node + "-eth1-0")
                .edit(d -> {
                    d.setSpec(FabricDeviceSpecBuilder.builder(d.getSpec())
                            .mtuBytes(9000L)
                            .build());
                    return d;
                }));
        await().atMost(LIMIT)
                .until(() -> published().size() == 3
                        && Long.valueOf(1500).equals(device("eth1-0").getSpec().mtuBytes()));
    }

    /** Played: an accelerator is laid out beside what was recorded, and no host with NVLink was there. */
    @Test
    void acceleratorsArePublishedWhileALabelOfTheirNodeNamesTheirClique() throws IOException {
        String address = "0000:f1:00.0";
        Path function = host.resolve("sys/devices/pci0000:f0/0000:f0:01.0").resolve(address);
        Files.createDirectories(function);
        Map.of("vendor", "0x10de", "device", "0x2941", "class", "0x030200", "numa_node", "0")
                .forEach((file, text) -> {
                    try {
                        Files.writeString(function.resolve(file), text + "\n");
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        Path link = host.resolve("sys/bus/pci/devices").resolve(address);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of("../../../devices/pci0000:f0/0000:f0:01.0", address));
        undos.push(() -> Files.delete(link));
        startAgent();
        assertThat(accelerators()).isEmpty();
        label("nvidia.com/gpu.clique", "domain.0");
        await().atMost(LIMIT).until(() -> accelerators().contains(address));
        assertThat(published())
                .filteredOn(device -> device.getSpec().osName().equals(address))
                .singleElement()
                .satisfies(device -> {
                    assertThat(device.getSpec().type()).isEqualTo(DeviceType.Gpu);
                    assertThat(device.getSpec().vendor()).isEqualTo("NVIDIA");
                    assertThat(device.getSpec().numaNode()).isZero();
                });
        label("nvidia.com/gpu.clique", null);
        await().atMost(LIMIT).until(() -> accelerators().isEmpty());
    }

    private List<String> accelerators() {
        return published().stream()
                .map(FabricDevice::getSpec)
                .filter(spec -> spec.family() == Family.NVLink)
                .map(FabricDeviceSpec::osName)
                .toList();
    }

    private void label(String key, @Nullable String value) {
        eventually(() -> client.nodes().withName(node).edit(n -> {
            Map<String, String> labels = new HashMap<>(
                    n.getMetadata().getLabels() == null
                            ? Map.of()
                            : n.getMetadata().getLabels());
            if (value == null) {
                labels.remove(key);
            } else {
                labels.put(key, value);
            }
            n.getMetadata().setLabels(labels);
            return n;
        }));
    }

    @Test
    void aNodeThatIsMadeAnewOwnsItsDevices() throws IOException {
        startAgent();
        client.nodes().withName(node).delete();
        client.resource(newNode()).create();
        String uid = client.nodes().withName(node).get().getMetadata().getUid();
        await().atMost(LIMIT)
                .until(() -> published().stream()
                        .flatMap(d -> d.getMetadata().getOwnerReferences().stream())
                        .allMatch(owner -> owner.getUid().equals(uid)));
    }

    @Test
    void aHostWithoutFabricDevicesIsReportedToo() throws IOException {
        try (Stream<Path> entries = Files.list(host.resolve("sys/class/net"))) {
            for (Path entry : entries.toList()) {
                deleteLink(entry);
            }
        }
        deleteLink(host.resolve("sys/class/infiniband/mlx4_0"));
        startAgent();
        assertThat(published()).isEmpty();
    }

    @Test
    void whileTheApiServerIsAwayNothingIsLost() throws IOException {
        startAgent();
        controlPlane.stopApiServer();
        write(port("state"), "1: DOWN\n");
        controlPlane.startApiServer();
        await().atMost(LIMIT).until(() -> mlx4().state() == PortState.Down);
    }

    @Test
    void neighborsAreThoseThatLldpdHearsAndStayWhenItEnds(@TempDir Path lldp) throws IOException {
        try (LldpLab lab = LldpLab.of(lldp, List.of("n1"), "eth0")) {
            lab.awaitNeighbors();
            lldpSocket = lab.socket("n1");
            startAgent();
            eventually(() -> assertThat(device("eth0-0").getSpec().neighbor()).isNotNull());
            NeighborRef heard =
                    Objects.requireNonNull(device("eth0-0").getSpec().neighbor());
            assertThat(heard.port()).isEqualTo("swp1");
            assertThat(heard.source()).isEqualTo("lldp");
            assertThat(lab.ask("n1", "keyvalue")).contains("chassis.mac=" + heard.id());
            assertThat(device("eth1-0").getSpec().neighbor()).isNull();
            lab.end("n1");
            write(port("state"), "1: DOWN\n");
            await().atMost(LIMIT).until(() -> mlx4().state() == PortState.Down);
            assertThat(device("eth0-0").getSpec().neighbor()).isEqualTo(heard);
        }
    }
}
