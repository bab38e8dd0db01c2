/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.DeviceSelectorBuilder;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.PortRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.crds.SwitchPortSpecBuilder;
import dev.fabricoperator.crds.TopologySourceBuilder;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.DeviceFactsBuilder;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel.NewFabric;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passes that begin with the model before come to what a full computation comes to; restarts are among them. */
class ModelSequenceTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
    private static final FlapDamping DAMPING = new FlapDamping(1000, Duration.ofMinutes(1), Duration.ofMinutes(1));
    private static final int LEAVES = 8;
    private static final int SPINES = 4;
    private static final int HOSTS = 3;
    private static final long HDR = 200_000_000_000L;

    private final Conditions conditions = new Conditions(CLOCK);
    private final FactStores stores = new FactStores(new SteadyClock(() -> 0));
    private final Map<String, Fabric> fabrics = new TreeMap<>();
    private final Map<String, FabricDevice> devices = new TreeMap<>();
    private final Map<String, FabricSwitch> switches = new TreeMap<>();

    private final TreeSet<String> lostSwitches = new TreeSet<>();
    private final TreeSet<String> lostHosts = new TreeSet<>();
    private final TreeSet<String> pulled = new TreeSet<>();
    private final TreeSet<String> slow = new TreeSet<>();
    private final Map<String, String> drains = new HashMap<>();
    private int versions;
    private @Nullable ClusterModel model;
    private FabricNumbers numbers = FabricNumbers.START;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aModelFromTheLastOneIsTheFullOne(long seed) {
        Random random = new Random(seed);
        lay();
        pass();
        for (int step = 0; step < 60; step++) {
            change(random);
            lay();
            pass();
            assertFull("seed " + seed + " step " + step);
            write();
            if (step % 10 == 9) {
                restart("seed " + seed + " step " + step);
            }
        }
    }

    @Test
    void aDeviceThatNeedsAFabricOfItsOwnHoldsUpNoOther() {
        lay();
        pass();
        write();
        FabricState before = now().fabrics().values().iterator().next();
        layDevice("b000000000000001", Family.Slingshot);
        toggle(lostSwitches, id('2', 0));
        lay();
        ClusterModel next = Modeler.model(Inventory.of(stores, List.of()), numbers, now(), conditions, DAMPING);
        assertThat(next.missing().fabrics()).hasSize(1);
        assertThat(next.numbers()).isEqualTo(now().numbers());
        FabricState after = next.fabrics().values().iterator().next();
        assertThat(after.generation()).isEqualTo(before.generation() + 1);
        assertThat(next.devices()).hasSize(LEAVES * HOSTS + 1);
        assertThat(Objects.requireNonNull(next.devices().get("hb000000000000001"))
                        .status()
                        .fabric())
                .isNull();
    }

    /** A status that the leader before has not come to write. */
    @Test
    void aFabricHasTheIndexThatWasKeptForItWhoeverLeads() {
        lay();
        pass();
        FabricState first = now().fabrics().values().iterator().next();
        model = null;
        numbers = FabricNumbers.parse(numbers.toData());
        pass();
        FabricState next = now().fabrics().values().iterator().next();
        assertThat(next.index()).isEqualTo(first.index());
        assertThat(numbers.nextIndex()).isEqualTo(first.index() + 1);
    }

    @Test
    void aFabricThatCannotBeModelledSaysSoAndHoldsUpNoOther() {
        lay();
        layDevice("b000000000000001", Family.Slingshot);
        pass();
        write();
        ClusterModel before = now();
        String broken =
                Objects.requireNonNull(statusOf(before, "hb000000000000001").fabric());
        // Only a defect can have written this index.
        layDevice("b000000000000002", Family.Slingshot);
        FabricDevice device = Objects.requireNonNull(devices.get("hb000000000000002"));
        device.setStatus(
                FabricDeviceStatusBuilder.builder().fabric(broken).index(-1).build());
        put(stores.devices(), device);
        toggle(lostSwitches, id('2', 0));
        lay();
        pass();

        FailedFabric failed = Objects.requireNonNull(now().failed().get(broken));
        assertThat(now().fabrics()).hasSize(1).doesNotContainKey(broken);
        FabricState other = now().fabrics().values().iterator().next();
        assertThat(other.generation())
                .isEqualTo(Objects.requireNonNull(before.fabrics().get(other.name()))
                                .generation()
                        + 1);
        assertThat(statusOf(now(), "hb000000000000001")).isEqualTo(statusOf(before, "hb000000000000001"));
        FabricStatus present = Objects.requireNonNull(fabrics.get(broken)).getStatus();
        FabricStatus status = failed.status(conditions, present);
        Condition topology = Objects.requireNonNull(Conditions.find(status.conditions(), ConditionType.TopologyKnown));
        assertThat(topology.status()).isEqualTo(ConditionStatus.Unknown);
        assertThat(topology.reason()).isEqualTo("ModelFailed");
        assertThat(status.generation()).isEqualTo(present.generation());
        assertThat(status.conditions()).hasSameSizeAs(present.conditions());

        // What it hit is gone, and it goes on from where it was.
        devices.remove("hb000000000000002");
        stores.devices().remove("hb000000000000002");
        layDevice("b000000000000003", Family.Slingshot);
        pass();
        assertThat(now().failed()).isEmpty();
        assertThat(Objects.requireNonNull(now().fabrics().get(broken)).generation())
                .isEqualTo(Objects.requireNonNull(present.generation()) + 1);
    }

    /** A Fabric with devices, beside the one of the leaves and spines. */
    private String second() {
        lay();
        layDevice("b000000000000001", Family.Slingshot);
        pass();
        write();
        return Objects.requireNonNull(statusOf(now(), "hb000000000000001").fabric());
    }

    private void byAPerson(String name, FabricSpec spec) {
        Fabric fabric = new Fabric();
        fabric.setSpec(spec);
        meta(fabric, name, Map.of());
        put(stores.fabrics(), fabric);
    }

    private void assertOnlyFails(String fabric) {
        assertThat(now().failed()).containsOnlyKeys(fabric);
        assertThat(now().fabrics()).isNotEmpty().doesNotContainKey(fabric);
        assertFull("beside " + fabric);
    }

    @Test
    void aSelectorThatMeetsADefectFailsItsOwnFabricAndDevicesStayWhereTheyAre() {
        String second = second();
        Map<String, String> defect = new AbstractMap<>() {
            @Override
            public Set<Entry<String, String>> entrySet() {
                throw new IllegalStateException("a defect of this test");
            }
        };
        byAPerson(
                "broken",
                FabricSpecBuilder.builder()
                        .priority(1)
                        .selector(DeviceSelectorBuilder.builder()
                                .matchLabels(defect)
                                .build())
                        .build());
        ClusterModel before = now();
        layDevice("b000000000000002", Family.Slingshot);
        pass();
        assertOnlyFails("broken");
        assertThat(now().fabrics()).containsKey(second).hasSize(2);
        before.devices()
                .forEach((name, plan) -> assertThat(statusOf(now(), name)).isEqualTo(plan.status()));
        assertThat(statusOf(now(), "hb000000000000002").fabric()).isEqualTo(second);
    }

    @Test
    @SuppressWarnings("NullAway") // only a defect can have let such a source through
    void aSourceThatMeetsADefectFailsItsOwnFabricAlsoWhereSwitchesHaveNoDevices() {
        String second = second();
        String one = id('c', 1);
        String other = id('c', 2);
        laySwitch(one, List.of(port(1, other, 1, HDR)));
        laySwitch(other, List.of(port(1, one, 1, HDR)));
        byAPerson(
                "broken",
                FabricSpecBuilder.builder()
                        .sources(List.of(TopologySourceBuilder.builder()
                                .type(SourceType.cables)
                                .configMapRef(new ObjectRef(null))
                                .build()))
                        .build());
        pass();
        assertOnlyFails("broken");
        assertThat(now().fabrics()).containsKey(second).hasSize(2);
    }

    @Test
    @SuppressWarnings("NullAway") // only a defect can have made such facts
    void aDeviceThatMeetsADefectFailsTheFabricThatItIsInAndStaysThere() {
        String second = second();
        ClusterModel before = now();
        layDevice("b000000000000002", Family.Slingshot);
        Inventory inventory = Inventory.of(stores, List.of());
        List<DeviceFacts> facts = inventory.devices().stream()
                .map(device -> device.name().startsWith("hb")
                        ? DeviceFactsBuilder.builder(device).function(null).build()
                        : device)
                .toList();
        model = Modeler.model(
                InventoryBuilder.builder(inventory).devices(facts).build(), numbers, model, conditions, DAMPING);
        assertOnlyFails(second);
        assertThat(statusOf(now(), "hb000000000000001")).isEqualTo(statusOf(before, "hb000000000000001"));
        assertThat(now().deviceDefects()).as("it is in none").containsOnlyKeys("hb000000000000002");
    }

    @Test
    @SuppressWarnings("NullAway") // only a defect can have written such a status
    void dampedPortsOfAStatusThatCannotBeReadFailTheirOwnFabricAfterARestart() {
        String second = second();
        Fabric broken = Objects.requireNonNull(fabrics.get(second));
        broken.setStatus(FabricStatusBuilder.builder(broken.getStatus())
                .damped(List.of(new PortRef("a", null)))
                .build());
        meta(broken, second, Map.of());
        put(stores.fabrics(), broken);
        model = null;
        pass();
        assertOnlyFails(second);
        pass();
        assertThat(now().failed()).as("they count at the start only").isEmpty();
    }

    private static FabricDeviceStatus statusOf(ClusterModel of, String device) {
        return Objects.requireNonNull(of.devices().get(device)).status();
    }

    private void change(Random random) {
        String leaf = id('1', random.nextInt(LEAVES));
        String spine = id('2', random.nextInt(SPINES));
        switch (random.nextInt(6)) {
            case 0 -> toggle(pulled, leaf + spine);
            case 1 -> toggle(slow, leaf + spine);
            case 2 -> toggle(lostSwitches, random.nextInt(3) == 0 ? leaf : spine);
            case 3 -> toggle(lostHosts, id('a', random.nextInt(LEAVES * HOSTS)));
            case 4 -> drain(leaf, Integer.toString(1 + random.nextInt(HOSTS + SPINES)));
            default -> drain(random.nextBoolean() ? leaf : spine, "all");
        }
    }

    private static void toggle(TreeSet<String> set, String one) {
        if (!set.remove(one)) {
            set.add(one);
        }
    }

    private void drain(String id, String what) {
        if (drains.remove(id) == null) {
            drains.put(id, what);
        }
    }

    /** The objects as they are after all changes. */
    private void lay() {
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            List<SwitchPortSpec> ports = new ArrayList<>();
            for (int host = 0; host < HOSTS; host++) {
                String guid = id('a', leaf * HOSTS + host);
                ports.add(port(host + 1, guid, 1, HDR));
                layDevice(guid);
            }
            for (int spine = 0; spine < SPINES; spine++) {
                ports.addAll(cable(HOSTS + 1 + spine, id('1', leaf), id('2', spine), leaf + 1, true));
            }
            laySwitch(id('1', leaf), ports);
        }
        for (int spine = 0; spine < SPINES; spine++) {
            List<SwitchPortSpec> ports = new ArrayList<>();
            for (int leaf = 0; leaf < LEAVES; leaf++) {
                ports.addAll(cable(leaf + 1, id('1', leaf), id('2', spine), HOSTS + 1 + spine, false));
            }
            laySwitch(id('2', spine), ports);
        }
    }

    private List<SwitchPortSpec> cable(int number, String leaf, String spine, int farPort, boolean fromLeaf) {
        if (pulled.contains(leaf + spine)) {
            return List.of();
        }
        return List.of(port(number, fromLeaf ? spine : leaf, farPort, slow.contains(leaf + spine) ? HDR / 4 : HDR));
    }

    private static SwitchPortSpec port(int number, String peer, int peerPort, long speed) {
        return SwitchPortSpecBuilder.builder()
                .number(number)
                .peer(new PeerRef(peer, peerPort, null, null, null))
                .state(PortState.Active)
                .speedBitsPerSecond(speed)
                .build();
    }

    private static String id(char kind, int number) {
        return String.format("%c%015x", kind, number);
    }

    private void laySwitch(String id, List<SwitchPortSpec> ports) {
        if (lostSwitches.contains(id)) {
            switches.remove(id);
            stores.switches().remove("test." + id);
            return;
        }
        FabricSwitch object = switches.computeIfAbsent(id, i -> new FabricSwitch());
        object.setSpec(FabricSwitchSpecBuilder.builder()
                .id(id)
                .source("test")
                .ports(ports)
                .build());
        String drain = drains.get(id);
        meta(object, "test." + id, drain == null ? Map.of() : Map.of(FabricApi.ANNOTATION_DRAIN, drain));
        put(stores.switches(), object);
    }

    private void layDevice(String guid) {
        layDevice(guid, Family.InfiniBand);
    }

    private void layDevice(String guid, Family family) {
        String host = "h" + guid;
        if (lostHosts.contains(guid)) {
            devices.remove(host);
            stores.devices().remove(host);
            return;
        }
        FabricDevice object = devices.computeIfAbsent(host, i -> new FabricDevice());
        object.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(host)
                .hostname(host)
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://" + guid)
                .type(DeviceType.OpenFabrics)
                .family(family)
                .state(PortState.Active)
                .nodeGuid(guid)
                .gids(List.of("fe80:0000:0000:0000:0000:0000:0000:0001"))
                .build());
        meta(object, host, Map.of());
        put(stores.devices(), object);
    }

    private void meta(HasMetadata object, String name, Map<String, String> annotations) {
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid("uid-" + name)
                .withGeneration(1L)
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .withAnnotations(annotations)
                .withResourceVersion(Integer.toString(++versions))
                .build());
    }

    private static <R extends HasMetadata> void put(FactStore<R, ?> store, R object) {
        store.put(store.getKey(object), object);
    }

    private void pass() {
        while (true) {
            ClusterModel next = Modeler.model(Inventory.of(stores, List.of()), numbers, model, conditions, DAMPING);
            model = next;
            numbers = next.missing().numbers();
            if (next.missing().isEmpty()) {
                return;
            }
            for (NewFabric created : next.missing().fabrics()) {
                Fabric object = new Fabric();
                object.setSpec(created.spec());
                meta(object, created.name(), Map.of());
                fabrics.put(created.name(), object);
                put(stores.fabrics(), object);
            }
        }
    }

    private ClusterModel now() {
        return Objects.requireNonNull(model);
    }

    private void assertFull(String when) {
        assertThat(now().fabrics()).as(when).isNotEmpty();
        for (FabricState state : now().fabrics().values()) {
            FabricModel full = FabricModel.of(
                    state.switches(), state.vertices(), state.model().options());
            CostMatrix expected = full.cost();
            CostMatrix cost = state.model().cost();
            assertThat(cost.digest()).as(when).isEqualTo(expected.digest());
            assertThat(cost.maximum()).isEqualTo(expected.maximum());
            assertThat(cost.symmetric()).isEqualTo(expected.symmetric());
            short[] row = new short[cost.vertices()];
            short[] expectedRow = new short[cost.vertices()];
            for (int slot = 0; slot < cost.vertices(); slot++) {
                cost.row(slot, row);
                expected.row(slot, expectedRow);
                assertThat(row).as(when).isEqualTo(expectedRow);
                assertThat(state.model().device(slot)).as(when).isEqualTo(full.device(slot));
            }
        }
    }

    /** As the operator writes statuses. */
    private void write() {
        now().devices().forEach((name, plan) -> {
            FabricDevice device = Objects.requireNonNull(devices.get(name));
            device.setStatus(plan.status());
            put(stores.devices(), device);
        });
        now().switches().forEach((name, plan) -> {
            FabricSwitch object =
                    Objects.requireNonNull(switches.get(plan.facts().cabling().id()));
            object.setStatus(plan.status());
            put(stores.switches(), object);
        });
        now().fabrics().forEach((name, state) -> {
            Fabric fabric = Objects.requireNonNull(fabrics.get(name));
            fabric.setStatus(new FabricSummary(state)
                    .status(
                            Objects.requireNonNull(now().findings().get(name)),
                            conditions,
                            state.facts().status(),
                            WriteProgress.DONE));
            put(stores.fabrics(), fabric);
        });
    }

    private void restart(String when) {
        ClusterModel before = now();
        model = null;
        numbers = FabricNumbers.START;
        pass();
        now().fabrics().forEach((name, state) -> {
            FabricState was = Objects.requireNonNull(before.fabrics().get(name));
            assertThat(state.model().cost().digest())
                    .as("%s, started anew", when)
                    .isEqualTo(was.model().cost().digest());
            assertThat(state.generation()).as("%s, started anew", when).isEqualTo(was.generation());
        });
    }
}
