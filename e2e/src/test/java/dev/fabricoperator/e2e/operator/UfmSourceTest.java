/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.PlayedAppliance.Play;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A UFM appliance, played back, as the source of a Fabric. */
@WithControlPlane(own = true)
class UfmSourceTest extends OperatorCase {
    private static final String SPINE = "b000000000000001";
    private static final int LINKS = 10;

    private PlayedAppliance appliance;

    UfmSourceTest(ControlPlane cluster) {
        super(cluster);
    }

    @Override
    OperatorProcess start() {
        return start(Map.of("FABRIC_OPERATOR_UFM_POLL_INTERVAL", "1s"));
    }

    @BeforeEach
    void anApplianceInsteadOfTheDump() throws IOException, GeneralSecurityException {
        appliance = PlayedAppliance.start(cluster, directory);
        playSmallFabric(LINKS);
        admin.resource(appliance.secret("ufm")).create();
        nameIt();
        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).delete();
        eventually(() -> {
            assertThat(admin.resources(FabricSwitch.class).list().getItems())
                    .hasSize(3)
                    .allMatch(s -> String.valueOf(s.getSpec().source()).startsWith("ufm."));
            assertThat(status().sources()).singleElement().satisfies(source -> {
                assertThat(source.type()).isEqualTo("ufm");
                assertThat(source.state()).isEqualTo("SourceRead");
                assertThat(source.links()).isEqualTo(LINKS);
            });
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
            assertThat(condition("Ready").status()).isEqualTo(ConditionStatus.True);
        });
    }

    @AfterEach
    void stopTheAppliance() {
        appliance.close();
        admin.secrets().inNamespace(OperatorProcess.NAMESPACE).withName("ufm").delete();
    }

    @Test
    void whatTheApplianceSeesIsFollowedAndWhatItCannotSayChangesNothing() {
        assertThat(status().links()).isEqualTo(LINKS);
        assertThat(status().unmanagedDevices()).isZero();
        playSmallFabric(LINKS - 1);
        eventually(() -> assertThat(status().links()).isEqualTo(LINKS - 1));

        faults().forEach((fault, words) -> {
            appliance.play(fault.resource(), fault.play());
            eventually(() -> {
                assertThat(condition("TopologyKnown").status()).as(words).isEqualTo(ConditionStatus.Unknown);
                assertThat(condition("TopologyKnown").reason()).as(words).isEqualTo(fault.reason());
                assertThat(condition("TopologyKnown").message())
                        .contains(words)
                        .endsWith("; the last good state stays");
                assertThat(status().sources()).singleElement().satisfies(source -> {
                    assertThat(source.state()).isEqualTo(fault.reason());
                    assertThat(source.since()).isNotNull();
                });
            });
            assertThat(status().links()).as(words).isEqualTo(LINKS - 1);
            playSmallFabric(LINKS - 1);
            eventually(() -> assertThat(condition("TopologyKnown").status())
                    .as("after " + words)
                    .isEqualTo(ConditionStatus.True));
        });
        assertThat(operator.isAlive()).isTrue();
    }

    @Test
    void aSecretIsSentOnlyToTheHostThatItNames() throws IOException, GeneralSecurityException {
        try (PlayedAppliance thief = PlayedAppliance.start(cluster, directory)) {
            point(thief.url());
            eventually(() -> {
                assertThat(condition("TopologyKnown").reason()).isEqualTo("SourceRefused");
                assertThat(condition("TopologyKnown").message())
                        .contains("Secret ufm is not sent there", "annotate secret ufm fabric-operator.dev/host=");
            });
            // It was looked at again and again, and nobody connected.
            assertThat(thief.requests()).isZero();
            assertThat(status().links()).isEqualTo(LINKS);
        }
    }

    /** RecordedUfmTest and TopologyIT read the same recording without an appliance. */
    @Tag("long")
    @Test
    void selenesLinksMakeTheFabricOfItsDump() throws IOException {
        String links;
        Path file = Path.of(System.getProperty("fixtures"), "ufm/derived.ufm-links.selene-storage.json.gz");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            links = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> small = new ArrayList<>(List.of(smallLinks(LINKS)));
        appliance.play("systems", PlayedAppliance.json("[]"));
        appliance.play("ports", PlayedAppliance.json("[]"));
        appliance.play(
                "links",
                PlayedAppliance.json("[" + String.join(",", small) + "," + links.substring(links.indexOf('{'))));
        eventually(() -> assertThat(admin.resources(FabricSwitch.class).list().getItems())
                .hasSize(163));
        // One device on a leaf of Selene's stands for all: it is cabled there, and so its fabric is Selene's.
        FabricDevice device = SmallFabric.device(1);
        device.getMetadata().setName("luna-0001-mlx5-10-1");
        device.setSpec(FabricDeviceSpecBuilder.builder(device.getSpec())
                .hostname("luna-0001")
                .nodeName("luna-0001")
                .osName("mlx5_10")
                .nodeGuid("0c42a103001b8256")
                .deviceId("fab://0c42a103001b8256::0c42a103001b8256")
                .build());
        admin.resource(device).create();
        eventually(() -> assertThat(admin.resources(Fabric.class).list().getItems())
                .extracting(Fabric::getStatus)
                .filteredOn(status -> status != null && status.switches() != null && status.switches() == 160)
                .singleElement()
                .satisfies(status -> {
                    assertThat(status.links()).isEqualTo(3286);
                    assertThat(status.kind()).hasToString("FatTree");
                    assertThat(status.unmanagedDevices()).isEqualTo(1246);
                }));
    }

    /** One answer that is of no use. */
    private record Fault(String resource, String reason, Play play) {}

    /** One for each way to a reason; what else a client or a reader refuses is for UfmClientTest and UfmReaderTest. */
    private static Map<Fault, String> faults() {
        Map<Fault, String> faults = new LinkedHashMap<>();
        faults.put(
                new Fault("systems", "SourceRefused", e -> PlayedAppliance.answer(e, 401, "text/html", "")),
                "status 401");
        faults.put(
                new Fault("links", "SourceUnreachable", e -> PlayedAppliance.answer(e, 503, "text/html", "")),
                "/resources/links");
        faults.put(
                new Fault("systems", "SourceUnreadable", e -> PlayedAppliance.answer(e, 200, "text/html", "<html>")),
                "not JSON");
        faults.put(
                new Fault(
                        "links",
                        "SourceUnreadable",
                        PlayedAppliance.json("[{\"source_guid\": {}, \"source_port\": 1}]")),
                "links[0]: no source_guid");
        faults.put(new Fault("links", "SourceShrank", PlayedAppliance.json("[]")), "");
        return faults;
    }

    private void nameIt() {
        point(appliance.url());
    }

    private void point(String url) {
        eventually(() -> admin.resources(Fabric.class).withName(FABRIC).edit(fabric -> {
            fabric.setSpec(FabricSpecBuilder.builder(fabric.getSpec())
                    .sources(List.of(TopologySourceBuilder.builder()
                            .type(SourceType.ufm)
                            .url(url)
                            .secretRef(new ObjectRef("ufm"))
                            .build()))
                    .build());
            return fabric;
        }));
    }

    private void playSmallFabric(int links) {
        StringBuilder systems = new StringBuilder("[");
        for (String guid : List.of(SmallFabric.LEAVES.get(0), SmallFabric.LEAVES.get(1), SPINE)) {
            systems.append("{\"guid\": \"%s\", \"system_guid\": \"%s\", \"type\": \"switch\", \"system_name\": \"%s\","
                            .formatted(guid, guid, "sw-" + guid.charAt(0) + guid.charAt(15))
                    + "\"vendor\": \"NVIDIA\", \"model\": \"MQM9700\", \"modules\": [], \"ports\": []},");
        }
        for (int host = 1; host <= SmallFabric.HOSTS; host++) {
            String guid = SmallFabric.guid(host);
            systems.append("{\"guid\": \"%s\", \"type\": \"host\", \"system_name\": \"n%d\", \"ports\": [\"%s_1\"]}%s"
                    .formatted(guid, host, guid, host == SmallFabric.HOSTS ? "]" : ","));
        }
        appliance.play("systems", PlayedAppliance.json(systems.toString()));
        appliance.play("ports", PlayedAppliance.json("{\"data\": []}"));
        appliance.play("links", PlayedAppliance.json("{\"data\": [" + String.join(",", smallLinks(links)) + "]}"));
    }

    /** Uplinks first, then as many hosts as there is room for. */
    private static String[] smallLinks(int count) {
        List<String> links = new ArrayList<>();
        for (int leaf = 0; leaf < 2; leaf++) {
            links.add(link(SmallFabric.LEAVES.get(leaf), 31, "leaf:31", SPINE, leaf + 1, "spine:" + (leaf + 1)));
        }
        for (int host = 1; links.size() < count; host++) {
            String leaf = SmallFabric.LEAVES.get((host - 1) / 4);
            int port = (host - 1) % 4 + 1;
            links.add(link(SmallFabric.guid(host), 1, "n" + host + " mlx5_0", leaf, port, "leaf:" + port));
        }
        return links.toArray(String[]::new);
    }

    private static String link(String guid, int port, String description, String farGuid, int farPort, String far) {
        return ("{\"source_guid\": \"%s\", \"source_port\": \"%d\", \"source_port_node_description\": \"%s\", "
                        + "\"destination_guid\": \"%s\", \"destination_port\": \"%d\", \"width\": \"4x\", "
                        + "\"destination_port_node_description\": \"%s\", \"name\": \"%s_%d:%s_%d\"}")
                .formatted(guid, port, description, farGuid, farPort, far, guid, port, farGuid, farPort);
    }
}
