/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where the controller knows the cabling from. */
@WithControlPlane
class TopologySourceTest extends OperatorCase {
    private static final String LAYER = "topology.k8s.aws/network-node-layer-";

    TopologySourceTest(ControlPlane cluster) {
        super(cluster);
    }

    @Test
    void aBadDumpKeepsTheLastGoodStateAndIsNamed() {
        String dump = SmallFabric.dump();
        admin.resource(SmallFabric.upload(dump.substring(0, dump.length() / 2))).update();
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").message()).contains("small.txt:");
        });
        assertThat(status().kind()).isEqualTo(FabricKind.FatTree);
        assertThat(status().links()).isEqualTo(10);
        admin.resource(SmallFabric.upload(dump)).update();
        eventually(() -> assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True));
    }

    @Test
    void aFabricMayNameAFileOrAPlainConfigMapInsteadOfAnUpload() throws IOException {
        Path file = Files.writeString(directory.resolve("net.txt"), SmallFabric.dump());
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .url(file.toUri().toString().replaceFirst("^file:/+", "file:///"))
                .build());
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        eventually(() -> {
            assertThat(sources()).hasSize(1).allMatch(source -> source.startsWith("file."));
            assertThat(status().kind()).isEqualTo(FabricKind.FatTree);
        });

        admin.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("by-hand")
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .addToData("net.txt", SmallFabric.dump())
                        .build())
                .create();
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .configMapRef(new ObjectRef("by-hand"))
                .build());
        // Switches are written before the status.
        eventually(() -> {
            assertThat(sources()).containsExactly("by-hand");
            assertThat(status().links()).isEqualTo(10);
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
        });
    }

    @Test
    void aTableOfCablesIsASourceToo() {
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        StringBuilder table = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            table.append("switch:leaf,%d,%s,1,400000000000%n".formatted(host, SmallFabric.guid(host)));
        }
        admin.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("table")
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .endMetadata()
                        .addToData("cables.csv", table.toString())
                        .build())
                .create();
        name(TopologySourceBuilder.builder()
                .type(SourceType.cables)
                .configMapRef(new ObjectRef("table"))
                .build());
        eventually(() -> {
            assertThat(sources()).containsExactly("table");
            assertThat(status().switches()).isEqualTo(1);
            assertThat(status().links()).isEqualTo(SmallFabric.HOSTS);
            assertThat(status().sources()).singleElement().satisfies(source -> {
                assertThat(source.type()).isEqualTo("cables");
                assertThat(source.state()).isEqualTo("SourceRead");
            });
        });
    }

    @Test
    void aFileOutsideTheTopologyDirectoryIsNotRead() {
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .url("file:///etc/hostname")
                .build());
        eventually(() -> assertThat(condition("TopologyKnown").message())
                .contains("file:///etc/hostname", "must be below " + directory));
        assertThat(status().links()).isEqualTo(10);
    }

    @Test
    void aDumpThatLostALeafIsHeldUntilSomebodyAcceptsIt() {
        Long generation = status().generation();
        admin.resource(SmallFabric.upload(SmallFabric.dumpOfTheFirstLeaf())).update();
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").reason()).isEqualTo("SourceShrank");
            assertThat(condition("TopologyKnown").message())
                    .contains("small.txt: lost 2 of 3 switches and 6 of 10 cables", "the last good state stays");
        });
        FabricStatus held = status();
        assertThat(held.generation()).isEqualTo(generation);
        assertThat(held.links()).isEqualTo(10);
        assertThat(held.sources()).singleElement().satisfies(source -> {
            assertThat(source.state()).isEqualTo("SourceShrank");
            assertThat(source.since()).isNotNull();
            assertThat(source.links()).isEqualTo(10);
        });

        annotate(FabricApi.ANNOTATION_ACCEPT_LOSS, "00000000");
        String digest = condition("TopologyKnown").message().replaceFirst("(?s).*accept-loss=([0-9a-f]+).*", "$1");
        annotate(FabricApi.ANNOTATION_ACCEPT_LOSS, digest);
        eventually(() -> {
            assertThat(status().links()).isEqualTo(4);
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
        });
        assertThat(status().devices()).isEqualTo(8);
    }

    @Test
    void aDeletedConfigMapIsMissedWhileAFabricNamesItAndItsSwitchesGoWhenNobodyDoes() {
        name(TopologySourceBuilder.builder()
                .type(SourceType.ibnetdiscover)
                .configMapRef(new ObjectRef("small"))
                .build());
        admin.configMaps()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("small")
                .delete();
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").reason()).isEqualTo("SourceMissing");
            assertThat(condition("TopologyKnown").message()).contains("no ConfigMap or upload small");
        });
        assertThat(status().links()).isEqualTo(10);
        name();
        eventually(() -> {
            assertThat(status().kind()).isEqualTo(FabricKind.Flat);
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.False);
            assertThat(condition("TopologyKnown").reason()).isEqualTo("NoSource");
        });
    }

    @Test
    void sourcesThatContradictEachOtherAreBothNamedUntilOneIsPutRight() {
        String leaf = SmallFabric.LEAVES.getFirst();
        String swapped = SmallFabric.dump()
                .replace("[3]\t\"H-" + SmallFabric.guid(3), "[3]\t\"H-" + SmallFabric.guid(4) + "?")
                .replace("[4]\t\"H-" + SmallFabric.guid(4), "[4]\t\"H-" + SmallFabric.guid(3))
                .replace("?", "");
        ConfigMap second = SmallFabric.upload(swapped);
        second.getMetadata().setName("second");
        admin.resource(second).create();
        eventually(() -> {
            assertThat(condition("SourcesAgree").status()).isEqualTo(ConditionStatus.False);
            assertThat(condition("SourcesAgree").message()).contains("second." + leaf, "small." + leaf);
        });
        assertThat(status().links()).isEqualTo(10);
        second.setData(Map.of("small.txt", SmallFabric.dump()));
        admin.resource(second).update();
        eventually(() -> {
            assertThat(condition("SourcesAgree").status()).isEqualTo(ConditionStatus.True);
            assertThat(status().findings()).isEmpty();
        });
    }

    @Test
    void aRefreshReadsEverySourceOnceMoreAndIsAcknowledged() throws IOException {
        Path file = Files.writeString(directory.resolve("renamed.txt"), SmallFabric.dump());
        name(
                TopologySourceBuilder.builder()
                        .type(SourceType.ibnetdiscover)
                        .url(file.toUri().toString().replaceFirst("^file:/+", "file:///"))
                        .build(),
                TopologySourceBuilder.builder()
                        .type(SourceType.ibnetdiscover)
                        .configMapRef(new ObjectRef("small"))
                        .build());
        eventually(() -> assertThat(sources()).hasSize(2));
        assertThat(status().refreshed()).isNull();
        // A file of the same length and time: nothing tells that it is another one.
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, SmallFabric.dump().replace("leaf1", "leafA"));
        Files.setLastModifiedTime(file, time);

        annotate(FabricApi.ANNOTATION_REFRESH, "one");
        eventually(() -> {
            assertThat(status().refreshed()).isEqualTo("one");
            assertThat(events("SourcesRefreshed"))
                    .anySatisfy(event -> assertThat(event.getMessage()).contains("2 sources", "one"));
        });
        eventually(() -> assertThat(namesOfFirstLeaf()).containsExactlyInAnyOrder("leaf1", "leafA"));
    }

    private Set<String> namesOfFirstLeaf() {
        return admin.resources(FabricSwitch.class).list().getItems().stream()
                .filter(s -> s.getSpec().id().equals(SmallFabric.LEAVES.getFirst()))
                .map(s -> Objects.requireNonNull(s.getSpec().name()))
                .collect(Collectors.toSet());
    }

    @Test
    void neighboursThatAgentsReportBecomeSwitchesAndStayWhenTheyFallSilent() {
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            report(host, new NeighborRef("00:1c:73:00:00:01", "swp" + host, "lldp"));
        }
        name(TopologySourceBuilder.builder().type(SourceType.lldp).build());
        eventually(() -> {
            assertThat(status().switches()).isEqualTo(1);
            assertThat(status().links()).isEqualTo(SmallFabric.HOSTS);
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
        });
        assertThat(device(3).switchId()).isEqualTo("00:1c:73:00:00:01");
        assertThat(device(3).switchPort()).isEqualTo(3);

        report(3, null);
        report(4, new NeighborRef("00:1c:73:00:00:02", "swp9", "lldp"));
        eventually(() -> assertThat(device(4).switchId()).isEqualTo("00:1c:73:00:00:02"));
        assertThat(device(3).switchId()).isEqualTo("00:1c:73:00:00:01");
    }

    /** As EKS labels them by its documentation. */
    @Test
    void labelsThatACloudWroteMakeATreeOfTheDevicesOfItsNodes() {
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        try {
            for (int host = 1; host <= SmallFabric.HOSTS; host++) {
                label(host, host <= SmallFabric.HOSTS / 2 ? "nn-left" : "nn-right");
            }
            name(TopologySourceBuilder.builder().type(SourceType.NodeLabels).build());
            eventually(() -> {
                assertThat(sources()).containsExactly("node-labels");
                assertThat(status().kind()).isEqualTo(FabricKind.FatTree);
                assertThat(status().switches()).isEqualTo(4);
                assertThat(status().links()).isEqualTo(SmallFabric.HOSTS + 3);
                assertThat(device(3).switchId()).isEqualTo("nn-left");
                assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
            });

            label(3, null);
            eventually(() -> assertThat(status().findings())
                    .extracting(FindingStatus::type, FindingStatus::message)
                    .anySatisfy(finding -> assertThat(finding.toString())
                            .contains("SourceWarning", "1 of 8 nodes lack the label " + LAYER + "3, such as n3")));
            assertThat(device(3).switchId()).isEqualTo("nn-left");

            label(3, "nn-right");
            eventually(() -> assertThat(device(3).switchId()).isEqualTo("nn-right"));

            label(1, "nn-top");
            eventually(() -> assertThat(status().findings())
                    .anySatisfy(finding -> assertThat(finding.toString())
                            .contains(
                                    "SourceWarning",
                                    "node n1: " + LAYER + "3=nn-top is the name of another tier's block")));
            assertThat(condition("TopologyKnown").reason()).isEqualTo("SourceRead");
            assertThat(device(1).switchId()).isEqualTo("nn-left");
            assertThat(status().links()).isEqualTo(SmallFabric.HOSTS + 3);

            // Of the others each counts on.
            label(4, "nn-right");
            eventually(() -> assertThat(device(4).switchId()).isEqualTo("nn-right"));
        } finally {
            name();
            for (int host = 1; host <= SmallFabric.HOSTS; host++) {
                admin.nodes().withName("n" + host).delete();
            }
        }
    }

    /** As GPU Feature Discovery labels nodes, and agents of such hosts publish accelerators: played, no host with NVLink was there. */
    @Test
    void cliquesOfNvlinkAreAFabricBesideTheNetwork() {
        String key = "nvidia.com/gpu.clique";
        String domain = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31";
        Fabric nvlink = new Fabric();
        nvlink.setMetadata(new ObjectMetaBuilder().withName("nvlink").build());
        nvlink.setSpec(FabricSpecBuilder.builder()
                .sources(List.of(TopologySourceBuilder.builder()
                        .type(SourceType.NodeLabels)
                        .nodeLabels(new NodeLabelSource(List.of(key), 7200, null))
                        .build()))
                .build());
        try {
            for (int host = 1; host <= SmallFabric.HOSTS; host++) {
                labels(host, Map.of(key, domain + (host <= SmallFabric.HOSTS / 2 ? ".0" : ".1")));
                admin.resource(accelerator(host, 0)).create();
                admin.resource(accelerator(host, 1)).create();
            }
            admin.resource(nvlink).create();
            eventually(() -> {
                FabricStatus status = statusOf("nvlink");
                assertThat(status.devices()).isEqualTo(2 * SmallFabric.HOSTS);
                assertThat(status.switches()).isEqualTo(2);
                assertThat(status.groups()).isEqualTo(2);
                assertThat(status.findings()).extracting(FindingStatus::type).containsExactly("SplitDomain");
                assertThat(status.conditions())
                        .filteredOn(condition -> condition.type().equals("Connected"))
                        .allMatch(condition -> condition.status() == ConditionStatus.True);
                FabricDeviceStatus device = Objects.requireNonNull(admin.resources(FabricDevice.class)
                        .withName(accelerator(3, 1).getMetadata().getName())
                        .get()
                        .getStatus());
                assertThat(device.fabric()).isEqualTo("nvlink");
                assertThat(device.switchId()).isEqualTo(domain + ".0");
            });
            assertThat(status().devices()).as("of the network").isEqualTo(SmallFabric.HOSTS);
            assertThat(status().kind()).isEqualTo(FabricKind.FatTree);

            labels(3, Map.of());
            eventually(() -> assertThat(statusOf("nvlink").findings())
                    .anySatisfy(finding -> assertThat(finding.toString())
                            .contains(
                                    "SourceWarning", "1 of 8 nodes have none of the labels " + key + ", such as n3")));
            assertThat(statusOf("nvlink").links()).isEqualTo(2 * SmallFabric.HOSTS);
        } finally {
            admin.resource(nvlink).delete();
            for (int host = 1; host <= SmallFabric.HOSTS; host++) {
                admin.nodes().withName("n" + host).delete();
                admin.resource(accelerator(host, 0)).delete();
                admin.resource(accelerator(host, 1)).delete();
            }
        }
    }

    private FabricStatus statusOf(String fabric) {
        return Objects.requireNonNull(
                admin.resources(Fabric.class).withName(fabric).get().getStatus());
    }

    private static FabricDevice accelerator(int host, int number) {
        String address = "0000:0" + number + ":00.0";
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName("n" + host + "-0000-0" + number + "-00.0-0")
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n" + host)
                .hostname("n" + host)
                .osName(address)
                .port(0)
                .deviceId(address + "@n" + host)
                .source("sysfs")
                .type(DeviceType.Gpu)
                .family(Family.NVLink)
                .vendor("NVIDIA")
                .numaNode(number)
                .build());
        return device;
    }

    private void label(int host, @Nullable String leaf) {
        Map<String, String> labels = new HashMap<>(Map.of(LAYER + "1", "nn-top", LAYER + "2", "nn-middle"));
        if (leaf != null) {
            labels.put(LAYER + "3", leaf);
        }
        labels(host, labels);
    }

    private void labels(int host, Map<String, String> labels) {
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("n" + host)
                        .withLabels(labels)
                        .endMetadata()
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    /** As an agent that hears a neighbour, or none any more, publishes its device. */
    private void report(int host, @Nullable NeighborRef neighbor) {
        eventually(() -> admin.resources(FabricDevice.class)
                .withName(SmallFabric.deviceName(host))
                .edit(device -> {
                    device.setSpec(FabricDeviceSpecBuilder.builder(device.getSpec())
                            .neighbor(neighbor)
                            .build());
                    return device;
                }));
    }

    private void name(TopologySource... sources) {
        change(fabric -> fabric.setSpec(FabricSpecBuilder.builder(fabric.getSpec())
                .sources(List.of(sources))
                .build()));
    }

    private Set<String> sources() {
        return admin.resources(FabricSwitch.class).list().getItems().stream()
                .map(s -> Objects.requireNonNull(s.getSpec().source()))
                .collect(Collectors.toSet());
    }
}
