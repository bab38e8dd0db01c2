/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host tree whose counter files change. */
class HealthWatchTest {
    private static final String IB = "/sys/class/infiniband/mlx5_0/ports/1/";
    private static final String ROCE = "/sys/class/infiniband/mlx5_1/ports/1/";
    private static final String NET = "/sys/class/net/ens1/";
    private static final String MONITOR = "/sys/class/infiniband/mlx5_0/device/hwmon/hwmon3/";
    private static final Instant WALL = Instant.parse("2026-11-28T12:00:00Z");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path root;

    @SuppressWarnings("NullAway.Init")
    private HealthWatch watch;

    private Instant now = Instant.EPOCH;

    private void write(String path, String content) throws IOException {
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, content);
    }

    private static DeviceBuilder device(String osName, Family family) {
        return DeviceBuilder.builder()
                .hostname("host1")
                .osName(osName)
                .port(1)
                .deviceId("fab://" + osName)
                .source("sysfs")
                .type(DeviceType.OpenFabrics)
                .family(family)
                .function(Function.Physical)
                .role(Role.Fabric)
                .state(PortState.Active);
    }

    private static final Device INFINIBAND =
            device("mlx5_0", Family.InfiniBand).netdev("ib0").build();
    private static final Device ETHERNET =
            device("mlx5_1", Family.RoCE).netdev("ens1").build();

    private static DiscoveryResult found(Device... devices) {
        return new DiscoveryResult("host1", List.of(devices), true, true, List.of());
    }

    @BeforeEach
    void layOut() throws IOException {
        write(IB + "state", "4: ACTIVE\n");
        write(IB + "phys_state", "5: LinkUp\n");
        for (String counter : List.of(
                "symbol_error",
                "link_error_recovery",
                "link_downed",
                "port_rcv_errors",
                "local_link_integrity_errors",
                "excessive_buffer_overrun_errors")) {
            write(IB + "counters/" + counter, "0\n");
        }
        write("/sys/class/net/ib0/carrier_changes", "3\n");
        write(MONITOR + "temp1_input", "61000\n");
        write(MONITOR + "temp1_crit", "105000\n");
        write(MONITOR + "temp1_max", "95000\n");
        write(ROCE + "state", "4: ACTIVE\n");
        write(ROCE + "phys_state", "5: LinkUp\n");
        write(ROCE + "hw_counters/rx_icrc_encapsulated", "0\n");
        write(NET + "flags", "0x1003\n");
        write(NET + "carrier", "1\n");
        write(NET + "carrier_changes", "2\n");
        write(NET + "statistics/rx_crc_errors", "0\n");
        watch = new HealthWatch(PathHostTree.of(root));
        watch.follow(found(INFINIBAND, ETHERNET), device -> List.of(), now);
        look();
        look();
    }

    private boolean look() {
        now = now.plusSeconds(2);
        return watch.look(now, WALL);
    }

    private void rises(String file, LinkFault kind, Device device, long from, long to) throws IOException {
        write(file, to + "\n");
        assertThat(look()).as(file).isTrue();
        assertThat(watch.of(device))
                .as(file)
                .filteredOn(one -> one.file().equals(file))
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.kind()).isEqualTo(kind);
                    assertThat(one.value()).isEqualTo(to - from);
                });
    }

    @Test
    void eachCounterThatRisesIsSaidOfItsPortWithFileAndValue() throws IOException {
        rises(IB + "counters/symbol_error", LinkFault.SymbolErrors, INFINIBAND, 0, 40);
        rises(IB + "counters/link_error_recovery", LinkFault.LinkErrorRecoveries, INFINIBAND, 0, 12);
        rises(IB + "counters/port_rcv_errors", LinkFault.ReceiveErrors, INFINIBAND, 0, 300);
        rises(IB + "counters/local_link_integrity_errors", LinkFault.LocalLinkIntegrityErrors, INFINIBAND, 0, 14);
        rises(IB + "counters/excessive_buffer_overrun_errors", LinkFault.ExcessiveBufferOverruns, INFINIBAND, 0, 11);
        rises(ROCE + "hw_counters/rx_icrc_encapsulated", LinkFault.InvariantCrcErrors, ETHERNET, 0, 20);
        rises(NET + "statistics/rx_crc_errors", LinkFault.FrameCheckErrors, ETHERNET, 0, 20);
        rises(IB + "counters/link_downed", LinkFault.LinkDowns, INFINIBAND, 0, 30);
        rises(NET + "carrier_changes", LinkFault.CarrierChanges, ETHERNET, 2, 40);
        assertThat(watch.impairments()).isEqualTo(9);
    }

    @Test
    void aCardAboveItsCriticalMarkIsSaidAndOneAboveItsMaximumIsToldOnly() throws IOException {
        write(MONITOR + "temp1_input", "99000\n");
        assertThat(look()).isFalse();
        assertThat(watch.aboveMaximum()).containsExactly(MONITOR + "temp1_input");
        write(MONITOR + "temp1_input", "108500\n");
        look();
        look();
        assertThat(look()).isTrue();
        assertThat(watch.of(INFINIBAND))
                .extracting(Impairment::words)
                .containsExactly("108 degrees Celsius, critical from 105");
        assertThat(watch.of(ETHERNET)).isEmpty();
    }

    @Test
    void aSensorWithoutACriticalMarkOrWithAnImpossibleValueSaysNothing() throws IOException {
        write(MONITOR + "temp1_crit", "0\n");
        watch.follow(found(INFINIBAND, ETHERNET), device -> List.of(), now);
        write(MONITOR + "temp1_input", "120000\n");
        look();
        look();
        assertThat(look()).isFalse();
        write(MONITOR + "temp1_crit", "105000\n");
        watch.follow(found(INFINIBAND, ETHERNET), device -> List.of(), now);
        write(MONITOR + "temp1_input", "4294967295000\n");
        look();
        look();
        assertThat(look()).isFalse();
    }

    @Test
    void aTornOrAbsentFileChangesNothing() throws IOException {
        String file = IB + "counters/symbol_error";
        write(file, "20000\n");
        look();
        List<Impairment> before = watch.of(INFINIBAND);
        assertThat(before).hasSize(1);
        for (String torn :
                List.of("", "2", "20000", "-1\n", "20k\n", "\n", "0x4e20\n", "99999999999999999999\n", "1\n2\n")) {
            write(file, torn);
            assertThat(look()).as(torn).isFalse();
        }
        Files.delete(root.resolve(file.substring(1)));
        assertThat(look()).isFalse();
        write(file, "20000\n");
        assertThat(look()).isFalse();
        assertThat(watch.of(INFINIBAND)).isEqualTo(before);
    }

    @Test
    void aDriverThatIsLoadedAnewSaysNothing() throws IOException {
        write(NET + "carrier_changes", "19\n");
        write(IB + "counters/symbol_error", "9\n");
        look();
        Path device = root.resolve("sys/class/infiniband/mlx5_0");
        Files.move(device, root.resolve("gone"));
        look();
        watch.follow(found(ETHERNET), said -> List.of(), now);
        look();
        Files.move(root.resolve("gone"), device);
        write(IB + "counters/symbol_error", "5000\n");
        write(IB + "counters/link_downed", "200\n");
        watch.follow(found(INFINIBAND, ETHERNET), said -> List.of(), now);
        assertThat(look()).isFalse();
        assertThat(look()).isFalse();
        assertThat(watch.impairments()).isZero();
    }

    @Test
    void anotherCardInTheSameSlotStartsAnew() throws IOException {
        write(IB + "counters/symbol_error", "40\n");
        look();
        assertThat(watch.of(INFINIBAND)).hasSize(1);
        Device other = DeviceBuilder.builder(INFINIBAND).deviceId("fab://other").build();
        write(IB + "counters/symbol_error", "60000\n");
        watch.follow(found(other, ETHERNET), said -> List.of(), now);
        assertThat(look()).isFalse();
        assertThat(watch.of(other)).isEmpty();
        assertThat(watch.of(INFINIBAND)).isEmpty();
    }

    @Test
    void anInterfaceThatIsShutAndOpenedAllTheTimeSaysNothing() throws IOException {
        for (int i = 0; i < 30; i++) {
            boolean open = i % 2 == 1;
            write(NET + "flags", open ? "0x1003\n" : "0x1002\n");
            write(NET + "carrier", open ? "1\n" : "");
            write(ROCE + "state", open ? "4: ACTIVE\n" : "1: DOWN\n");
            write(NET + "carrier_changes", (3 + i) + "\n");
            assertThat(look()).isFalse();
        }
    }

    @Test
    void aPortWithoutAModuleSaysNothing() throws IOException {
        write(ROCE + "state", "1: DOWN\n");
        write(ROCE + "phys_state", "3: Disabled\n");
        write(NET + "carrier", "0\n");
        for (int i = 0; i < 100; i++) {
            write(NET + "statistics/rx_crc_errors", i * 50 + "\n");
            assertThat(look()).isFalse();
        }
    }

    @Test
    void theCarrierOfIpoibIsThatOfItsPortAndNotCountedTwice() throws IOException {
        write("/sys/class/net/ib0/carrier_changes", "400\n");
        assertThat(look()).isFalse();
    }

    @Test
    void whatThePublishedObjectSaysHoldsAfterARestart() {
        Impairment said =
                new Impairment(LinkFault.SymbolErrors, IB + "counters/symbol_error", 40, 10, 2, 60, 300, WALL);
        watch = new HealthWatch(PathHostTree.of(root));
        watch.follow(found(INFINIBAND, ETHERNET), device -> device.equals(INFINIBAND) ? List.of(said) : List.of(), now);
        look();
        assertThat(watch.of(INFINIBAND)).containsExactly(said);
        for (Instant end = now.plus(Duration.ofSeconds(310)); now.isBefore(end); ) {
            look();
        }
        assertThat(watch.of(INFINIBAND)).isEmpty();
    }

    @Test
    void anHourOfAHealthyHostWithNowAndThenAnErrorSaysNothing() throws IOException {
        Random random = new Random(42);
        List<String> files = new ArrayList<>(List.of(
                IB + "counters/symbol_error",
                IB + "counters/port_rcv_errors",
                ROCE + "hw_counters/rx_icrc_encapsulated",
                NET + "statistics/rx_crc_errors"));
        long[] values = new long[files.size()];
        for (int i = 0; i < 1800; i++) {
            if (random.nextInt(20) == 0) {
                int which = random.nextInt(files.size());
                write(files.get(which), ++values[which] + "\n");
            }
            write(MONITOR + "temp1_input", 60_000 + random.nextInt(30_000) + "\n");
            assertThat(look()).isFalse();
        }
    }
}
