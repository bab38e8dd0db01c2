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
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.LevelStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The sweeper with the rights of its manifest, beside the controller with its own; below them opensm and ibnetdiscover on
 * ibsim. A cable pulled in the simulator is seen in the Fabric.
 */
@WithControlPlane(own = true)
class LiveInfiniBandTest extends OperatorCase {
    private static final String LEASE = "fabric-sweeper";
    private static final String UPLINK = "Unlink \"S-%s\"[31]".formatted(SmallFabric.LEAVES.getFirst());
    private static final int HOST_PORT = 4;
    private static final String HOST_CABLE = "Unlink \"S-%s\"[%d]".formatted(SmallFabric.LEAVES.getFirst(), HOST_PORT);
    private static final String LEAF = "infiniband." + SmallFabric.LEAVES.getFirst();

    private SimulatedSubnet subnet;
    private ServerProcess sweeper;

    LiveInfiniBandTest(ControlPlane cluster) {
        super(cluster);
    }

    @Override
    void applyMore() {
        Manifests.applySweeper(cluster);
    }

    @BeforeEach
    void aSubnetAndASweeper() throws IOException {
        // Its report is deleted with whatever a test leaves, and it has no right to create it.
        try (InputStream report = Files.newInputStream(ProjectRoot.find().resolve("config/sweeper/report.yaml"))) {
            admin.load(report).serverSideApply();
        }
        subnet = SimulatedSubnet.of(directory, SmallFabric.dump(), SmallFabric.guid(1));
        sweeper = sweeper("first", 2);
        eventually(() -> assertThat(live().state()).isEqualTo("SourceRead"));
    }

    @AfterEach
    void endThem() {
        sweeper.kill();
        subnet.close();
    }

    @Test
    void aPulledCableIsSeenAlthoughTheRecordStillHasIt() {
        assertThat(live().switches()).isEqualTo(3);
        assertThat(live().links()).isEqualTo(10);
        assertThat(condition("SourcesAgree").status()).isEqualTo(ConditionStatus.True);
        subnet.say(HOST_CABLE);
        eventually(() -> assertThat(status().links()).isEqualTo(9));
        eventually(() -> assertThat(condition("SourcesAgree").message())
                .contains(LEAF, "small." + SmallFabric.LEAVES.getFirst()));
        subnet.say(HOST_CABLE.replace("Unlink", "ReLink"));
        eventually(() -> {
            assertThat(status().links()).isEqualTo(10);
            assertThat(condition("SourcesAgree").status()).isEqualTo(ConditionStatus.True);
        });
    }

    @Test
    void halfOfACutSubnetIsNotBelievedWhileAgentsSeeTheOtherHalf() {
        subnet.say(UPLINK);
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").reason()).isEqualTo("SourceShrank");
            assertThat(condition("TopologyKnown").message())
                    .contains("lost 2 of 3 switches", "4 devices at lost cables say that their link is up");
        });
        assertThat(status().links()).isEqualTo(10);
        // A sweep that took too long says something else meanwhile.
        eventually(() -> {
            String message = condition("TopologyKnown").message();
            assertThat(message).contains("accept-loss=");
            annotate(FabricApi.ANNOTATION_ACCEPT_LOSS, message.replaceFirst("(?s).*accept-loss=([0-9a-f]+).*", "$1"));
        });
        eventually(() -> {
            assertThat(status().links()).isEqualTo(9);
            assertThat(condition("Connected").status()).isEqualTo(ConditionStatus.False);
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.True);
        });
    }

    @Test
    void aSubnetThatDoesNotAnswerKeepsTheLastGoodStateAndIsNamed() {
        subnet.end();
        eventually(() -> {
            assertThat(condition("TopologyKnown").status()).isEqualTo(ConditionStatus.Unknown);
            assertThat(condition("TopologyKnown").reason()).isEqualTo("SourceUnreachable");
            assertThat(condition("TopologyKnown").message()).contains("sweep infiniband", "has not ended within");
        });
        assertThat(status().links()).isEqualTo(10);
        assertThat(live().since()).isNotNull();
    }

    @Test
    void aLevelIsOfferedAsSwitchesServeItAndNoLongerWhenItsLaneIsTakenAway() throws IOException {
        levels("[{\"name\": \"low-latency\", \"serviceLevel\": 2}, {\"name\": \"bulk-data\", \"serviceLevel\": 1}]");
        manage("0,1,2");
        eventually(() -> assertThat(status().levels())
                .containsExactly(
                        new LevelStatus("low-latency", true, 2, "0/32", null),
                        new LevelStatus("bulk-data", true, 1, "64/8", null)));
        for (String leaf : SmallFabric.LEAVES) {
            assertThat(subnet.run(SmallFabric.guid(1), "smpquery", "-G", "sl2vl", "0x" + leaf, "1"))
                    .contains("ports: in  1, out  1: | 0| 1| 2| 0|");
        }
        assertThat(Command.kubectlFabric(cluster).run("levels", FABRIC))
                .containsPattern("bulk-data +1 +<none> +True +1 +64/8");

        manage("0,1,15");
        eventually(() -> {
            assertThat(status().levels().getFirst().offered()).isFalse();
            assertThat(status().levels().getFirst().reason())
                    .contains("packets of service level 2 are dropped (virtual lane 15) at");
            assertThat(status().levels().get(1).offered()).isTrue();
            assertThat(findings()).contains("LevelNotOffered low-latency");
        });

        manage("0,1,1");
        eventually(() -> assertThat(findings())
                .contains("LevelsIndistinguishable low-latency")
                .doesNotContain("LevelNotOffered low-latency"));
        levels("null");
        eventually(() -> assertThat(status().levels()).isEmpty());
    }

    private void levels(String json) {
        admin.resources(Fabric.class)
                .withName(FABRIC)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"levels\": " + json + "}}");
    }

    private List<String> findings() {
        return status().findings().stream()
                .map(finding -> finding.type() + " " + finding.object())
                .toList();
    }

    /** Lets OpenSM map the first service levels to these lanes, and all others to lane 0. */
    private void manage(String lanes) throws IOException {
        Path options = Files.writeString(directory.resolve("opensm.conf"), """
                qos TRUE
                qos_max_vls 8
                qos_high_limit 4
                qos_vlarb_high 0:4,1:64,2:0
                qos_vlarb_low 0:1,1:8,2:32
                qos_sl2vl %s%s
                """.formatted(lanes, ",0".repeat(13)));
        subnet.manageAnew(SmallFabric.guid(1), "-F", options.toString());
    }

    @Test
    void anotherTakesOverAtOnceWhenToldToEndAndAfterTheLeaseWhenKilled() {
        String one = holder();
        try (ServerProcess second = sweeper("second", 3)) {
            sweeper.stop(Duration.ofSeconds(10));
            eventually(() -> assertThat(holder()).isNotEmpty().isNotEqualTo(one));
            subnet.say(HOST_CABLE);
            eventually(() -> assertThat(hostCableIsThere()).isFalse());
            String two = holder();
            sweeper = sweeper("third", 4);
            second.kill();
            eventually(() -> assertThat(holder()).isNotEmpty().isNotEqualTo(two));
            subnet.say(HOST_CABLE.replace("Unlink", "ReLink"));
            eventually(() -> assertThat(hostCableIsThere()).isTrue());
        }
    }

    private boolean hostCableIsThere() {
        return admin.resources(FabricSwitch.class).withName(LEAF).require().getSpec().ports().stream()
                .anyMatch(port -> port.number() == HOST_PORT && port.peer() != null);
    }

    private String holder() {
        String holder = admin.leases()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName(LEASE)
                .require()
                .getSpec()
                .getHolderIdentity();
        return Objects.requireNonNullElse(holder, "");
    }

    private SourceStatus live() {
        return status().sources().stream()
                .filter(source -> "live".equals(source.type()))
                .findFirst()
                .orElseThrow();
    }

    private ServerProcess sweeper(String name, int host) {
        return SweeperProcess.start(cluster, subnet, SmallFabric.guid(host), name, directory, Duration.ofSeconds(1));
    }
}
