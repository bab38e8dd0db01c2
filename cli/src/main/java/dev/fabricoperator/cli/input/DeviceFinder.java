/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.view.answer.DeviceIds;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the device that a person means, or says which ones may have been meant. */
public final class DeviceFinder {
    private static final int SHOWN = 5;
    private static final int NEAR = 3;

    private static final Pattern PORT = Pattern.compile("(.+?)(?: port |[:/])([0-9]{1,5})");

    private final List<FoundDevice> devices;
    private final DeviceIds<FoundDevice> ids;
    private final SwitchFinder switches;

    public DeviceFinder(FabricSet found) {
        devices = found.devices();
        ids = new DeviceIds<>(devices, device -> device);
        switches = new SwitchFinder(found.switches());
    }

    /** @throws Failure if no device or several are meant; names those that may have been meant */
    public FoundDevice find(String id) throws Failure {
        List<FoundDevice> found = findAll(id);
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw Failure.wrongUsage("'" + id + "' has several devices: "
                + shown(found.stream().map(FoundDevice::name).toList()));
    }

    /**
     * All devices that are meant: one by an id; those of a host; those at a switch, or at a port of one ({@code leaf-01:17}); those of
     * each name in a host list.
     *
     * @throws Failure if nothing has the id, or several devices that are not of one host
     */
    public List<FoundDevice> findAll(String id) throws Failure {
        List<FoundDevice> found = ids.meantBy(id);
        if (found.size() > 1) {
            throw Failure.wrongUsage("'" + id + "' is ambiguous; it names "
                    + shown(found.stream().map(FoundDevice::name).toList()));
        }
        found = found.isEmpty() ? ids.ofHost(id) : found;
        found = found.isEmpty() ? atSwitch(id) : found;
        if (!found.isEmpty()) {
            return found;
        }
        List<String> names = SwitchFinder.expanded(id);
        if (names.equals(List.of(id))) {
            throw Failure.wrongUsage("no device has the id '" + id + "'" + meant(id));
        }
        Set<FoundDevice> all = new LinkedHashSet<>();
        for (String name : names) {
            all.addAll(findAll(name));
        }
        return List.copyOf(all);
    }

    private List<FoundDevice> atSwitch(String id) throws Failure {
        List<Switch> asked = switches.named(id);
        if (!asked.isEmpty()) {
            List<FoundDevice> held = at(asked, -1);
            if (held.isEmpty()) {
                throw Failure.wrongUsage(
                        "switch '" + id + "' holds no device; 'kubectl fabric links " + id + "' shows what is at it");
            }
            return held;
        }
        Matcher port = PORT.matcher(id);
        List<Switch> ofPort = port.matches() ? switches.named(port.group(1)) : List.of();
        if (ofPort.isEmpty()) {
            return List.of();
        }
        List<FoundDevice> held = at(ofPort, Integer.parseInt(port.group(2)));
        if (held.isEmpty()) {
            throw Failure.wrongUsage("no device is at '" + id + "'; 'kubectl fabric links " + port.group(1)
                    + "' shows what is at each port");
        }
        return held;
    }

    /** @param port -1 for all */
    private List<FoundDevice> at(List<Switch> asked, int port) {
        Set<String> wanted = asked.stream().map(Switch::id).collect(Collectors.toSet());
        return devices.stream()
                .filter(device -> {
                    DevicePosition place = device.fabric().model().device(device.slot());
                    return place != null
                            && wanted.contains(place.switchId())
                            && (port < 0 || Objects.equals(place.switchPort(), port));
                })
                .toList();
    }

    private String meant(String id) {
        int slash = id.indexOf('/');
        List<FoundDevice> ofHost = slash < 0 ? List.of() : ids.ofHost(id.substring(0, slash));
        if (!ofHost.isEmpty()) {
            // The same device of another host is as few letters away.
            return "; did you mean "
                    + shown(ofHost.stream()
                            .map(device -> device.hostname() + "/" + device.osName())
                            .toList())
                    + "?";
        }
        List<String> near = devices.stream()
                .flatMap(DeviceFinder::idsOf)
                .distinct()
                .filter(known -> Math.abs(known.length() - id.length()) <= NEAR)
                .map(known -> Map.entry(known, distance(known, id)))
                .filter(known -> known.getValue() <= NEAR)
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .thenComparing(Map.Entry::getKey, NaturalOrder.INSTANCE))
                .map(Map.Entry::getKey)
                .toList();
        return near.isEmpty()
                ? "; 'kubectl fabric topology -o wide' lists the devices"
                : "; did you mean " + String.join(", ", near.subList(0, Math.min(SHOWN, near.size()))) + "?";
    }

    private static Stream<String> idsOf(FoundDevice device) {
        String ofHost = device.hostname() + "/" + device.osName();
        return Stream.of(
                        device.name(),
                        device.deviceId(),
                        device.portGuid(),
                        device.nodeGuid(),
                        device.hostname(),
                        ofHost,
                        ofHost + ":" + device.port())
                .filter(Objects::nonNull);
    }

    private static String shown(List<String> ids) {
        List<String> sorted = ids.stream().sorted(NaturalOrder.INSTANCE).toList();
        return String.join(", ", sorted.subList(0, Math.min(SHOWN, sorted.size())))
                + (sorted.size() > SHOWN ? " and " + (sorted.size() - SHOWN) + " more" : "");
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
