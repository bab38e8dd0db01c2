/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.crds;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.hostgen.RecordedHost;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.discovery.HostDiscovery;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.ObjectNames;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@WithControlPlane
class SchemaTest {
    private static final List<HasMetadata> CREATED = new ArrayList<>();

    private static final String DEVICE = """
            apiVersion: fabric-operator.dev/v1alpha1
            kind: FabricDevice
            metadata: {name: schematest-n1-mlx5-0-1}
            spec:
              nodeName: schematest-n1
              osName: mlx5_0
              port: 1
              deviceId: fab://0::1
              type: OpenFabrics
              family: InfiniBand
            """;

    @BeforeAll
    static void install(KubernetesClient client) throws IOException {
        List<String> kinds = new ArrayList<>();
        try (var files = Files.newDirectoryStream(ProjectRoot.find().resolve("config/crd"), "fabric*.yaml")) {
            for (Path file : files) {
                CustomResourceDefinition crd = client.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .load(file.toFile())
                        .item();
                client.resource(crd).forceConflicts().serverSideApply();
                kinds.add(crd.getMetadata().getName());
            }
        }
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> client.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                                .filter(crd -> kinds.contains(crd.getMetadata().getName()))
                                .filter(SchemaTest::isEstablished)
                                .count()
                        == kinds.size());
    }

    @AfterAll
    static void remove(KubernetesClient client) {
        CREATED.forEach(object -> client.resource(object).delete());
    }

    private static boolean isEstablished(CustomResourceDefinition crd) {
        return crd.getStatus() != null
                && crd.getStatus().getConditions().stream()
                        .anyMatch(c -> c.getType().equals("Established")
                                && c.getStatus().equals("True"));
    }

    private static HasMetadata apply(KubernetesClient client, String manager, String yaml) {
        HasMetadata object = client.resource(yaml).item();
        HasMetadata applied = client.resource(object)
                .patch(
                        new PatchContext.Builder()
                                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                                .withFieldManager(manager)
                                .withForce(false)
                                .build(),
                        object);
        CREATED.add(applied);
        return applied;
    }

    private static String named(String yaml, String name) {
        return yaml.replaceFirst("name: [a-z0-9-]+", "name: " + name);
    }

    @Test
    void schemasAreStructuralAndEveryNameIsAccepted(KubernetesClient client) {
        for (CustomResourceDefinition crd :
                client.apiextensions().v1().customResourceDefinitions().list().getItems()) {
            if (crd.getSpec().getGroup().equals("fabric-operator.dev")) {
                assertThat(crd.getStatus().getConditions())
                        .extracting(c -> c.getType() + "=" + c.getStatus())
                        .contains("NamesAccepted=True", "Established=True")
                        .doesNotContain("NonStructuralSchema=True");
            }
        }
    }

    @Test
    void everyDeviceOfARecordedHostIsAccepted(KubernetesClient client, @TempDir Path directory) throws Exception {
        Path tree = RecordedHost.unpack(
                ProjectRoot.find().resolve("fixtures/sysfs/derived/lassen28.mlx5x4-socketdirect-4v100.tar.xz"),
                directory);
        List<Device> devices = HostDiscovery.discover(PathHostTree.of(tree)).devices();
        assertThat(devices).hasSizeGreaterThan(4);
        for (Device device : devices) {
            FabricDeviceSpec spec = DeviceMapper.toSpec("schematest-lassen", device, error -> null);
            FabricDevice object = new FabricDevice();
            object.getMetadata().setName(ObjectNames.device("schematest-lassen", device.osName(), device.port()));
            object.setSpec(spec);
            FabricDevice stored = client.resource(object).create();
            CREATED.add(stored);
            assertThat(stored.getSpec()).isEqualTo(spec);
        }
    }

    @Test
    void defaultsAreFilledIn(KubernetesClient client) {
        apply(client, "fabric-agent", named(DEVICE, "schematest-defaults"));
        FabricDeviceSpec spec = client.resources(FabricDevice.class)
                .withName("schematest-defaults")
                .get()
                .getSpec();
        assertThat(List.of(spec.function() + "", spec.role() + "", spec.state() + ""))
                .containsExactly("Physical", "Unknown", "Unknown");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nodeGuid: E09D7303007A4BD8 | spec.nodeGuid",
                "nodeGuid: '0x1' | spec.nodeGuid",
                "lid: 0 | spec.lid",
                "family: Infiniband | spec.family",
                "state: Up | spec.state",
                "numaNode: -1 | spec.numaNode",
                "pci: {address: '82:00.0'} | spec.pci.address",
                "pci: {address: '0000:82:00.0', vendorId: 15B3} | spec.pci.vendorId",
                "distances: [{numaNode: 0, minimum: 20, maximum: 10}] | minimum must not exceed maximum",
                "distances: [{numaNode: 0, minimum: 10, maximum: 10}, {numaNode: 0, minimum: 9, maximum: 9}] | duplicate entries",
            })
    void whatIsNotADeviceIsRefusedByName(String field, String named, KubernetesClient client) {
        String key = field.substring(0, field.indexOf(':'));
        String yaml =
                named(DEVICE, "schematest-refused").replaceAll("(?m)^  " + key + ": .*\n", "") + "  " + field + "\n";
        assertThatThrownBy(() -> apply(client, "fabric-agent", yaml))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodeName: other", "osName: mlx5_9", "port: 2"})
    void identityIsImmutable(String change, KubernetesClient client) {
        String name = "schematest-identity-" + change.replaceAll("[^a-z]", "");
        apply(client, "fabric-agent", named(DEVICE, name));
        String field = change.substring(0, change.indexOf(':'));
        String changed = named(DEVICE, name).replaceAll("(?m)^  " + field + ": .*$", "  " + change);
        assertThatThrownBy(() -> apply(client, "fabric-agent", changed)).hasMessageContaining("immutable");
    }

    @Test
    void oneHundredAndTwentyEightGidsFitAndOneMoreDoesNot(KubernetesClient client) {
        String gid = "fe80:0000:0000:0000:506b:4b03:003c:eee8, ";
        apply(client, "fabric-agent", named(DEVICE, "schematest-gids") + "  gids: [" + gid.repeat(128) + "]\n");
        assertThatThrownBy(() -> apply(
                        client,
                        "fabric-agent",
                        named(DEVICE, "schematest-gids") + "  gids: [" + gid.repeat(129) + "]\n"))
                .hasMessageContaining("spec.gids");
    }

    @Test
    void aSwitchOfOneThousandAndTwentyFourPortsFitsAndOneMoreDoesNot(KubernetesClient client) {
        apply(client, "source", switchWith(1024));
        assertThat(client.resources(FabricSwitch.class)
                        .withName("schematest-director")
                        .get()
                        .getSpec()
                        .ports())
                .hasSize(1024);
        assertThatThrownBy(() -> apply(client, "source", switchWith(1025))).hasMessageContaining("spec.ports");
    }

    private static String switchWith(int ports) {
        StringBuilder yaml = new StringBuilder("""
                apiVersion: fabric-operator.dev/v1alpha1
                kind: FabricSwitch
                metadata: {name: schematest-director}
                spec:
                  id: director
                  ports:
                """);
        for (int port = 1; port <= ports; port++) {
            yaml.append("  - {number: ")
                    .append(port)
                    .append(", peer: {id: e09d7303007a4bd8, port: 1}, state: Active}\n");
        }
        return yaml.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{type: ibnetdiscover} | needs a configMapRef or a url",
                "{type: slurm} | needs a configMapRef or a url",
                "{type: cables} | needs a configMapRef or a url",
                "{type: ibnetdiscover, configMapRef: {name: a}, url: 'file:///b'} | not both",
                "{type: ibnetdiscover, secretRef: {name: a}} | only type ufm reads a secretRef",
                "{type: slurm, url: 'https://a'} | begins with",
                "{type: lldp, secretRef: {name: a}} | only type ufm reads a secretRef",
                "{type: ufm, url: 'https://a'} | needs a url and a secretRef",
                "{type: ufm, secretRef: {name: a}} | needs a url and a secretRef",
                "{type: ufm, url: 'http://a', secretRef: {name: a}} | begins with",
                "{type: ufm, url: 'file:///a', secretRef: {name: a}} | begins with",
                "{type: ufm, url: 'https://a', secretRef: {name: a}, configMapRef: {name: b}} | no configMapRef",
                "{type: rumour, url: 'file:///b'} | Unsupported value"
            })
    void aTopologySourceSaysOneThing(String source, String message, KubernetesClient client) {
        assertThatThrownBy(() -> apply(client, "person", """
                        apiVersion: fabric-operator.dev/v1alpha1
                        kind: Fabric
                        metadata: {name: schematest-sources}
                        spec:
                          sources: [%s]
                        """.formatted(source))).hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LD_PRELOAD",
                "LD_LIBRARY_PATH",
                "BASH_ENV",
                "BASH_FUNC_ls",
                "ENV",
                "PATH",
                "PYTHONSTARTUP",
                "PERL5OPT",
                "JAVA_TOOL_OPTIONS",
                "_JAVA_OPTIONS",
                "NODE_OPTIONS",
                "FI_PROVIDER_PATH",
                "OMPI_MCA_mca_base_component_path",
                "OMPI_MCA_plm_rsh_agent",
                "OMPI_MCA_mca_base_param_files",
                "HSA_TOOLS_LIB",
                "NCCL_NET_PLUGIN",
                "UCX_MODULE_DIR",
                "PMIX_SERVER_URI41",
                "https_proxy"
            })
    void noFabricTellsProcessesWhatToRunOrLoad(String name, KubernetesClient client) {
        assertThatThrownBy(() -> apply(client, "person", """
                        apiVersion: fabric-operator.dev/v1alpha1
                        kind: Fabric
                        metadata: {name: schematest-env}
                        spec: {hostPreparation: {env: [{name: FI_PROVIDER, value: verbs}, {name: %s, value: x}]}}
                        """.formatted(name)))
                .hasMessageContaining("what a process runs or loads");
    }

    @Test
    void variablesOfLibrariesAreTaken(KubernetesClient client) {
        apply(client, "person", """
                apiVersion: fabric-operator.dev/v1alpha1
                kind: Fabric
                metadata: {name: schematest-env}
                spec:
                  hostPreparation:
                    env:
                      - {name: FI_PROVIDER, value: verbs}
                      - {name: UCX_TLS, value: rc}
                      - {name: NCCL_IB_HCA, value: mlx5}
                      - {name: OMPI_MCA_pml, value: ucx}
                """);
    }

    @Test
    void everyTypeOfSourceHasAValidForm(KubernetesClient client) {
        apply(client, "person", """
                apiVersion: fabric-operator.dev/v1alpha1
                kind: Fabric
                metadata: {name: schematest-sources}
                spec:
                  sources:
                  - {type: ibnetdiscover, configMapRef: {name: a}}
                  - {type: ufm, url: 'https://ufm.example:8443', secretRef: {name: a}}
                  - {type: lldp}
                  - {type: lldp, configMapRef: {name: a}}
                  - {type: slurm, url: 'file:///etc/fabric-operator/topology/topology.conf'}
                  - {type: cables, configMapRef: {name: b}}
                """);
        assertThat(client.resources(Fabric.class)
                        .withName("schematest-sources")
                        .get()
                        .getSpec()
                        .sources())
                .hasSize(6);
    }

    @Test
    void conditionsOfTwoManagersLiveSideBySide(KubernetesClient client) {
        String name = "schematest-managers";
        apply(client, "fabric-agent", named(DEVICE, name));
        for (String type : List.of("First", "Second")) {
            HasMetadata status = client.resource("""
                    apiVersion: fabric-operator.dev/v1alpha1
                    kind: FabricDevice
                    metadata: {name: %s}
                    status:
                      conditions:
                      - {type: %s, status: "True", reason: Because, message: of the test}
                    """.formatted(name, type)).item();
            client.resource(status)
                    .subresource("status")
                    .patch(
                            new PatchContext.Builder()
                                    .withPatchType(PatchType.SERVER_SIDE_APPLY)
                                    .withFieldManager("manager-" + type.toLowerCase(java.util.Locale.ROOT))
                                    .build(),
                            status);
        }
        assertThat(client.resources(FabricDevice.class)
                        .withName(name)
                        .get()
                        .getStatus()
                        .conditions())
                .extracting(c -> c.type())
                .containsExactlyInAnyOrder("First", "Second");
    }

    @Test
    void anotherManagersValueIsAConflict(KubernetesClient client) {
        String name = "schematest-conflict";
        apply(client, "fabric-agent", named(DEVICE, name) + "  state: Active\n");
        assertThatThrownBy(() -> apply(client, "somebody", named(DEVICE, name) + "  state: Down\n"))
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(409))
                .hasMessageContaining("fabric-agent");
    }

    @Test
    void kubectlShowsTheColumnsAndKnowsTheShortNames(Cluster cluster, KubernetesClient client) {
        apply(client, "fabric-agent", named(DEVICE, "schematest-columns") + "  state: Active\n");
        apply(client, "person", """
                apiVersion: fabric-operator.dev/v1alpha1
                kind: Fabric
                metadata: {name: schematest-columns}
                """);
        Command kubectl = Command.kubectl(cluster);
        // Short names are published a moment after the kinds are served.
        eventually(() -> {
            kubectl.run("get", "fab,fdev,fsw");
        });
        assertThat(kubectl.run("get", "fab", "schematest-columns"))
                .containsPattern("NAME +KIND +DEVICES +SWITCHES +LINKS +SHAPE +READY +AGE");
        assertThat(kubectl.run("get", "fdev", "schematest-columns"))
                .containsPattern("NAME +NODE +DEVICE +PORT +FAMILY +STATE +FABRIC +PLANE +INDEX +AGE")
                .containsPattern("schematest-columns +schematest-n1 +mlx5_0 +1 +InfiniBand +Active");
        assertThat(kubectl.run("get", "fsw")).isNotNull();
        assertThat(kubectl.run("get", "fabric", "-o", "name")).contains("fabric.fabric-operator.dev/");
        assertThat(kubectl.run("get", "fdev", "--field-selector", "spec.nodeName=schematest-n1"))
                .contains("schematest-columns");
    }
}
