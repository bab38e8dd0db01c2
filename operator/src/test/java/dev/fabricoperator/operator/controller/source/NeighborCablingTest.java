/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSwitchSpec;
import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.NodeLimits;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.SwitchMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that say, of their own node's devices, that they are at ports where other nodes' are. */
class NeighborCablingTest {
    private static final int HOSTS = 8;
    private static final String LEAF = "leaf01";

    private final FactStores stores = new FactStores(SteadyClock.system());
    private int versions;

    NeighborCablingTest() {
        for (int host = 0; host < HOSTS; host++) {
            publish("node" + host, "mlx5_0", LEAF, host + 1, "2026-01-01T00:00:00Z");
        }
    }

    private void publish(String node, String osName, String neighbor, int port, String createdAt) {
        publish(node, osName, neighbor, "Ethernet1/" + port, createdAt, Function.Physical);
    }

    private void publish(
            String node, String osName, String neighbor, String port, String createdAt, Function function) {
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
                .function(function)
                .neighbor(new NeighborRef(neighbor, port, "lldp"))
                .build());
        stores.devices().put(name, device);
    }

    private Cabling read(List<Switch> last) {
        return NeighborCabling.of("lldp", stores.devices().facts(), last);
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

    @ParameterizedTest
    @ValueSource(strings = {"X Y", "two words", "Leaf01", "a\u0000b", "lldp.a\tb"})
    void whatCannotBeAnIdIsLeftOutAndTold(String id) {
        publish("a", "mlx5_0", id, 1, "2025-01-01T00:00:00Z");

        Cabling cabling = read(List.of());

        assertThat(cabling.switches()).extracting(Switch::id).containsExactly(LEAF);
        assertThat(hosts(cabling)).isEqualTo(nodes());
        assertThat(cabling.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("a-mlx5-0-1", "spec.neighbor.id"));
    }

    @Test
    void whoseNeighborCannotBeOneKeepsTheCableThatWasKnown() {
        List<Switch> before = read(List.of()).switches();
        publish("node3", "mlx5_0", "X Y", 4, "2026-01-01T00:00:00Z");

        assertThat(read(before).switches()).isEqualTo(before);
    }

    @Test
    void whatIsWrittenIsReadAgainAsItWasAlsoOfADeviceWhoseHostIsEmpty() {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName("a-mlx5-0-1")
                .withUid("a")
                .withResourceVersion("1")
                .withCreationTimestamp("2026-01-02T00:00:00Z")
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("a")
                .hostname("")
                .osName("mlx5_0")
                .port(1)
                .deviceId("a/mlx5_0")
                .type(DeviceType.OpenFabrics)
                .family(Family.RoCE)
                .neighbor(new NeighborRef("elsewhere", "", "lldp"))
                .build());
        stores.devices().put("a-mlx5-0-1", device);

        assertThat(read(List.of()).switches()).hasSize(2).allSatisfy(said -> {
            String written = Serialization.asJson(SwitchMapper.toSpec(said));
            assertThat(SwitchMapper.toSwitch(Serialization.unmarshal(written, FabricSwitchSpec.class)))
                    .isEqualTo(said);
        });
    }

    @Test
    void anIdThatWouldHaveTheObjectOfAnotherSwitchIsLeftOut() {
        String mac = "aa:bb:cc:dd:ee:ff";
        publish("node0", "mlx5_1", mac, 1, "2026-01-01T00:00:00Z");
        List<Switch> before = read(List.of()).switches();
        String object = ObjectNames.fabricSwitch("lldp", mac);
        publish("a", "mlx5_0", object.substring("lldp.".length()), 1, "2025-01-01T00:00:00Z");

        Cabling after = read(before);

        assertThat(after.switches()).isEqualTo(before);
        assertThat(after.problems()).hasSize(1);
    }

    @Test
    void aSwitchHasNoMorePortsThanItsObjectHoldsAndThoseThatStoodAreAmongThem() {
        List<Switch> before = read(List.of()).switches();
        for (int port = 0; port < 2 * NeighborCabling.MAXIMUM_PORTS; port++) {
            publish(port % 2 == 0 ? "a" : "b", "mlx5_" + port, LEAF, 100 + port, "2025-01-01T00:00:00Z");
        }

        Cabling after = read(before);

        assertThat(after.switches())
                .singleElement()
                .satisfies(leaf -> assertThat(leaf.ports())
                        .hasSize(NeighborCabling.MAXIMUM_PORTS)
                        .containsAll(before.getFirst().ports()));
        assertThat(after.problems())
                .anySatisfy(problem -> assertThat(problem.message()).contains(LEAF, "more than 1024 ports"));
    }

    @Test
    void devicesOfANodeBeyondItsLimitHaveNoCable() {
        List<Switch> before = read(List.of()).switches();
        for (int number = 0; number < 2 * NodeLimits.DEVICES; number++) {
            publish("a", "mlx5_" + number, "own" + number, 1, "2025-01-01T00:00:00Z");
        }

        assertThat(read(before).switches()).hasSize(1 + NodeLimits.DEVICES);
    }

    @Test
    void whoeverNamesOtherPortsMovesNoPortThatADeviceStandsOn() {
        Cabling before = read(List.of());
        for (int host = 0; host < HOSTS; host++) {
            // The same last number, so that the names would share one, and the very name.
            publish("a", "mlx5_" + host, LEAF, "x" + (host + 1), "2025-01-01T00:00:00Z", Function.Physical);
            publish("b", "mlx5_" + host, LEAF, host + 1, "2025-01-01T00:00:00Z");
        }

        Cabling after = read(before.switches());

        assertThat(after.switches().getFirst().ports())
                .containsAll(before.switches().getFirst().ports());
        assertThat(hosts(after)).containsAll(nodes()).doesNotContain("b");
    }

    @Test
    void whoStoodElsewhereTakesNoNameThatADeviceStandsOn() {
        publish("a", "mlx5_0", LEAF, 1093, "2025-01-01T00:00:00Z");
        Cabling before = read(List.of());
        // What Ethernet1/5 would be called where another port shares its last number.
        publish("a", "mlx5_0", LEAF, 5, "2025-01-01T00:00:00Z");

        assertThat(hosts(read(before.switches()))).containsAll(nodes());
    }

    @Test
    void aCableThatMovesToAnotherPortHasThatPortsNumber() {
        Cabling before = read(List.of());
        publish("node0", "mlx5_0", LEAF, 77, "2026-01-01T00:00:00Z");

        assertThat(read(before.switches()).switches().getFirst().ports())
                .extracting(SwitchPort::number)
                .containsExactly(2, 3, 4, 5, 6, 7, 8, 77);
    }

    @ParameterizedTest
    @EnumSource(
            value = Function.class,
            names = {"Physical", "Virtual"})
    void whatDevicesSayThemselvesIsNoLoss(Function function) {
        for (int number = 0; number < 100; number++) {
            publish("a", "mlx5_" + number, "own" + number, 1, "2025-01-01T00:00:00Z");
        }
        List<Switch> before = read(List.of()).switches();
        for (int number = 0; number < 100; number++) {
            publish("a", "mlx5_" + number, "own0", "Ethernet1/1", "2025-01-01T00:00:00Z", function);
        }

        Cabling after = read(before);

        assertThat(hosts(after)).isEqualTo(nodes());
        assertThat(new LossWatch()
                        .decide(
                                "lldp",
                                new Reading.Success(SourceType.lldp, "LLDP", after, Reading.Evidence.Agents),
                                before,
                                stores,
                                false))
                .isNull();
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
