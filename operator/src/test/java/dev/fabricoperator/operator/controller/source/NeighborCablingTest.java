/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.SourceProblem;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Agents that say, of their own node's devices, that they are at ports where other nodes' are. */
class NeighborCablingTest {
    private static final int HOSTS = 8;
    private static final String LEAF = "leaf01";

    private final FactStores stores = new FactStores(Clock.systemUTC());
    private int versions;

    NeighborCablingTest() {
        for (int host = 0; host < HOSTS; host++) {
            publish("node" + host, "mlx5_0", LEAF, host + 1, "2026-01-01T00:00:00Z");
        }
    }

    private void publish(String node, String osName, String neighbor, int port, String createdAt) {
        FabricDevice device = new FabricDevice();
        String name = node + "-" + osName.replace('_', '-') + "-1";
        device.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid(name)
                .withResourceVersion(Integer.toString(++versions))
                .withCreationTimestamp(createdAt)
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .hostname(node)
                .osName(osName)
                .port(1)
                .deviceId(node + "/" + osName)
                .type(DeviceType.OpenFabrics)
                .family(Family.RoCE)
                .role(Role.Fabric)
                .state(PortState.Active)
                .neighbor(new NeighborRef(neighbor, "Ethernet1/" + port, "lldp"))
                .build());
        stores.devices().put(name, device);
    }

    private Cabling read(List<Switch> last) {
        return NeighborCabling.of(stores.devices().facts(), last);
    }

    private static List<String> hosts(Cabling cabling) {
        return cabling.switches().stream()
                .filter(one -> one.id().equals(LEAF))
                .flatMap(one -> one.ports().stream())
                .map(SwitchPort::peerHost)
                .map(Objects::requireNonNull)
                .sorted()
                .toList();
    }

    private static List<String> nodes() {
        List<String> nodes = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            nodes.add("node" + host);
        }
        return nodes;
    }

    @Test
    void thePortThatAnAgentClaimsStaysThatOfTheDeviceThatHadIt() {
        Cabling before = read(List.of());
        for (int host = 0; host < HOSTS; host++) {
            // A name before all others, and as old as it may be.
            publish("a", "mlx5_" + host, LEAF, host + 1, "2025-01-01T00:00:00Z");
        }

        Cabling after = read(before.switches());

        assertThat(hosts(after)).isEqualTo(nodes());
        assertThat(after.problems())
                .hasSize(HOSTS)
                .allSatisfy(problem -> assertThat(problem.message()).contains("a-mlx5-", "which node", "had before"));
    }

    @Test
    void ofTwoThatClaimAPortAtFirstSightTheOlderHasIt() {
        publish("a", "mlx5_0", LEAF, 1, "2026-01-02T00:00:00Z");

        assertThat(hosts(read(List.of()))).isEqualTo(nodes());
    }

    @Test
    void whoeverTakesAnotherNodesIdentityTakesNoneOfItsCables() {
        Cabling before = read(List.of());
        FabricDevice taken = new FabricDevice();
        taken.setMetadata(new ObjectMetaBuilder()
                .withName("a-mlx5-0-1")
                .withUid("a")
                .withResourceVersion("1")
                .withCreationTimestamp("2026-01-02T00:00:00Z")
                .build());
        taken.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("a")
                .hostname("node0")
                .osName("mlx5_0")
                .port(1)
                .deviceId("node0/mlx5_0")
                .type(DeviceType.OpenFabrics)
                .family(Family.RoCE)
                .neighbor(new NeighborRef("elsewhere", "Ethernet1/1", "lldp"))
                .build());
        stores.devices().put("a-mlx5-0-1", taken);

        Cabling after = read(before.switches());

        assertThat(after.switches()).extracting(Switch::id).containsExactly(LEAF);
        assertThat(hosts(after)).isEqualTo(nodes());
    }

    @Test
    void aReadingOfAgentsThatLostMostCablesOfDevicesThatAreThereIsHeld() {
        List<Switch> before = read(List.of()).switches();
        Cabling few = new Cabling("lldp", List.of(), List.of(), 0, List.of());

        SourceProblem problem = new LossWatch()
                .decide(
                        "lldp",
                        new Reading.Success(SourceType.lldp, "LLDP", few, Reading.Evidence.Agents),
                        before,
                        stores,
                        false);

        assertThat(problem).isNotNull();
        assertThat(Objects.requireNonNull(problem).kind()).isEqualTo(SourceProblem.Kind.Shrunk);
    }

    @Test
    void aDeviceThatIsGoneTakesItsCableAlong() {
        List<Switch> before = read(List.of()).switches();
        for (int host = 1; host < HOSTS; host++) {
            stores.devices().remove("node" + host + "-mlx5-0-1");
        }

        Cabling after = read(before);

        assertThat(hosts(after)).containsExactly("node0");
        assertThat(new LossWatch()
                        .decide(
                                "lldp",
                                new Reading.Success(SourceType.lldp, "LLDP", after, Reading.Evidence.Agents),
                                before,
                                stores,
                                false))
                .isNull();
    }
}
