/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.PortChanges.PortChange;
import dev.fabricoperator.operator.controller.PublishedModel;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlapDampingTest {
    private static final Duration WINDOW = Duration.ofSeconds(60);
    private static final Duration QUIET = Duration.ofSeconds(30);

    private final HandMovedClock hands = new HandMovedClock(Instant.parse("2026-01-02T03:04:05Z"));
    private final FlapDamping damping = new FlapDamping(3, WINDOW, QUIET);
    private FlapDamping.@Nullable History history;
    private @Nullable ClusterModel model;

    /** Two switches with {@code links} cables between them; those below {@code down} are missing. */
    private static SortedMap<String, Switch> cabled(int links, int down) {
        SortedMap<String, Switch> switches = new TreeMap<>();
        for (List<String> ids : List.of(List.of("a", "b"), List.of("b", "a"))) {
            List<SwitchPort> ports = new ArrayList<>();
            for (int port = 1; port <= links; port++) {
                PortPeer peer = port <= down ? null : new PortPeer(ids.get(1), port);
                ports.add(new SwitchPort(port, peer, PortState.Unknown, null, null, null, null, null));
            }
            switches.put(ids.get(0), new Switch(ids.get(0), null, null, null, null, "", ports));
        }
        return switches;
    }

    private Flaps observe(int down) {
        return observe(cabled(100, down), List.of(), Set.of());
    }

    private Flaps observe(SortedMap<String, Switch> switches, List<PortChange> ports, Set<PortPeer> dampedBefore) {
        FlapDamping.History next = damping.next(history, switches, ports, dampedBefore, hands.instant());
        history = next;
        return next.flaps();
    }

    private @Nullable Instant nextRelease() {
        return damping.nextRelease(Objects.requireNonNull(history));
    }

    private void flap(int times) {
        for (int i = 0; i < times; i++) {
            hands.move(Duration.ofSeconds(1));
            observe(i % 2 == 0 ? 1 : 0);
        }
    }

    @Test
    void aLinkThatChangesSometimesIsLeftAlone() {
        observe(0);
        flap(3);
        assertThat(observe(1).links()).isEmpty();
        hands.move(Duration.ofSeconds(60));
        for (int i = 0; i < 20; i++) {
            hands.move(Duration.ofSeconds(21));
            assertThat(observe(i % 2).links()).isEmpty();
        }
    }

    @Test
    void aLinkThatChangesTooOftenIsDampedOnceWithBothEnds() {
        observe(0);
        flap(4);
        Flaps flaps = observe(0);
        assertThat(flaps.links()).containsExactly(new Flaps.Link(new PortPeer("a", 1), new PortPeer("b", 1)));
        assertThat(flaps.ports(Set.of("a", "b"))).containsExactlyInAnyOrder(new PortPeer("a", 1), new PortPeer("b", 1));
        assertThat(flaps.ports(Set.of("a"))).containsExactly(new PortPeer("a", 1));
    }

    @Test
    void aDampedLinkIsReleasedAfterItsQuietTime() {
        observe(0);
        flap(6);
        Instant lastChange = hands.instant();
        assertThat(nextRelease()).isEqualTo(lastChange.plus(QUIET));
        hands.move(Duration.ofSeconds(29));
        assertThat(observe(0).links()).hasSize(1);
        hands.move(Duration.ofSeconds(1));
        assertThat(observe(0).links()).isEmpty();
        assertThat(nextRelease()).isNull();
    }

    @Test
    void everyFurtherChangeBeginsTheQuietTimeAnew() {
        observe(0);
        flap(4);
        hands.move(Duration.ofSeconds(25));
        observe(1);
        hands.move(Duration.ofSeconds(25));
        assertThat(observe(1).links()).hasSize(1);
    }

    @Test
    void switchesThatComeAndGoDampNothing() {
        observe(0);
        for (int i = 0; i < 20; i++) {
            hands.move(Duration.ofSeconds(1));
            assertThat(observe(i % 2 == 0 ? new TreeMap<>() : cabled(100, 0), List.of(), Set.of())
                            .links())
                    .isEmpty();
        }
    }

    @Test
    void noMoreLinksThanTheBoundAreDamped() {
        observe(0);
        for (int i = 0; i < 8; i++) {
            hands.move(Duration.ofSeconds(1));
            observe(i % 2 == 0 ? 100 : 0);
        }
        Flaps flaps = observe(0);
        assertThat(flaps.links()).hasSize(FlapDamping.MAXIMUM_DAMPED);
        assertThat(flaps.notDamped()).isPositive();
    }

    @Test
    void whatTheProcessBeforeDampedStaysForOneQuietTime() {
        Set<PortPeer> before = Set.of(new PortPeer("a", 7), new PortPeer("b", 7), new PortPeer("gone", 1));
        assertThat(observe(cabled(100, 0), List.of(), before).links())
                .containsExactly(new Flaps.Link(new PortPeer("a", 7), new PortPeer("b", 7)));
        hands.move(Duration.ofSeconds(30));
        assertThat(observe(cabled(100, 0), List.of(), before).links()).isEmpty();
    }

    @Test
    void aPassThatIsMadeAgainFromTheSameHistoryComesToTheSame() {
        observe(0);
        flap(3);
        FlapDamping.History before = history;
        FlapDamping.History once = damping.next(before, cabled(100, 1), List.of(), Set.of(), hands.instant());
        FlapDamping.History again = damping.next(before, cabled(100, 1), List.of(), Set.of(), hands.instant());
        assertThat(once.damped()).isEqualTo(again.damped());
        assertThat(once.changesOf()).isEqualTo(again.changesOf());
    }

    @Test
    void aPortThatChangesTooOftenIsReportedAndEachChangeCountsOnce() {
        List<PortChange> changes = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            hands.move(Duration.ofSeconds(1));
            changes.add(new PortChange(number, "n1-mlx5-0-1", hands.instant()));
            assertThat(observe(cabled(1, 0), changes, Set.of()).devices()).isEmpty();
        }
        hands.move(Duration.ofSeconds(1));
        changes.add(new PortChange(4, "n1-mlx5-0-1", hands.instant()));
        assertThat(observe(cabled(1, 0), changes, Set.of()).devices()).containsExactly("n1-mlx5-0-1");
        hands.move(QUIET);
        assertThat(observe(cabled(1, 0), changes, Set.of()).devices()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-90, 90})
    void aClockThatIsSetNeitherReleasesAPortNorKeepsIt(long seconds) {
        FactStores stores = new FactStores(hands.steady());
        stores.listen(() -> {}, () -> {}, new PublishedModel());
        String name = "n1-mlx5-0-1";
        for (int i = 0; i < 5; i++) {
            hands.move(Duration.ofSeconds(1));
            stores.devices().put(name, device(name, i, i % 2 == 0 ? PortState.Active : PortState.Down));
        }
        assertThat(flapping(stores)).containsExactly(name);

        hands.set(Duration.ofSeconds(seconds));
        assertThat(flapping(stores)).containsExactly(name);
        hands.move(QUIET.minusSeconds(1));
        assertThat(flapping(stores)).containsExactly(name);
        hands.move(Duration.ofSeconds(1));
        assertThat(flapping(stores)).isEmpty();
    }

    private List<String> flapping(FactStores stores) {
        model = Modeler.model(
                Inventory.of(stores, List.of()), FabricNumbers.START, model, new Conditions(hands), damping);
        return model.flapHistory().flaps().devices();
    }

    private static FabricDevice device(String name, int version, PortState state) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid(name)
                .withResourceVersion("" + version)
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n1")
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://1")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .state(state)
                .build());
        return device;
    }
}
