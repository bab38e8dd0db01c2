/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.e2e.operator.SweeperProcess;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.view.mapping.DeviceMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Servers answer by forwarding tables that the sweeper dumps: on ibsim, with tables that OpenSM's routing engines made, compared with {@code ibtracert}. The
 * agents' part, devices with their LIDs, is played by what ibnetdiscover says of them.
 */
@WithControlPlane(own = true)
class RoutesOfASweepTest {
    private static final String FABRIC = "infiniband-0";
    private static final int PAIRS = 40;
    private static final int PAIRS_OF_A_LONG_RUN = 200;
    private static final long SEED = 42;
    private static final Map<String, String> SETTINGS = Map.of(
            "FABRIC_OPERATOR_QUERY_ACCESS_CACHE",
            "200ms",
            "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD",
            "500ms",
            "FABRIC_OPERATOR_SOURCE_POLL_INTERVAL",
            "1s");

    @TempDir
    static Path directory;

    private final ControlPlane cluster;
    private final KubernetesClient admin;

    RoutesOfASweepTest(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @Test
    void pathsAreThoseOfTheForwardingTablesAndFollowAnotherRouting() throws Exception {
        compare("ft2-128", "updn", "minhop", PAIRS);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"rail-32x8, minhop, sssp", "ft3-k18, ftree, minhop", "torus-6x6x6, dor, sssp"})
    void pathsInLargeSubnetsOfEveryKindAreThoseOfTheForwardingTables(String fabric, String engine, String other)
            throws Exception {
        compare(fabric, engine, other, PAIRS_OF_A_LONG_RUN);
    }

    /** @param other routing engine that takes over */
    private void compare(String fabric, String engine, String other, int pairs) throws Exception {
        Path directory = Files.createDirectory(RoutesOfASweepTest.directory.resolve(fabric));
        Manifests.apply(cluster);
        Manifests.applySweeper(cluster);
        cluster.writeServingCertificate(directory.resolve("tls"), List.of("127.0.0.1"));
        String dump = dump(fabric);
        String host = dump.replaceFirst("(?s).*?\"H-(\\p{XDigit}{16})\".*", "$1");
        try (SimulatedSubnet subnet = SimulatedSubnet.routed(directory, dump, host, "-R", engine)) {
            List<Device> devices = OfflineFabrics.of(IbnetdiscoverReader.read(
                            "map", new BufferedReader(new StringReader(subnet.run(host, "ibnetdiscover")))))
                    .getFirst()
                    .devices();
            devices.forEach(this::create);
            try (ServerProcess sweeper =
                            SweeperProcess.start(cluster, subnet, host, "sweeper", directory, Duration.ofSeconds(1));
                    OperatorProcess controller =
                            OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, SETTINGS);
                    OperatorProcess server = OperatorProcess.start(
                            cluster,
                            directory,
                            "server",
                            OperatorProcess.BRIEF,
                            Map.of(
                                    "FABRIC_OPERATOR_QUERY_CERTIFICATE_DIRECTORY",
                                    directory.resolve("tls").toString()));
                    QueryClient viewer = new QueryClient(
                            server.query(), cluster.authorityPem(), new Users(cluster).viewer("viewer"))) {
                Paths paths = new Paths(subnet, host, viewer, devices, pairs);
                eventually(() -> assertThat(paths.basis()).isEqualTo("routes"));
                paths.assertTraced();
                String digest = digest();
                String tables = tables();
                assertThat(controller.isReady()).isTrue();

                subnet.manageAnew(host, "-R", other);
                eventually(() -> assertThat(tables()).isNotEqualTo(tables));
                eventually(paths::assertTraced);
                assertThat(digest()).isEqualTo(digest);

                // What the sweep says last of a subnet that it does not see any more is not believed.
                sweeper.kill();
                eventually(() -> assertThat(paths.basis()).isEqualTo("cheapest"));
            } finally {
                admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
                admin.resources(FabricDevice.class).delete();
                admin.resources(FabricSwitch.class).delete();
                admin.resources(Fabric.class).delete();
            }
        }
    }

    /** Random pairs, in both ways of asking. */
    private record Paths(SimulatedSubnet subnet, String host, QueryClient viewer, List<Device> devices, int pairs) {
        String basis() {
            return path(devices.getFirst(), devices.getLast()).path("basis").asText();
        }

        private JsonNode path(Device from, Device to) {
            return viewer.json(QueryClient.FABRICS + FABRIC + "/paths?from=" + from.nodeGuid() + ":" + from.port()
                    + "&to=" + to.nodeGuid() + ":" + to.port());
        }

        void assertTraced() {
            Random random = new Random(SEED);
            for (int i = 0; i < pairs; i++) {
                Device from = devices.get(random.nextInt(devices.size()));
                Device to = devices.get(random.nextInt(devices.size()));
                if (!Objects.equals(from.portGuid(), to.portGuid())) {
                    JsonNode path = path(from, to);
                    assertThat(path.path("basis").asText()).as(path.toString()).isEqualTo("routes");
                    List<String> hops = new ArrayList<>();
                    path.path("steps")
                            .forEach(step -> hops.add(step.path("switch").asText() + ":"
                                    + step.path("inPort").asInt() + ":"
                                    + step.path("outPort").asInt()));
                    assertThat(hops)
                            .isEqualTo(subnet.trace(
                                    host,
                                    Objects.requireNonNull(from.portGuid()),
                                    Objects.requireNonNull(to.portGuid())));
                }
            }
        }
    }

    private void create(Device device) {
        FabricDevice object = new FabricDevice();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(device.hostname() + "-" + device.osName().replace('_', '-') + "-" + device.port())
                .build());
        object.setSpec(DeviceMapper.toSpec(device.hostname(), device, error -> null));
        admin.resource(object).create();
    }

    private FabricStatus status() {
        return Objects.requireNonNull(
                admin.resources(Fabric.class).withName(FABRIC).require().getStatus());
    }

    private String digest() {
        return Objects.requireNonNull(status().costMatrix()).digest();
    }

    /** Digest of the tables that the status names. */
    private String tables() {
        return status().sources().stream()
                .filter(source -> FabricApi.ORIGIN_LIVE.equals(source.type()))
                .map(source -> Objects.requireNonNull(source.routes()).digest())
                .findFirst()
                .orElseThrow();
    }

    private static String dump(String fabric) throws IOException {
        return Dumps.read(ProjectRoot.find()
                        .resolve("fixtures/sim")
                        .resolve(fabric)
                        .resolve("ibnetdiscover.txt.gz"))
                .text();
    }
}
