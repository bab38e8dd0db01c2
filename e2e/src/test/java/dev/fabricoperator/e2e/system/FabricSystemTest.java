/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.hostgen.DerivedHost;
import dev.fabricoperator.e2e.hostgen.DumpText;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.hostgen.HostTree;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The demo's promise on a few hosts, and what goes wrong around it. The tests go on from where the one before ended. */
@WithControlPlane(
        own = true,
        needs = {Component.CONTROLLER_MANAGER, Component.SCHEDULER},
        nodeGraceSeconds = 25)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FabricSystemTest {
    private static final Path DUMP =
            Path.of(System.getProperty("fixtures"), "fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz");
    private static final int SWITCHES = 40;
    private static final int LINKS = 1074;
    private static final int ADAPTERS = 542;
    private static final int HOSTS = 4;

    private ControlPlane controlPlane;
    private KubernetesClient client;
    private Path directory;
    private FabricSystem system;
    private DumpText dump;
    private List<DerivedHost> hosts;

    @BeforeAll
    void hostsJoin(ControlPlane controlPlane, @TempDir Path directory) throws IOException {
        this.controlPlane = controlPlane;
        this.client = controlPlane.admin();
        this.directory = directory;
        this.dump = Dumps.read(DUMP);
        this.hosts = DerivedHost.of(Dumps.cabling("ndr", dump)).stream()
                .filter(host -> host.adapters().size() == 4)
                .limit(HOSTS)
                .toList();
        this.system = FabricSystem.install(controlPlane, directory.resolve("state"), Duration.ofMillis(500));
        system.runNoServer();
        system.join(hosts.stream().map(this::layOut).toList());
    }

    @AfterAll
    void stop() {
        system.close();
    }

    @Test
    @Order(1)
    void devicesWithoutAnySwitchMapMakeAFlatFabricThatAsksForOne() {
        await().atMost(LIMIT).until(() -> devices() == HOSTS * 4 && isTrue("Ready"));
        assertThat(status().kind()).isEqualTo(FabricKind.Flat);
        assertThat(condition("TopologyKnown").status().toString()).isEqualTo("False");
        assertThat(condition("TopologyKnown").reason()).isEqualTo("NoSource");
    }

    @Test
    @Order(2)
    void anUploadedDumpGivesTheFabricItsSwitchesShapeAndCost() {
        upload(DUMP);
        await().atMost(LIMIT).until(() -> isTrue("TopologyKnown") && isTrue("Ready") && links() == LINKS);

        // Rails are told by the hosts on them, and the dump names those that no agent publishes.
        assertThat(status().kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(status().switches()).isEqualTo(SWITCHES);
        assertThat(status().links()).isEqualTo(LINKS);
        assertThat(status().devices()).isEqualTo(HOSTS * 4);
        assertThat(status().unmanagedDevices()).isEqualTo(ADAPTERS - HOSTS * 4);
        assertThat(client.resources(FabricSwitch.class).list().getItems()).hasSize(SWITCHES);
        assertThat(indices().values()).doesNotHaveDuplicates().allMatch(index -> index >= 0 && index < HOSTS * 4);
        assertThat(client.resources(FabricDevice.class).list().getItems()).allSatisfy(device -> {
            assertThat(device.getStatus().switchId()).isNotNull();
            assertThat(device.getStatus().coordinates()).hasSize(2);
        });
        assertThat(system.kubectl()
                        .run("describe", "fabric", fabric().getMetadata().getName()))
                .contains(String.valueOf(status().kind()));
    }

    @Test
    @Order(3)
    void anAgentMayWriteItsOwnNodesDevicesOnly() throws IOException {
        String own = hosts.get(0).nodeName();
        FabricDevice ownDevice = deviceOf(own);
        String other = hosts.get(1).nodeName();
        FabricDevice foreign = deviceOf(other);
        try (KubernetesClient agent = clientOfAgentOn(own)) {
            assertThat(agent.resources(FabricDevice.class)
                            .withName(ownDevice.getMetadata().getName())
                            .get())
                    .isNotNull();
            assertRefused(
                    "may not touch a device of node",
                    () -> agent.resource(foreign).delete());
            assertRefused(
                    "may not write a device of node",
                    () -> agent.resource(of(foreign, other)).patch());
            // The schema is asked before the policy: a device never changes its node.
            assertRefused("", () -> agent.resource(of(foreign, own)).patch());
            assertRefused("", () -> agent.resource(of(ownDevice, other)).patch());
            assertRefused(
                    "may not write a device of node",
                    () -> agent.resource(copyOf(foreign, "mlx5_8")).create());
            assertRefused("the name of a device of node", () -> {
                FabricDevice misnamed = copyOf(ownDevice, "mlx5_8");
                misnamed.getMetadata().setName("any-name-1");
                agent.resource(misnamed).create();
            });
            assertRefused("", () -> agent.resource(ownDevice).patchStatus());
        }
    }

    @Test
    @Order(4)
    void indicesSurviveARestartOfEveryControllerReplica() {
        Map<String, Integer> before = indices();
        long generation = generation();
        client.pods()
                .inNamespace(FabricSystem.NAMESPACE)
                .withLabel("app.kubernetes.io/component", "controller")
                .delete();
        pull(hosts.get(0), 0);
        await().atMost(LIMIT).until(() -> links() == LINKS - 1 && generation() > generation && isTrue("Ready"));
        assertThat(indices()).isEqualTo(before);
    }

    @Test
    @Order(5)
    void aCablePulledWhileTheApiServerIsAwayIsSeenWhenItIsBack() throws IOException {
        Map<String, Integer> before = indices();
        DerivedHost.Placed device = hosts.get(1).adapters().get(0);
        controlPlane.killApiServer();
        HostTree.unplug(root(hosts.get(1)), device.osName(), 1);
        controlPlane.startApiServer();
        String name = nameOfFirstDevice(hosts.get(1));
        await().atMost(LIMIT).until(() -> state(name) == PortState.Down);
        await().atMost(LIMIT).until(() -> isTrue("Ready"));
        assertThat(indices()).isEqualTo(before);
    }

    @Test
    @Order(6)
    void aDeviceThatAppearsInAWatchGapIsFound() {
        FabricDevice added = copyOf(deviceOf(hosts.get(2).nodeName()), "mlx5_9");
        controlPlane.expireWatches(hidden -> hidden.resource(added).create());
        await().atMost(LIMIT).until(() -> devices() == HOSTS * 4 + 1);
        client.resource(added).delete();
        await().atMost(LIMIT).until(() -> devices() == HOSTS * 4);
    }

    @Test
    @Order(7)
    void aMissingPartOfAnUploadIsNamedAndTheLastGoodMapStays() {
        String output =
                system.kubectlFabric().run("upload", "ibnetdiscover:" + DUMP, "--name", "ndr", "--part-bytes", "8000");
        assertThat(output).contains("part 2 of");
        await().atMost(LIMIT).until(() -> isTrue("TopologyKnown") && links() == LINKS);
        client.configMaps()
                .inNamespace(FabricSystem.NAMESPACE)
                .withName("ndr-2")
                .delete();
        await().atMost(LIMIT).until(() -> condition("TopologyKnown").message().contains("part 2"));
        assertThat(status().switches()).isEqualTo(SWITCHES);
        upload(DUMP);
        await().atMost(LIMIT)
                .until(() -> isTrue("TopologyKnown")
                        && !condition("TopologyKnown").message().contains("part 2"));
    }

    @Test
    @Order(8)
    void devicesOfASilentNodeAreUnknownUntilItIsBack() {
        String node = hosts.get(3).nodeName();
        await().atMost(LIMIT).until(() -> isTrue("DevicesCurrent"));
        system.nodes().loseContact(node);
        await().atMost(LIMIT)
                .until(() -> !isTrue("DevicesCurrent")
                        && condition("DevicesCurrent").message().contains(node));
        assertThat(devices()).isEqualTo(HOSTS * 4);
        system.nodes().regainContact(node);
        await().atMost(LIMIT).until(() -> isTrue("DevicesCurrent") && isTrue("InventoryComplete"));
    }

    @Test
    @Order(9)
    void aCableThatIsPutBackIsSeen() throws IOException {
        for (DerivedHost host : hosts.subList(0, 2)) {
            assertThat(state(nameOfFirstDevice(host))).isEqualTo(PortState.Down);
            HostTree.plug(root(host), host.adapters().getFirst().osName(), 1);
        }
        for (DerivedHost host : hosts.subList(0, 2)) {
            await().atMost(LIMIT).until(() -> state(nameOfFirstDevice(host)) == PortState.Active);
        }
    }

    @Test
    @Order(10)
    void agentsOfDerivedHostsPublishWhatTheDumpSays() {
        Map<String, FabricDeviceSpec> byGuid = client.resources(FabricDevice.class).list().getItems().stream()
                .map(FabricDevice::getSpec)
                .collect(Collectors.toMap(device -> String.valueOf(device.nodeGuid()), Function.identity()));
        assertThat(byGuid).hasSize(HOSTS * 4);
        for (DerivedHost host : hosts) {
            for (DerivedHost.Placed placed : host.adapters()) {
                FabricDeviceSpec device = byGuid.get(placed.adapter().id());
                assertThat(device).as(placed.adapter().id()).isNotNull();
                assertAgrees(device, host, placed.osName(), placed.adapter());
            }
        }
    }

    private static void assertAgrees(FabricDeviceSpec device, DerivedHost host, String osName, Adapter adapter) {
        AdapterPort port = adapter.ports().getFirst();
        assertThat(device.nodeName()).isEqualTo(host.nodeName());
        assertThat(device.hostname()).isEqualTo(host.hostname());
        assertThat(device.osName()).isEqualTo(osName);
        assertThat(device.lid()).isEqualTo(port.lid());
        assertThat(device.speedBitsPerSecond()).isEqualTo(port.speedBitsPerSecond());
        assertThat(device.width()).isEqualTo(port.width());
        assertThat(device.state()).isEqualTo(PortState.Active);
        assertThat(device.readErrors()).isEmpty();
    }

    /** They are owned by the Node. */
    @Test
    @Order(11)
    void aNodeThatLeavesTakesItsDevicesAlong() {
        String gone = hosts.getLast().nodeName();
        system.nodes().leave(gone);
        await().atMost(LIMIT)
                .until(() -> client.resources(FabricDevice.class).list().getItems().stream()
                        .noneMatch(device -> gone.equals(device.getSpec().nodeName())));
        assertThat(client.resources(FabricDevice.class).list().getItems()).hasSize((HOSTS - 1) * 4);
    }

    /** By counters of a played host, which no kernel writes. */
    @Test
    @Order(12)
    void aLinkThatMayBeAboutToFailIsSaidOfItsDeviceAndFabricWithinTenSecondsAndIsOverAfterwards() throws IOException {
        DerivedHost host = hosts.get(1);
        String device = nameOfFirstDevice(host);
        assertThat(conditionOf(device)).isNull();
        Path counter = firstDevice(host).resolve("ports/1/counters/symbol_error");
        Path degrees = firstDevice(host).resolve("device/hwmon/hwmon2/temp1_input");

        Files.writeString(degrees, "108000\n");
        await().atMost(Duration.ofSeconds(10)).until(() -> isImpaired(device));
        assertThat(Objects.requireNonNull(conditionOf(device)).message())
                .contains("108 degrees Celsius, critical from 105", "hwmon2/temp1_input", "over once");
        Files.writeString(counter, "47\n");
        await().atMost(Duration.ofSeconds(10))
                .until(() -> specOf(device).impairments().size() == 2);
        await().atMost(Duration.ofSeconds(10)).until(() -> isTrue("Impaired"));
        assertThat(condition("Impaired").message()).contains("1 device has a link", device);
        assertThat(status().findings())
                .filteredOn(finding -> finding.type().equals("ImpairedLink"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains("where no source sees a sign of it"));
        await().atMost(LIMIT)
                .until(() -> system.kubectl()
                        .run("get", "events", "--field-selector", "involvedObject.name=" + device)
                        .contains("Impaired is True"));

        // A torn file and one that is gone change nothing, and neither does a cool card while its counter is not quiet.
        String before = versionOf(device);
        Files.writeString(counter, "");
        Files.delete(degrees);
        await().during(Duration.ofSeconds(4))
                .atMost(LIMIT)
                .until(() -> versionOf(device).equals(before));

        Files.writeString(degrees, "71000\n");
        await().atMost(Duration.ofSeconds(90))
                .until(() -> specOf(device).impairments().size() == 1);
        assertThat(specOf(device).impairments())
                .singleElement()
                .satisfies(sign -> assertThat(sign.file()).endsWith("symbol_error"));
    }

    private FabricDeviceSpec specOf(String device) {
        return client.resources(FabricDevice.class).withName(device).require().getSpec();
    }

    private String versionOf(String device) {
        return client.resources(FabricDevice.class)
                .withName(device)
                .require()
                .getMetadata()
                .getResourceVersion();
    }

    private @Nullable Condition conditionOf(String device) {
        return client.resources(FabricDevice.class).withName(device).require().getStatus().conditions().stream()
                .filter(condition -> condition.type().equals("Impaired"))
                .findFirst()
                .orElse(null);
    }

    private boolean isImpaired(String device) {
        Condition condition = conditionOf(device);
        return condition != null && condition.tellsTrouble();
    }

    private Path firstDevice(DerivedHost host) {
        return root(host)
                .resolve("sys/class/infiniband")
                .resolve(host.adapters().getFirst().osName());
    }

    private static String nameOfFirstDevice(DerivedHost host) {
        return host.nodeName() + "-" + host.adapters().getFirst().osName().replace('_', '-') + "-1";
    }

    private @Nullable PortState state(String device) {
        return client.resources(FabricDevice.class)
                .withName(device)
                .require()
                .getSpec()
                .state();
    }

    private NodeSpec layOut(DerivedHost host) {
        try {
            HostTree.write(host, root(host));
            Path counters = Files.createDirectories(firstDevice(host).resolve("ports/1/counters"));
            Files.writeString(counters.resolve("symbol_error"), "7\n");
            Path sensors = Files.createDirectories(firstDevice(host).resolve("device/hwmon/hwmon2"));
            Files.writeString(sensors.resolve("temp1_input"), "71000\n");
            Files.writeString(sensors.resolve("temp1_crit"), "105000\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new NodeSpec(host.nodeName(), root(host), "10.20.0." + (hosts.indexOf(host) + 1), Map.of());
    }

    private Path root(DerivedHost host) {
        return directory.resolve("hosts").resolve(host.nodeName());
    }

    /** Pulls the cable of a host's adapter for both that see it. */
    private void pull(DerivedHost host, int adapter) {
        DerivedHost.Placed device = host.adapters().get(adapter);
        AdapterPort port = device.adapter().ports().getFirst();
        PortPeer peer = Objects.requireNonNull(port.peer());
        Path after = directory.resolve("after.txt");
        try {
            HostTree.unplug(root(host), device.osName(), port.number());
            Files.writeString(
                    after,
                    dump.withoutCable(device.adapter().id(), port.number(), peer.id(), peer.port())
                            .text());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        upload(after);
    }

    private void upload(Path file) {
        system.kubectlFabric().run("upload", "ibnetdiscover:" + file, "--name", "ndr");
    }

    private Fabric fabric() {
        return system.fabrics().stream().findFirst().orElseThrow();
    }

    private FabricStatus status() {
        return fabric().getStatus();
    }

    private int devices() {
        return system.fabrics().stream()
                .map(Fabric::getStatus)
                .filter(Objects::nonNull)
                .map(FabricStatus::devices)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(0);
    }

    private int links() {
        return Objects.requireNonNullElse(status().links(), 0);
    }

    private long generation() {
        return Objects.requireNonNullElse(status().generation(), 0L);
    }

    private boolean isTrue(String type) {
        return system.fabrics().stream()
                .findFirst()
                .map(fabric -> FabricSystem.condition(fabric, type).equals("True"))
                .orElse(false);
    }

    private Condition condition(String type) {
        return status().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no condition " + type + " in " + status().conditions()));
    }

    private Map<String, Integer> indices() {
        Map<String, Integer> indices = new TreeMap<>();
        for (FabricDevice device : client.resources(FabricDevice.class).list().getItems()) {
            indices.put(
                    device.getMetadata().getName(),
                    Objects.requireNonNull(device.getStatus().index()));
        }
        return indices;
    }

    private FabricDevice deviceOf(String node) {
        return client.resources(FabricDevice.class).list().getItems().stream()
                .filter(device -> node.equals(device.getSpec().nodeName()))
                .findFirst()
                .orElseThrow();
    }

    /** Another device of the same node: what an administrator, or a liar, might write. */
    private static FabricDevice copyOf(FabricDevice device, String osName) {
        FabricDevice copy = new FabricDevice();
        copy.setMetadata(new ObjectMetaBuilder()
                .withName(device.getSpec().nodeName() + "-" + osName.replace('_', '-') + "-1")
                .withOwnerReferences(device.getMetadata().getOwnerReferences())
                .build());
        copy.setSpec(FabricDeviceSpecBuilder.builder(device.getSpec())
                .osName(osName)
                .deviceId(
                        "fab://0000:0000:0000:00" + osName.charAt(5) + "1::0000:0000:0000:00" + osName.charAt(5) + "1")
                .nodeGuid("00000000000000" + osName.charAt(5) + "1")
                .portGuid("00000000000000" + osName.charAt(5) + "1")
                .build());
        return copy;
    }

    private static FabricDevice of(FabricDevice device, String node) {
        FabricDevice changed = new FabricDevice();
        changed.setMetadata(new ObjectMetaBuilder(device.getMetadata())
                .addToLabels("touched", "true")
                .build());
        changed.setSpec(
                FabricDeviceSpecBuilder.builder(device.getSpec()).nodeName(node).build());
        return changed;
    }

    private KubernetesClient clientOfAgentOn(String node) throws IOException {
        Pod pod = client
                .pods()
                .inNamespace(FabricSystem.NAMESPACE)
                .withLabel("app.kubernetes.io/name", "fabric-agent")
                .list()
                .getItems()
                .stream()
                .filter(candidate -> node.equals(candidate.getSpec().getNodeName()))
                .findFirst()
                .orElseThrow();
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(controlPlane.server())
                .withCaCertData(controlPlane.authorityPem())
                .withOauthToken(Files.readString(system.tokenFile(pod)))
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static void assertRefused(String message, Runnable write) {
        assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        refusal -> assertThat(refusal.getCode()).isIn(403, 422))
                .hasMessageContaining(message);
    }
}
