/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.discovery.HostTree;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.fabric.traffic.PortHealth;
import dev.fabricoperator.fabric.traffic.PortReading;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Watches the counters and temperatures of a node's ports, and says which links are about to fail. Files are those that any user may read. Not safe
 * for use by several threads.
 *
 * <p>A look costs one small read for each counter and sensor, and two for each port. Software has no link, a bond has those of its members, a virtual
 * function's card is watched with its physical one, and the carrier of IPoIB is that of its port and of the subnet manager.
 */
final class HealthWatch {
    private static final String INFINIBAND = "/sys/class/infiniband/";
    private static final String NET = "/sys/class/net/";
    private static final Pattern MONITOR = Pattern.compile("hwmon[0-9]{1,4}");
    private static final Pattern SENSOR = Pattern.compile("temp[0-9]{1,3}_input");
    private static final int MOST_SENSORS = 16;

    /** As {@code IFF_UP} of netdevice(7). */
    private static final long INTERFACE_UP = 1;

    private static final int MAXIMUM_BYTES = 64;
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,18}\n");
    private static final Pattern HEXADECIMAL = Pattern.compile("0x[0-9a-f]{1,8}\n");

    /** No card is too hot below: a lower mark is of something else. */
    private static final long LEAST_CRITICAL = 50_000;

    private static final long COLDEST = -50_000;
    private static final long HOTTEST = 250_000;

    private final HostTree tree;
    /** By device id: another card in the same slot is another one. */
    private final Map<String, Port> ports = new HashMap<>();

    private List<String> aboveMaximum = List.of();

    /**
     * A file and what it is a sign of.
     *
     * @param critical degrees Celsius that are too hot
     * @param maximum thousandths of a degree Celsius that are beyond normal use, {@code null} where nobody says
     */
    private record Watched(
            LinkFault fault,
            String file,
            long critical,
            @Nullable Long maximum) {}

    /**
     * A port and its files.
     *
     * @param rdma its directory, {@code null} where it is none of RDMA
     * @param netdev the directory of its interface, {@code null} for none and for IPoIB
     */
    private record Port(@Nullable String rdma, @Nullable String netdev, List<Watched> files, PortHealth health) {}

    HealthWatch(HostTree tree) {
        this.tree = tree;
    }

    /** What the published object of a device says of it. */
    @FunctionalInterface
    interface Said {
        List<Impairment> of(Device device);
    }

    /** Watches what has been found, and forgets what is gone. Files that appear later are watched after the next such look. */
    void follow(DiscoveryResult found, Said said, Instant now) {
        Set<String> there = new HashSet<>();
        for (Device device : found.devices()) {
            if (device.function() == Function.Physical || device.function() == Function.Virtual) {
                there.add(device.deviceId());
                Port before = ports.get(device.deviceId());
                ports.put(
                        device.deviceId(),
                        port(device, before == null ? new PortHealth(said.of(device), now) : before.health()));
            }
        }
        if (found.errorFree()) {
            ports.keySet().retainAll(there);
        }
    }

    private Port port(Device device, PortHealth health) {
        String rdma = device.port() == 0 ? null : INFINIBAND + device.osName() + "/ports/" + device.port();
        boolean ethernet = device.family() != Family.InfiniBand && device.family() != Family.OmniPath;
        String name =
                device.netdev() == null && device.type() == DeviceType.Network ? device.osName() : device.netdev();
        String netdev = !ethernet || name == null ? null : NET + name;
        List<Watched> files = new ArrayList<>();
        for (LinkFault fault : LinkFault.values()) {
            String directory = switch (fault.place()) {
                case Port -> rdma;
                case Interface -> netdev;
                case Card -> null;
            };
            if (directory != null && tree.exists(directory + "/" + fault.file())) {
                files.add(new Watched(fault, directory + "/" + fault.file(), 0, null));
            }
        }
        if (device.function() == Function.Physical && (rdma != null || netdev != null)) {
            files.addAll(sensors((rdma == null ? netdev : INFINIBAND + device.osName()) + "/device/hwmon"));
        }
        return new Port(rdma, netdev, List.copyOf(files), health);
    }

    private List<Watched> sensors(String directory) {
        List<Watched> sensors = new ArrayList<>();
        for (String monitor : names(directory)) {
            if (MONITOR.matcher(monitor).matches()) {
                names(directory + "/" + monitor).stream()
                        .filter(name -> SENSOR.matcher(name).matches())
                        .limit(MOST_SENSORS)
                        .forEach(name -> sensors.addAll(sensor(directory + "/" + monitor + "/" + name)));
            }
        }
        return sensors.subList(0, Math.min(sensors.size(), MOST_SENSORS));
    }

    /** Its marks are read once: they are the maker's. Without a critical one it says nothing. */
    private List<Watched> sensor(String file) {
        String sensor = file.substring(0, file.length() - "input".length());
        Long critical = number(sensor + "crit");
        Long maximum = number(sensor + "max");
        // Drivers have shown a threshold of cold as the critical one.
        boolean isMark = critical != null
                && critical >= LEAST_CRITICAL
                && critical <= HOTTEST
                && (maximum == null || maximum <= critical);
        return critical == null || !isMark
                ? List.of()
                : List.of(new Watched(
                        LinkFault.Temperature,
                        file,
                        critical / 1000,
                        maximum == null || maximum <= 0 ? null : maximum));
    }

    private List<String> names(String directory) {
        return tree.list(directory) instanceof HostTree.Entries(List<String> names) ? names : List.of();
    }

    /**
     * Looks at every file once.
     *
     * @param now by a clock that never goes back
     * @return whether {@link #of} says another thing of a device than before
     */
    boolean look(Instant now, Instant wall) {
        boolean changed = false;
        List<String> warm = new ArrayList<>();
        for (Port port : ports.values()) {
            changed |= port.health().look(reading(port, warm), now, wall);
        }
        aboveMaximum = warm;
        return changed;
    }

    /** Signs that a device's link is about to fail, by file. */
    List<Impairment> of(Device device) {
        Port port = ports.get(device.deviceId());
        return port == null ? List.of() : port.health().impairments();
    }

    /** How many signs there are of all ports. */
    int impairments() {
        return ports.values().stream()
                .mapToInt(port -> port.health().impairments().size())
                .sum();
    }

    /** Sensors that are above what their maker calls the maximum of normal use, which is no fault. */
    List<String> aboveMaximum() {
        return aboveMaximum;
    }

    private PortReading reading(Port port, List<String> warm) {
        Map<String, PortReading.Sample> samples = new HashMap<>();
        for (Watched watched : port.files()) {
            PortReading.Sample sample =
                    watched.fault() == LinkFault.Temperature ? temperature(watched, warm) : counter(watched);
            if (sample != null) {
                samples.put(watched.file(), sample);
            }
        }
        return new PortReading(isUp(port), isShut(port), samples);
    }

    private PortReading.@Nullable Sample counter(Watched watched) {
        Long value = number(watched.file());
        return value == null || value < 0 ? null : PortReading.Sample.counted(watched.fault(), value);
    }

    private PortReading.@Nullable Sample temperature(Watched watched, List<String> warm) {
        Long value = number(watched.file());
        if (value == null || value < COLDEST || value > HOTTEST) {
            return null;
        }
        if (watched.maximum() != null && value >= watched.maximum()) {
            warm.add(watched.file());
        }
        return new PortReading.Sample(LinkFault.Temperature, Math.floorDiv(value, 1000L), watched.critical());
    }

    private boolean isUp(Port port) {
        if (port.rdma() != null) {
            return text(port.rdma() + "/state").startsWith("4");
        }
        return port.netdev() != null && text(port.netdev() + "/carrier").equals("1\n");
    }

    /** Only InfiniBand's {@code Disabled} is somebody's will: an Ethernet port without a link has it too. */
    private boolean isShut(Port port) {
        if (port.netdev() != null) {
            String flags = text(port.netdev() + "/flags");
            return HEXADECIMAL.matcher(flags).matches()
                    && (Long.parseLong(flags.strip().substring(2), 16) & INTERFACE_UP) == 0;
        }
        return port.rdma() != null && text(port.rdma() + "/phys_state").startsWith("3");
    }

    /** The kernel ends each value with a line feed: without one it is a part of a value. */
    private @Nullable Long number(String file) {
        String text = text(file);
        return DECIMAL.matcher(text).matches() ? Long.valueOf(text.strip()) : null;
    }

    private String text(String file) {
        return tree.read(file, MAXIMUM_BYTES) instanceof HostTree.Text(String value) ? value : "";
    }
}
