/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class FabricQueryTest {
    private static final long FASTEST = Wiring.HDR;

    /** Ports are checked one by one against the records that the wiring was made of. */
    @Property(tries = 200)
    void aPathCostsWhatTheMatrixSaysAndEachStepIsACable(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int switches) {
        Wiring wiring = Wiring.random(seed, switches, switches * 2, 14);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
        FabricQuery query = new FabricQuery(model);
        Map<String, Switch> byId =
                wiring.switches().stream().collect(Collectors.toMap(Switch::id, Function.identity()));
        long fastest = byId.values().stream()
                // A cable from a switch to itself leads nowhere.
                .flatMap(s -> s.ports().stream().filter(p -> !leadsTo(p, s.id())))
                .mapToLong(FabricQueryTest::speed)
                .max()
                .orElse(0);
        for (int from = 0; from < model.devices(); from++) {
            for (int to = 0; to < model.devices(); to++) {
                Path path = Objects.requireNonNull(query.path(from, to));
                assertThat(path).isEqualTo(query.path(from, to));
                assertThat(path.cost()).isEqualTo(model.cost().cost(from, to));
                if (path.steps().isEmpty()) {
                    assertThat(from == to || path.cost() == 65_535).isTrue();
                    continue;
                }
                assertThat(path.hops()).isEqualTo(path.steps().size() - 1);
                assertThat(path.equalPaths()).isPositive();
                int sum = 0;
                Vertex here = Objects.requireNonNull(query.vertex(from));
                PortPeer behind = new PortPeer(here.id(), here.port());
                for (int i = 0; i < path.steps().size(); i++) {
                    Path.Step step = path.steps().get(i);
                    SwitchPort in = port(byId, step.switchId(), step.inPort());
                    SwitchPort out = port(byId, step.switchId(), step.outPort());
                    assertThat(in.peer()).isEqualTo(behind);
                    if (i == 0) {
                        sum += cost(in, fastest);
                    }
                    sum += cost(out, fastest);
                    assertThat(step.outSpeedBitsPerSecond() == null ? 0L : step.outSpeedBitsPerSecond())
                            .isEqualTo(speed(out));
                    behind = new PortPeer(step.switchId(), step.outPort());
                    if (i + 1 < path.steps().size()) {
                        Path.Step next = path.steps().get(i + 1);
                        assertThat(out.peer()).isEqualTo(new PortPeer(next.switchId(), next.inPort()));
                    }
                }
                Path.Step last = path.steps().getLast();
                Vertex there = Objects.requireNonNull(query.vertex(to));
                assertThat(port(byId, last.switchId(), last.outPort()).peer())
                        .isEqualTo(new PortPeer(there.id(), there.port()));
                assertThat(sum).isEqualTo(path.cost());
            }
        }
    }

    private static SwitchPort port(Map<String, Switch> byId, String id, int number) {
        return Objects.requireNonNull(byId.get(id)).ports().stream()
                .filter(p -> p.number() == number)
                .findFirst()
                .orElseThrow();
    }

    private static boolean leadsTo(SwitchPort port, String id) {
        return port.peer() != null && port.peer().id().equals(id);
    }

    private static long speed(SwitchPort port) {
        return port.speedBitsPerSecond() == null ? 0 : port.speedBitsPerSecond();
    }

    private static int cost(SwitchPort port, long fastest) {
        return speed(port) == 0 ? 10 : (int) Math.round(10.0 * fastest / speed(port));
    }

    @Test
    void equalPathsOfAFatTreeAreItsSpines() {
        FabricModel model = model(Wiring.twoLevels(1, 4, 3, 2, 2));
        FabricQuery query = new FabricQuery(model);
        String leaf = switchOf(model, 0);
        int far = 0;
        while (switchOf(model, far).equals(leaf)) {
            far++;
        }
        Path path = Objects.requireNonNull(query.path(0, far));
        assertThat(path.equalPaths()).isEqualTo(3);
        assertThat(path.hops()).isEqualTo(2);
        assertThat(path.speedBitsPerSecond()).isEqualTo(FASTEST);
        assertThat(path.steps())
                .hasSize(3)
                .extracting(Path.Step::switchId)
                .startsWith(leaf)
                .endsWith(switchOf(model, far));

        Path self = Objects.requireNonNull(query.path(0, 0));
        assertThat(self.cost()).isZero();
        assertThat(self.hops()).isZero();
        assertThat(self.steps()).isEmpty();
    }

    @Test
    void switchPeersIncludeTheDeviceItself() {
        FabricModel model = model(Wiring.twoLevels(2, 4, 2, 3, 1));
        FabricQuery query = new FabricQuery(model);
        for (int slot = 0; slot < model.devices(); slot++) {
            String at = switchOf(model, slot);
            assertThat(query.switchPeers(slot))
                    .hasSize(3)
                    .isSorted()
                    .contains(slot)
                    .allSatisfy(peer -> assertThat(switchOf(model, peer)).isEqualTo(at));
        }
    }

    @Test
    void groupsNameHostsOnceAndDevicesOfUnknownHostsByTheirId() {
        Wiring wiring = new Wiring(3);
        int[] leaves = wiring.nodes(2);
        wiring.cable(leaves[0], leaves[1], 1);
        wiring.device(leaves[0], "b", "mlx5_0").device(leaves[0], "b", "mlx5_1").device(leaves[0], "a", null);
        wiring.device(leaves[1], null, null);
        FabricModel model = model(wiring);
        FabricQuery query = new FabricQuery(model);
        String unknown = wiring.vertices().stream()
                .filter(v -> v.host() == null)
                .map(Vertex::id)
                .findFirst()
                .orElseThrow();

        assertThat(query.groups().values()).containsExactlyInAnyOrder(List.of("a", "b"), List.of(unknown));
        assertThat(FabricQuery.string(query.groups())).isIn("0:a,b;1:" + unknown, "0:" + unknown + ";1:a,b");
    }

    @Test
    void geometryIsTheCoordinateInItsShape() {
        OfflineFabric fabric =
                OfflineFabrics.of(Dump.simulated("ft2-128").cabling()).getFirst();
        FabricQuery query = new FabricQuery(fabric.model());
        for (View view : View.values()) {
            Geometry geometry = Objects.requireNonNull(query.geometry(5, view));
            assertThat(geometry.dims()).isEqualTo(2).isEqualTo(geometry.shape().size());
            assertThat(geometry.coordinate()).hasSize(2);
            assertThat(geometry.coordinate().getFirst())
                    .isLessThan(geometry.shape().getFirst());
            assertThat(geometry.plane()).isEqualTo("0");
        }
        assertThat(Objects.requireNonNull(query.geometry(5, View.logical)).shapeString())
                .isEqualTo("8x16");
    }

    @Test
    void anEmptySlotIsNotFoundAndOneBeyondTheLastIsWrong() {
        FabricModel model = FabricModel.of(List.of(), List.of(new Vertex(1, "a", 1, "x")));
        FabricQuery query = new FabricQuery(model);
        assertThat(query.vertices()).isEqualTo(2);
        assertThat(query.vertex(0)).isNull();
        assertThat(query.path(0, 1)).isNull();
        assertThat(query.switchPeers(0)).isNull();
        assertThat(query.geometry(0, View.logical)).isNull();
        for (int slot : new int[] {-1, 2}) {
            assertThatThrownBy(() -> query.vertex(slot)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> query.path(slot, 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> query.switchPeers(slot)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> query.geometry(slot, View.physical)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void withoutSwitchesAllDevicesReachEachOther() {
        FabricModel model = FabricModel.of(List.of(), List.of(new Vertex(0, "a", 1, "x"), new Vertex(1, "b", 1, "y")));
        Path path = Objects.requireNonNull(new FabricQuery(model).path(0, 1));
        assertThat(path.cost()).isEqualTo(20);
        assertThat(path.hops()).isZero();
        assertThat(path.steps()).isEmpty();
        assertThat(path.speedBitsPerSecond()).isNull();
    }

    @Test
    void aFarPortThatNobodyKnowsIsZero() {
        List<SwitchPort> near = List.of(port(1, "a", 1), port(2, "t", 0));
        List<SwitchPort> far = List.of(port(1, "b", 1));
        FabricModel model = FabricModel.of(
                List.of(
                        new Switch("s", null, null, null, null, "test", near),
                        new Switch("t", null, null, null, null, "test", far)),
                List.of(new Vertex(0, "a", 1, "x"), new Vertex(1, "b", 1, "y")));
        Path path = Objects.requireNonNull(new FabricQuery(model).path(0, 1));
        assertThat(path.steps()).containsExactly(new Path.Step("s", 1, 2, null), new Path.Step("t", 0, 1, null));
    }

    private static SwitchPort port(int number, String peer, int peerPort) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, null, null, null, null, null);
    }

    private static FabricModel model(Wiring wiring) {
        return FabricModel.of(wiring.switches(), wiring.vertices());
    }

    private static String switchOf(FabricModel model, int slot) {
        DevicePosition place = Objects.requireNonNull(model.device(slot));
        return Objects.requireNonNull(place.switchId());
    }
}
