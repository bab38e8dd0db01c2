/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds devices by what people call them: the name of an object, a deviceId, a node or port GUID (plain, with {@code 0x} or
 * with colons), {@code host/osName}. A GUID and {@code host/osName} may have {@code :port} behind them.
 *
 * @param <D> stands for a device and is never compared: hashing it may cost much
 */
public final class DeviceIds<D> {
    private static final Pattern GUID =
            Pattern.compile("(?:0x)?([0-9a-f]{16}|[0-9a-f]{4}(?::[0-9a-f]{4}){3})(?::([0-9]{1,5}))?");
    private static final Pattern PORT = Pattern.compile("(.+):([0-9]{1,5})");

    private final Function<? super D, ? extends Identified> identity;
    private final Map<String, List<D>> byName;
    private final Map<String, List<D>> byDeviceId;
    private final Map<String, List<D>> byGuid;
    private final Map<String, List<D>> byHost;
    /** By the name of the Kubernetes node, those whose host calls itself otherwise. */
    private final Map<String, List<D>> byOtherNode = new HashMap<>();

    private final Collection<? extends D> devices;

    /** What a device is called. */
    public interface Identified {
        /** Of its object. */
        String name();

        @Nullable
        String deviceId();

        /** 16 lower-case hex digits. */
        @Nullable
        String nodeGuid();

        @Nullable
        String portGuid();

        /** Empty where nobody knows. */
        String hostname();

        /** Of the Kubernetes node; empty for a device of a dump. */
        default String nodeName() {
            return "";
        }

        /** Empty where nobody knows. */
        String osName();

        int port();
    }

    /** Whether a text is written as what belongs to one device: a GUID, or {@code host/osName}. */
    public static boolean isOfOne(String id) {
        return id.indexOf('/') > 0 || GUID.matcher(id.toLowerCase(Locale.ROOT)).matches();
    }

    /** Cost: O(devices) time and memory. */
    public DeviceIds(Collection<? extends D> devices, Function<? super D, ? extends Identified> identity) {
        this.identity = identity;
        this.devices = devices;
        byName = HashMap.newHashMap(devices.size());
        byDeviceId = HashMap.newHashMap(devices.size());
        byGuid = HashMap.newHashMap(devices.size());
        byHost = new HashMap<>();
        for (D device : devices) {
            Identified ids = identity.apply(device);
            add(byName, ids.name(), device);
            add(byDeviceId, ids.deviceId(), device);
            add(byGuid, ids.nodeGuid(), device);
            String portGuid = ids.portGuid();
            if (portGuid != null && !portGuid.equals(ids.nodeGuid())) {
                add(byGuid, portGuid, device);
            }
            add(byHost, ids.hostname(), device);
            if (!ids.nodeName().equals(ids.hostname())) {
                add(byOtherNode, ids.nodeName(), device);
            }
        }
    }

    /** Most lists are of one device: these take no array. */
    private static <D> void add(Map<String, List<D>> index, @Nullable String key, D device) {
        if (key == null || key.isEmpty()) {
            return;
        }
        List<D> known = index.putIfAbsent(key, List.of(device));
        if (known instanceof ArrayList<D> several) {
            several.add(device);
        } else if (known != null) {
            List<D> several = new ArrayList<>(known);
            several.add(device);
            index.put(key, several);
        }
    }

    /** All devices that an id may mean, in the order in which they were given. O(devices of one host). */
    public List<D> meantBy(String id) {
        List<D> exact = byName.getOrDefault(id, byDeviceId.getOrDefault(id, List.of()));
        if (!exact.isEmpty()) {
            return exact;
        }
        Matcher guid = GUID.matcher(id.toLowerCase(Locale.ROOT));
        if (guid.matches()) {
            List<D> found = byGuid.getOrDefault(guid.group(1).replace(":", ""), List.of());
            String port = guid.group(2);
            return port == null ? found : matching(found, isPort(port));
        }
        // Names of interfaces hold slashes, such as Ethernet1/1.
        for (int slash = id.indexOf('/'); slash > 0; slash = id.indexOf('/', slash + 1)) {
            List<D> found = onHost(id.substring(0, slash), id.substring(slash + 1));
            if (!found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    private List<D> onHost(String hostname, String osName) {
        List<D> ofHost = byHost.getOrDefault(hostname, List.of());
        List<D> found = matching(ofHost, isCalled(osName));
        Matcher port = PORT.matcher(osName);
        return found.isEmpty() && port.matches()
                ? matching(ofHost, isCalled(port.group(1)).and(isPort(port.group(2))))
                : found;
    }

    private static Predicate<Identified> isCalled(String osName) {
        return device -> !osName.isEmpty() && device.osName().equals(osName);
    }

    private static Predicate<Identified> isPort(String digits) {
        int port = Integer.parseInt(digits);
        return device -> device.port() == port;
    }

    private List<D> matching(List<D> devices, Predicate<Identified> wanted) {
        return devices.stream()
                .filter(device -> wanted.test(identity.apply(device)))
                .toList();
    }

    /** In the order in which they were given; none for the empty name. */
    public List<D> ofHost(String hostname) {
        return byHost.getOrDefault(hostname, List.of());
    }

    /** Those of a host, and those of the Kubernetes node of that name, in the order in which they were given. */
    public List<D> ofNode(String name) {
        List<D> otherwise = byOtherNode.getOrDefault(name, List.of());
        if (otherwise.isEmpty()) {
            return ofHost(name);
        }
        List<D> all = new ArrayList<>(ofHost(name));
        all.addAll(otherwise);
        return all;
    }

    /** All of them, by what they are called. */
    public Stream<Identified> all() {
        return devices.stream().map(identity);
    }

    public List<D> withDeviceId(String deviceId) {
        return byDeviceId.getOrDefault(deviceId, List.of());
    }

    public List<D> named(String name) {
        return byName.getOrDefault(name, List.of());
    }
}
