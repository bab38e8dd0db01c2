/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.FabricDeviceSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the device that a person means: by object name, deviceId, port GUID, node GUID, {@code host/osName}; the last
 * two also with {@code :port}. GUIDs are taken as any tool prints them.
 */
public final class DeviceFinder {
    private static final int SHOWN = 5;
    private static final int NEAR = 3;

    /** Insertion order is slot order, which makes messages the same each time. */
    private final Map<String, Set<FoundDevice>> byId = new LinkedHashMap<>();

    private final Map<String, List<FoundDevice>> byHost = new LinkedHashMap<>();

    public DeviceFinder(Collection<FoundDevice> devices) {
        for (FoundDevice found : devices) {
            FabricDeviceSpec device = found.spec();
            add(found.objectName(), found);
            if (device.deviceId() != null) {
                add(device.deviceId(), found);
            }
            if (device.portGuid() != null) {
                add(device.portGuid(), found);
            }
            if (device.nodeGuid() != null) {
                add(device.nodeGuid(), found);
                add(device.nodeGuid() + ":" + device.port(), found);
            }
            String host = Objects.requireNonNullElse(device.hostname(), "");
            String osName = Objects.requireNonNullElse(device.osName(), "");
            if (!host.isEmpty() && !osName.isEmpty()) {
                add(host + "/" + osName, found);
                add(host + "/" + osName + ":" + device.port(), found);
            }
            byHost.computeIfAbsent(host, name -> new ArrayList<>()).add(found);
        }
    }

    private void add(String id, FoundDevice device) {
        byId.computeIfAbsent(id, key -> new LinkedHashSet<>()).add(device);
    }

    /** @throws Failure if no device or several have the id; names those that may have been meant */
    public FoundDevice find(String id) throws Failure {
        Set<FoundDevice> found = byId.getOrDefault(id, byId.getOrDefault(bareGuid(id), Set.of()));
        if (found.size() == 1) {
            return found.iterator().next();
        }
        if (found.isEmpty()) {
            throw Failure.wrongUsage("no device has the id '" + id + "'" + meant(id));
        }
        String candidates =
                found.stream().limit(SHOWN).map(FoundDevice::objectName).collect(Collectors.joining(", "));
        String more = found.size() > SHOWN ? " and " + (found.size() - SHOWN) + " more" : "";
        throw Failure.wrongUsage("'" + id + "' is ambiguous; it names " + candidates + more);
    }

    /**
     * As {@link #find}; a hostname is all devices of the host.
     *
     * @throws Failure if nothing has the id, or several things that are no devices of one host
     */
    public List<FoundDevice> findAll(String id) throws Failure {
        List<FoundDevice> ofHost = byHost.get(id);
        return ofHost == null || id.isEmpty() || byId.containsKey(id) ? List.of(find(id)) : List.copyOf(ofHost);
    }

    /** {@code 0x} and the colons of sysfs taken away, where a GUID is left. */
    private static String bareGuid(String id) {
        String bare = id.toLowerCase(Locale.ROOT).replaceFirst("^0x", "");
        String joined = bare.replace(":", "");
        return joined.matches("[0-9a-f]{16}") ? joined : bare;
    }

    private String meant(String id) {
        List<FoundDevice> ofHost = byHost.getOrDefault(id, List.of());
        if (!id.isEmpty() && !ofHost.isEmpty()) {
            return "; host " + id + " has "
                    + shown(ofHost.stream().map(FoundDevice::objectName).toList());
        }
        List<String> near = byId.keySet().stream()
                .filter(known -> Math.abs(known.length() - id.length()) <= NEAR)
                .map(known -> Map.entry(known, distance(known, id)))
                .filter(known -> known.getValue() <= NEAR)
                .sorted(Comparator.comparingInt(Map.Entry::getValue))
                .map(Map.Entry::getKey)
                .toList();
        return near.isEmpty()
                ? "; 'kubectl fabric topology' lists the devices of a dump"
                : "; did you mean " + shown(near) + "?";
    }

    private static String shown(List<String> ids) {
        return String.join(", ", ids.subList(0, Math.min(SHOWN, ids.size())));
    }

    /** Edits between two strings (Levenshtein); a few thousand comparisons of short strings. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(change, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swapped = previous;
            previous = current;
            current = swapped;
        }
        return previous[b.length()];
    }
}
