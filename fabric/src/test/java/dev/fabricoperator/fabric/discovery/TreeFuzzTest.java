/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.PortState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recorded hosts, damaged at random from fixed seeds: discovery never throws, asks no more than in proportion to what is
 * there, and takes what it cannot read for unknown. {@code -Dfuzz.trees=N} tries N damages of each host, {@code make fuzz} as many as there is time for, from a seed of
 * its own.
 */
class TreeFuzzTest {
    private static final int TRIES = Integer.getInteger("fuzz.trees", 8);
    /** Together for all hosts: half of the time of {@code make fuzz}. */
    private static final long NANOS = Integer.getInteger("fuzz.seconds", 0) * 500_000_000L;

    private static final int FIRST_SEED = Integer.getInteger("fuzz.seed", 0);

    /** Questions for an entry of the tree: several times what whole hosts need. */
    private static final int ASKED_OF_ENTRY = 40;

    @TempDir
    Path directory;

    static Stream<Path> hosts() {
        return Stream.of("derived", "recorded", "reported").flatMap(kind -> Recordings.archives(kind).stream());
    }

    @ParameterizedTest
    @MethodSource("hosts")
    void aDamagedHostIsLookedAtToTheEnd(Path archive) throws IOException {
        Path root = Recordings.tree(archive);
        try {
            assertIsLookedAtToTheEnd(root);
        } catch (IOException | RuntimeException | Error e) {
            Recordings.discard(archive);
            throw e;
        }
    }

    private void assertIsLookedAtToTheEnd(Path root) throws IOException {
        DiscoveryResult whole = HostDiscovery.discover(PathHostTree.of(root));
        Path aside = Files.createDirectory(directory.resolve("aside"));
        long begun = System.nanoTime();
        long nanos = NANOS / hosts().count();
        int seed = FIRST_SEED;
        for (; seed < FIRST_SEED + TRIES || System.nanoTime() - begun < nanos; seed++) {
            TreeDamage damage = new TreeDamage(root, aside, seed);
            damage.damage(1 + seed % 12);
            WatchedTree tree = new WatchedTree(PathHostTree.of(root), path -> false);
            DiscoveryResult found;
            try {
                found = HostDiscovery.discover(tree);
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("seed " + seed + ", " + damage.done, e);
            }
            int entries = damage.entries() + 300 * 12;
            assertThat(tree.asked).as("seed %s, %s", seed, damage.done).isLessThan((long) ASKED_OF_ENTRY * entries);
            assertThat(found.errors()).hasSizeLessThanOrEqualTo(AttributeReader.MAXIMUM_ERRORS);
            assertThat(found.devices()).as("seed %s, %s", seed, damage.done).allSatisfy(TreeFuzzTest::isInBounds);
            damage.repair();
        }
        if (NANOS > 0) {
            System.out.printf("%s damaged %,d times%n", root, seed - FIRST_SEED);
        }
        assertThat(HostDiscovery.discover(PathHostTree.of(root))).isEqualTo(whole);
    }

    /** What the API server would refuse must not come from a host. */
    private static void isInBounds(Device device) {
        assertThat(device.osName()).matches("[!-~]{1,63}");
        assertThat(device.port()).isBetween(0, 65_535);
        assertThat(device.deviceId()).isNotEmpty().hasSizeLessThanOrEqualTo(320);
        assertThat(device.readErrors()).hasSizeLessThanOrEqualTo(AttributeReader.MAXIMUM_ERRORS);
        for (String guid : new @Nullable String[] {device.nodeGuid(), device.systemImageGuid(), device.portGuid()}) {
            assertThat(guid == null || guid.matches("[0-9a-f]{16}")).isTrue();
        }
        assertThat(Objects.requireNonNullElse(device.lid(), 1)).isBetween(1, 0xbfff);
        assertThat(Objects.requireNonNullElse(device.speedBitsPerSecond(), 1L)).isPositive();
        assertThat(Objects.requireNonNullElse(device.width(), 1)).isPositive();
    }

    @ParameterizedTest
    @MethodSource("hosts")
    void whatMayNotBeReadIsUnknownAndToldAndNothingElseChanges(Path archive) {
        Path root = Recordings.tree(archive);
        HostTree readable = PathHostTree.of(root);
        Map<String, Device> whole = byName(HostDiscovery.discover(readable));
        for (int seed = 0; seed < TRIES; seed++) {
            int share = 2 + seed % 30;
            long salt = new Random(seed).nextLong();
            WatchedTree tree =
                    new WatchedTree(readable, path -> Math.floorMod(path.hashCode() * salt >>> 7, share) == 0);
            DiscoveryResult found = HostDiscovery.discover(tree);
            boolean failed = tree.unreadableFiles + tree.unreadableDirectories > 0;
            if (found.errorFree()) {
                assertThat(byName(found)).as("seed %s", seed).hasSameSizeAs(whole);
            }
            assertThat(failed
                            || found.errorFree()
                                    == HostDiscovery.discover(readable).errorFree())
                    .isTrue();
            for (Device device : found.devices()) {
                Device known = whole.get(device.osName() + " " + device.port());
                if (known == null) {
                    // Where the RDMA device cannot be found, its network interface stands for itself.
                    assertThat(found.errorFree())
                            .as("seed %s, %s", seed, device)
                            .isFalse();
                    continue;
                }
                for (Function<Device, @Nullable Object> value : VALUES) {
                    assertThat(value.apply(device))
                            .as("seed %s of %s", seed, device.osName())
                            .isIn(value.apply(known), null, PortState.Unknown);
                }
            }
        }
    }

    private static final List<Function<Device, @Nullable Object>> VALUES = List.of(
            Device::nodeGuid,
            Device::systemImageGuid,
            Device::lid,
            Device::speedBitsPerSecond,
            Device::width,
            Device::state,
            Device::physicalState,
            Device::linkLayer,
            Device::mtuBytes,
            Device::numaNode,
            Device::model,
            Device::firmware,
            Device::board);

    private static Map<String, Device> byName(DiscoveryResult result) {
        return result.devices().stream().collect(Collectors.toMap(d -> d.osName() + " " + d.port(), d -> d));
    }
}
