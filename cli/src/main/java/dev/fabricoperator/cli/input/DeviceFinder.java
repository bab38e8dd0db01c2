/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.answer.DeviceIds;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the device that a person means, or says which ones may have been meant. */
public final class DeviceFinder {
    private static final int SHOWN = 5;
    private static final int NEAR = 3;

    private final List<FoundDevice> devices;
    private final DeviceIds<FoundDevice> ids;

    public DeviceFinder(List<FoundDevice> devices) {
        this.devices = List.copyOf(devices);
        ids = new DeviceIds<>(this.devices, device -> device);
    }

    /** @throws Failure if no device or several have the id; names those that may have been meant */
    public FoundDevice find(String id) throws Failure {
        List<FoundDevice> found = ids.meantBy(id);
        if (found.size() == 1) {
            return found.getFirst();
        }
        if (found.isEmpty()) {
            throw Failure.wrongUsage("no device has the id '" + id + "'" + meant(id));
        }
        String candidates = found.stream().limit(SHOWN).map(FoundDevice::name).collect(Collectors.joining(", "));
        String more = found.size() > SHOWN ? " and " + (found.size() - SHOWN) + " more" : "";
        throw Failure.wrongUsage("'" + id + "' is ambiguous; it names " + candidates + more);
    }

    /**
     * As {@link #find}; a hostname is all devices of the host.
     *
     * @throws Failure if nothing has the id, or several things that are no devices of one host
     */
    public List<FoundDevice> findAll(String id) throws Failure {
        List<FoundDevice> ofHost = ids.ofHost(id);
        return ofHost.isEmpty() || !ids.meantBy(id).isEmpty() ? List.of(find(id)) : List.copyOf(ofHost);
    }

    private String meant(String id) {
        List<FoundDevice> ofHost = ids.ofHost(id);
        if (!ofHost.isEmpty()) {
            return "; host " + id + " has "
                    + shown(ofHost.stream().map(FoundDevice::name).toList());
        }
        List<String> near = devices.stream()
                .flatMap(DeviceFinder::idsOf)
                .distinct()
                .filter(known -> Math.abs(known.length() - id.length()) <= NEAR)
                .map(known -> Map.entry(known, distance(known, id)))
                .filter(known -> known.getValue() <= NEAR)
                .sorted(Comparator.comparingInt(Map.Entry::getValue))
                .map(Map.Entry::getKey)
                .toList();
        return near.isEmpty()
                ? "; 'kubectl fabric topology -o wide' lists the devices"
                : "; did you mean " + shown(near) + "?";
    }

    private static Stream<String> idsOf(FoundDevice device) {
        String ofHost = device.hostname() + "/" + device.osName();
        return Stream.of(
                        device.name(),
                        device.deviceId(),
                        device.portGuid(),
                        device.nodeGuid(),
                        ofHost,
                        ofHost + ":" + device.port())
                .filter(Objects::nonNull);
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
