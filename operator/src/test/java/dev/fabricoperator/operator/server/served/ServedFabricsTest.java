/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.PortRef;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.view.mapping.FabricMapper;
import dev.fabricoperator.view.mapping.FabricMember.HostNames;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One switch with three devices; the third cable comes and goes. */
class ServedFabricsTest {
    private final ServedFabrics fabrics = new ServedFabrics(4);
    private final List<ServedDevice> devices =
            IntStream.range(0, 3).mapToObj(ServedFabricsTest::device).toList();

    private static String guid(int number) {
        return "00000000000000d" + number;
    }

    private static ServedDevice device(int number) {
        return device(
                number,
                FabricDeviceStatusBuilder.builder().fabric("f").index(number).build());
    }

    private static ServedDevice device(int number, FabricDeviceStatus status) {
        return new ServedDevice(
                "n" + number + "-mlx5-0-1",
                "uid-" + number,
                "1",
                "2026-01-01T00:00:00Z",
                "n" + number,
                "n" + number,
                "mlx5_0",
                1,
                guid(number),
                "fab://" + guid(number),
                DeviceType.OpenFabrics,
                Family.InfiniBand,
                guid(number),
                null,
                0,
                List.of(),
                new HostNames(null, null, Family.InfiniBand, true),
                DeviceBuilder.builder()
                        .hostname("n" + number)
                        .osName("mlx5_0")
                        .port(1)
                        .deviceId("fab://" + guid(number))
                        .source("sysfs")
                        .type(DeviceType.OpenFabrics)
                        .family(Family.InfiniBand)
                        .function(Function.Physical)
                        .role(Role.Fabric)
                        .state(PortState.Active)
                        .build(),
                Vertex.Use.Unsaid,
                false,
                status);
    }

    private static Switch cabling(int cables) {
        return SwitchBuilder.builder()
                .id("a000000000000001")
                .source("s")
                .ports(IntStream.range(0, cables)
                        .mapToObj(port -> SwitchPortBuilder.builder()
                                .number(port + 1)
                                .peer(new PortPeer(guid(port), 1))
                                .state(PortState.Active)
                                .speedBitsPerSecond(100_000_000_000L)
                                .build())
                        .toList())
                .build();
    }

    private static List<SwitchFacts> switches(int cables) {
        return List.of(new SwitchFacts(
                "s.a",
                "uid-s",
                "1",
                "s",
                null,
                null,
                cabling(cables),
                Collections.emptySortedMap(),
                FabricSwitchStatusBuilder.builder().fabric("f").build()));
    }

    private FabricModel model(int cables) {
        return FabricModel.of(
                List.of(cabling(cables)),
                IntStream.range(0, 3)
                        .mapToObj(i -> new Vertex(i, guid(i), 1, "n" + i, "mlx5_0"))
                        .toList());
    }

    /** The Fabric as the controller would write it for so many cables. */
    private List<FabricFacts> fabric(String uid, long generation, int cables) {
        FabricStatus status = new FabricMapper("f", model(cables), List.of())
                .fabric(generation)
                .index(0)
                .build();
        Fabric object = new Fabric();
        object.setMetadata(new ObjectMetaBuilder().withName("f").withUid(uid).build());
        object.setStatus(status);
        return List.of(FabricFacts.of(object));
    }

    private long served() {
        return Objects.requireNonNull(fabrics.get("f")).generation();
    }

    @Test
    void beforeTheFirstLookEveryFabricMayExistAndAfterItOnlyThoseThatDo() {
        assertThat(fabrics.isKnown("f")).isTrue();
        fabrics.refresh(List.of(), List.of(), List.of());
        assertThat(fabrics.isKnown("f")).isFalse();
    }

    @Test
    void aGenerationIsServedWhenTheObjectsGiveItsDigest() {
        List<String> incomplete = fabrics.refresh(devices.subList(0, 2), switches(3), fabric("u", 1, 3));
        assertThat(incomplete).containsExactly("f");
        assertThat(fabrics.get("f")).isNull();
        assertThat(fabrics.isKnown("f")).isTrue();
        assertThat(fabrics.refresh(devices, switches(3), fabric("u", 1, 3))).isEmpty();
        assertThat(served()).isEqualTo(1);
    }

    @Test
    void theLastGenerationStaysUntilTheNewOneIsComplete() throws InterruptedException {
        fabrics.refresh(devices, switches(3), fabric("u", 1, 3));
        FabricUpdates.Subscription heard = fabrics.updates().subscribe("f");
        String before = Objects.requireNonNull(fabrics.get("f")).cost().digest();
        // The cable is gone, and the controller has not said so yet.
        fabrics.refresh(devices, switches(2), fabric("u", 1, 3));
        assertThat(Objects.requireNonNull(fabrics.get("f")).cost().digest()).isEqualTo(before);
        // It has said so, and the switch is not here yet.
        fabrics.refresh(devices, switches(3), fabric("u", 2, 2));
        assertThat(served()).isEqualTo(1);
        assertThat(fabrics.isPending("f")).isTrue();
        assertThat(Objects.requireNonNull(heard.poll(100)).phase()).isEqualTo(FabricUpdate.Phase.Pending);
        fabrics.refresh(devices, switches(2), fabric("u", 2, 2));
        assertThat(served()).isEqualTo(2);
        assertThat(fabrics.isPending("f")).isFalse();
        FabricUpdate updated = Objects.requireNonNull(heard.poll(100));
        assertThat(updated.phase()).isEqualTo(FabricUpdate.Phase.Updated);
        assertThat(updated.generation()).isEqualTo(2);
        assertThat(heard.poll(1)).isNull();
    }

    @Test
    void aFabricThatCannotBeServedHoldsUpNoOther() {
        FabricFacts good = fabric("u", 1, 3).getFirst();
        FabricStatus status = FabricStatusBuilder.builder(Objects.requireNonNull(good.status()))
                .build();
        FabricFacts broken =
                new FabricFacts("a", "v", "1", 1, false, false, null, "", Set.of(), good.spec(), status, null);
        // Only a defect can have written this index.
        ServedDevice device = device(
                7, FabricDeviceStatusBuilder.builder().fabric("a").index(-1).build());
        List<ServedDevice> all =
                Stream.concat(devices.stream(), Stream.of(device)).toList();
        assertThat(fabrics.refresh(all, switches(3), List.of(broken, good))).containsExactly("a");
        assertThat(served()).isEqualTo(1);
        assertThat(fabrics.get("a")).isNull();
        assertThat(fabrics.isKnown("a")).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway") // only a defect can have written such a status
    void dampedPortsThatCannotBeReadHoldUpNoOtherFabric() {
        FabricFacts good = fabric("u", 1, 3).getFirst();
        FabricStatus status = FabricStatusBuilder.builder(Objects.requireNonNull(good.status()))
                .damped(List.of(new PortRef("a", null)))
                .build();
        FabricFacts broken =
                new FabricFacts("a", "v", "1", 1, false, false, null, "", Set.of(), good.spec(), status, null);
        assertThat(fabrics.refresh(devices, switches(3), List.of(broken, good))).containsExactly("a");
        assertThat(served()).isEqualTo(1);
        assertThat(fabrics.get("a")).isNull();
    }

    @Test
    void whatHasNotChangedIsNotMadeAnew() {
        fabrics.refresh(devices, switches(3), fabric("u", 1, 3));
        ServedFabric first = Objects.requireNonNull(fabrics.get("f"));
        fabrics.refresh(devices, switches(3), fabric("u", 1, 3));
        ServedFabric second = Objects.requireNonNull(fabrics.get("f"));
        assertThat(second.model()).isSameAs(first.model());
        assertThat(second.directory()).isSameAs(first.directory());
    }

    @Test
    void aModelThatCameBeforeItsStatusIsServedWhenThatComes() {
        fabrics.refresh(devices, switches(3), fabric("u", 1, 3));
        for (int look = 0; look < 3; look++) {
            assertThat(fabrics.refresh(devices, switches(2), fabric("u", 1, 3))).isEmpty();
            assertThat(served()).isEqualTo(1);
        }
        assertThat(fabrics.refresh(devices, switches(2), fabric("u", 2, 2))).isEmpty();
        ServedFabric second = Objects.requireNonNull(fabrics.get("f"));
        assertThat(second.generation()).isEqualTo(2);
        assertThat(second.cost().digest()).isEqualTo(model(2).cost().digest());
        // The cable comes back.
        assertThat(fabrics.refresh(devices, switches(3), fabric("u", 3, 3))).isEmpty();
        assertThat(Objects.requireNonNull(fabrics.get("f")).cost().digest())
                .isEqualTo(model(3).cost().digest());
    }

    @Test
    void aFabricThatIsMadeAnewHasNothingOfTheOneBefore() throws InterruptedException {
        fabrics.refresh(devices, switches(3), fabric("u", 5, 3));
        FabricUpdates.Subscription heard = fabrics.updates().subscribe("f");
        fabrics.refresh(devices, switches(3), fabric("v", 1, 3));
        assertThat(served()).isEqualTo(1);
        assertThat(Objects.requireNonNull(heard.poll(100)).phase()).isEqualTo(FabricUpdate.Phase.Gone);
        assertThat(Objects.requireNonNull(heard.poll(100)).phase()).isEqualTo(FabricUpdate.Phase.Updated);
        fabrics.refresh(devices, switches(3), List.of());
        assertThat(fabrics.get("f")).isNull();
        assertThat(fabrics.isKnown("f")).isFalse();
    }
}
