/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReport.Basis;
import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Bytes of the pod's network interfaces, and of the ports of its job's RDMA devices, since the first look. One whose counters went back, or that was
 * not there at some look, is told no more: how much is missing is not known.
 *
 * @see "Linux, proc_pid_net(5) (/proc/net/dev); Documentation/ABI/stable/sysfs-class-infiniband (port_xmit_data, in 4 bytes)"
 */
final class DeviceCounters {
    private static final String LOOPBACK = "lo";
    /** Of /proc/net/dev, behind the name: received bytes is the first number, sent bytes the ninth. */
    private static final int SENT_COLUMN = 8;

    private static final long BYTES_OF_WORD = 4;

    private final Path proc;
    private final Path sys;
    private final boolean interfaces;
    private final Map<String, String> idsByName = new HashMap<>();
    private final Map<String, Counted> counted = new HashMap<>();
    private final Set<String> lost = new HashSet<>();
    private boolean begun;

    private record Bytes(Basis basis, long sent, long received) {}

    private record Counted(Bytes first, Bytes last) {}

    /**
     * @param proc {@code /proc}
     * @param sys {@code /sys}
     * @param devices of the pod, by the job's map
     * @param interfaces whether those of this network namespace carry this pod's bytes alone
     */
    DeviceCounters(Path proc, Path sys, List<JobDevice> devices, boolean interfaces) {
        this.proc = proc;
        this.sys = sys;
        this.interfaces = interfaces;
        devices.forEach(device -> idsByName.putIfAbsent(device.osName(), device.deviceId()));
    }

    void read() {
        Map<String, Bytes> now = new HashMap<>();
        if (interfaces) {
            readInterfaces(now);
        }
        idsByName.keySet().forEach(name -> readPorts(name, now));
        if (begun) {
            Map.copyOf(counted).forEach((name, before) -> {
                Bytes after = now.get(name);
                if (after != null
                        && after.sent() >= before.last().sent()
                        && after.received() >= before.last().received()) {
                    counted.put(name, new Counted(before.first(), after));
                } else {
                    lost.add(name);
                }
            });
        } else {
            now.forEach((name, bytes) -> counted.put(name, new Counted(bytes, bytes)));
            begun = true;
        }
    }

    /** By name. */
    List<DeviceTraffic> traffic() {
        return counted.entrySet().stream()
                .filter(each -> !lost.contains(each.getKey()))
                .map(each -> new DeviceTraffic(
                        each.getKey(),
                        idsByName.getOrDefault(each.getKey(), ""),
                        each.getValue().first().basis(),
                        each.getValue().last().sent() - each.getValue().first().sent(),
                        each.getValue().last().received()
                                - each.getValue().first().received()))
                .sorted(Comparator.comparing(DeviceTraffic::name))
                .limit(TrafficReport.MOST_DEVICES)
                .toList();
    }

    private void readInterfaces(Map<String, Bytes> to) {
        List<String> lines;
        try {
            lines = Files.readAllLines(proc.resolve("net/dev"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return;
        }
        for (String line : lines) {
            int colon = line.indexOf(':');
            String name = colon < 0 ? "" : line.substring(0, colon).strip();
            String[] numbers = line.substring(colon + 1).strip().split("\\s+", -1);
            if (!name.isEmpty() && !name.equals(LOOPBACK) && numbers.length > SENT_COLUMN) {
                add(name, Basis.INTERFACE, numbers[SENT_COLUMN], numbers[0], 1, to);
            }
        }
    }

    private void readPorts(String device, Map<String, Bytes> to) {
        Path ports = sys.resolve("class/infiniband").resolve(device).resolve("ports");
        if (!Files.isDirectory(ports)) {
            return;
        }
        List<Path> found;
        try (Stream<Path> listed = Files.list(ports)) {
            found = new ArrayList<>(listed.toList());
        } catch (IOException | UncheckedIOException e) {
            return;
        }
        for (Path port : found) {
            try {
                add(
                        device,
                        Basis.RDMA_PORT,
                        Files.readString(port.resolve("counters/port_xmit_data"))
                                .strip(),
                        Files.readString(port.resolve("counters/port_rcv_data")).strip(),
                        BYTES_OF_WORD,
                        to);
            } catch (IOException e) {
                // All ports are counted, or none.
                to.remove(device);
                return;
            }
        }
    }

    private static void add(String name, Basis basis, String sent, String received, long unit, Map<String, Bytes> to) {
        try {
            Bytes before = to.getOrDefault(name, new Bytes(basis, 0, 0));
            long sentBytes = before.sent() + unit * Long.parseLong(sent);
            long receivedBytes = before.received() + unit * Long.parseLong(received);
            if (sentBytes >= 0 && receivedBytes >= 0) {
                to.put(name, new Bytes(basis, sentBytes, receivedBytes));
            }
        } catch (NumberFormatException e) {
            to.remove(name);
        }
    }
}
