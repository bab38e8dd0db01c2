/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingDiff;
import dev.fabricoperator.fabric.cabling.PortPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DerivedHostsTest {
    private static final Path FIXTURES = Path.of(System.getProperty("fixtures"));
    private static final Path NDR = FIXTURES.resolve("fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz");

    @Test
    void everyNamedHostOfTheDumpAndNoOtherGetsItsAdapters() throws IOException {
        List<DerivedHost> hosts = DerivedHost.of(Dumps.cabling("ndr", Dumps.read(NDR)));
        Map<Integer, Long> hostsByAdapters = hosts.stream()
                .map(host -> host.adapters().size())
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(hostsByAdapters).isEqualTo(Map.of(4, 109L, 3, 10L, 2, 2L));
        assertThat(hosts).allSatisfy(host -> {
            assertThat(host.nodeName()).matches("[a-z0-9.-]+");
            assertThat(host.adapters()).extracting(DerivedHost.Placed::osName).doesNotHaveDuplicates();
            assertThat(host.adapters())
                    .extracting(DerivedHost.Placed::pciAddress)
                    .doesNotHaveDuplicates();
        });
    }

    @Test
    void theTreeRepeatsWhatTheDumpSaysOfAPort(@TempDir Path directory) throws IOException {
        DerivedHost host = DerivedHost.of(Dumps.cabling("ndr", Dumps.read(NDR))).stream()
                .filter(candidate -> candidate.hostname().equals("a08-p1-dgx-04-c01"))
                .findFirst()
                .orElseThrow();
        HostTree.write(host, directory);

        Path device = directory.resolve("sys/class/infiniband/mlx5_5");
        assertThat(device).isSymbolicLink();
        assertThat(Files.readString(device.resolve("node_guid"))).isEqualTo("e09d:7303:007a:4bd8\n");
        assertThat(Files.readString(device.resolve("hca_type"))).isEqualTo("MT4129\n");
        assertThat(Files.readString(device.resolve("ports/1/state"))).isEqualTo("4: ACTIVE\n");
        assertThat(Files.readString(device.resolve("ports/1/lid"))).isEqualTo("0x287\n");
        assertThat(Files.readString(device.resolve("ports/1/rate"))).isEqualTo("400 Gb/sec (4X NDR)\n");
        assertThat(Files.readString(device.resolve("ports/1/gids/0")))
                .isEqualTo("fe80:0000:0000:0000:e09d:7303:007a:4bd8\n");
        assertThat(Files.readString(device.resolve("device/vendor"))).isEqualTo("0x15b3\n");
        assertThat(Files.readString(device.resolve("device/device"))).isEqualTo("0x1021\n");
        assertThat(Files.readString(device.resolve("device/net/ib5/address"))).endsWith("e0:9d:73:03:00:7a:4b:d8\n");
        assertThat(Files.readString(directory.resolve("etc/hostname"))).isEqualTo("a08-p1-dgx-04-c01\n");
        assertThat(directory.resolve("DERIVED.txt")).content().contains("not recorded");

        HostTree.unplug(directory, "mlx5_5", 1);
        assertThat(Files.readString(device.resolve("ports/1/state"))).isEqualTo("1: DOWN\n");
        HostTree.plug(directory, "mlx5_5", 1);
        assertThat(Files.readString(device.resolve("ports/1/state"))).isEqualTo("4: ACTIVE\n");
    }

    @Test
    void aPulledHostCableTakesOneLinkAndTheHostsEndOutOfTheDump() throws IOException {
        DumpText dump = Dumps.read(NDR);
        Cabling before = Dumps.cabling("before", dump);
        Adapter adapter = before.adapters().getFirst();
        AdapterPort port = adapter.ports().getFirst();
        PortPeer peer = Objects.requireNonNull(port.peer());

        Cabling after = Dumps.cabling("after", dump.withoutCable(adapter.id(), port.number(), peer.id(), peer.port()));

        CablingDiff diff = CablingDiff.between(before, after);
        assertThat(diff.nodesLost()).containsExactly(adapter.id());
        assertThat(diff.linksLost()).hasSize(1);
        assertThat(diff.nodesGained()).isEmpty();
        assertThat(diff.linksGained()).isEmpty();
        assertThat(after.problems()).isEqualTo(before.problems());
    }

    @ParameterizedTest
    @CsvSource({
        "400000000000, 4, 400 Gb/sec (4X NDR)",
        "200000000000, 4, 200 Gb/sec (4X HDR)",
        "100000000000, 4, 100 Gb/sec (4X EDR)",
        "100000000000, 2, 100 Gb/sec (2X HDR)",
        "56000000000, 4, 56 Gb/sec (4X FDR)",
        "40000000000, 4, 40 Gb/sec (4X QDR)",
        "20000000000, 4, 20 Gb/sec (4X DDR)",
        "10000000000, 4, 10 Gb/sec (4X)",
        "2500000000, 1, 2.5 Gb/sec (1X)"
    })
    void ratesReadAsTheKernelPrintsThem(long bitsPerSecond, int width, String text) {
        assertThat(RateText.of(bitsPerSecond, width)).isEqualTo(text);
    }

    @Test
    void aRecordedHostIsUnpackedWithItsLinks(@TempDir Path directory) throws IOException {
        Path root = RecordedHost.unpack(FIXTURES.resolve("sysfs/derived/quartz386.hfi1-omnipath.tar.xz"), directory);
        assertThat(root.resolve("sys/class/infiniband/hfi1_0")).isSymbolicLink().exists();
    }
}
