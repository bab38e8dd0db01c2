/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.view.answer.DeviceIds;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.question.UnansweredException.Why;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the devices that a person means, by all that stands for one or several, or says which ones may have been meant. */
public final class DeviceFinder implements Devices {
    private static final int SHOWN = 5;
    private static final int NEAR = 3;

    private static final Pattern PORT = Pattern.compile("(.+?)(?: port |[:/])([0-9]{1,5})");

    private final List<FabricView> fabrics;
    private final List<Switch> known;
    private final int most;
    private final boolean isSpelling;
    private @Nullable SwitchFinder switches;

    /**
     * @param fabrics the default one first
     * @param switches ascending by id; more than the fabrics have, where some are in none
     * @param most devices that one word may mean, and names in a list
     * @param isSpelling whether what is written nearly alike is looked for, at the cost of a walk over all devices
     */
    public DeviceFinder(List<? extends FabricView> fabrics, List<Switch> switches, int most, boolean isSpelling) {
        this.fabrics = List.copyOf(fabrics);
        known = switches;
        this.most = most;
        this.isSpelling = isSpelling;
    }

    @Override
    public List<FabricView> fabrics() {
        return fabrics;
    }

    private SwitchFinder switches() {
        SwitchFinder made = Objects.requireNonNullElseGet(switches, () -> new SwitchFinder(known));
        switches = made;
        return made;
    }

    /** Of all fabrics, in their order. */
    private List<PlacedDevice> placed(Function<DeviceIds<Integer>, List<Integer>> meant) {
        List<PlacedDevice> found = new ArrayList<>();
        for (FabricView fabric : fabrics) {
            meant.apply(fabric.ids()).forEach(slot -> found.add(new PlacedDevice(fabric, slot)));
        }
        return found;
    }

    /**
     * One by an id; those of a host; those at a switch, or at a port of one ({@code leaf-01:17}); those of each name in a host list.
     */
    @Override
    public List<PlacedDevice> all(String field, String id) throws UnansweredException {
        List<PlacedDevice> found = placed(ids -> ids.meantBy(id));
        if (found.size() > 1) {
            throw new UnansweredException(
                    Why.WRONG, field, "'" + id + "' is ambiguous; it names " + shown(names(found)));
        }
        found = found.isEmpty() ? placed(ids -> ids.ofNode(id)) : found;
        found = found.isEmpty() ? atSwitch(field, id) : found;
        if (found.isEmpty()) {
            List<String> names = SwitchFinder.expanded(field, id);
            requireFew(field, id, names.size());
            if (names.equals(List.of(id))) {
                throw new UnansweredException(Why.MISSING, field, "no device has the id '" + id + "'" + meant(id));
            }
            Set<PlacedDevice> all = new LinkedHashSet<>();
            for (String name : names) {
                all.addAll(all(field, name));
                requireFew(field, id, all.size());
            }
            return List.copyOf(all);
        }
        requireFew(field, id, found.size());
        return found;
    }

    private void requireFew(String field, String id, int devices) throws UnansweredException {
        if (devices > most) {
            throw new UnansweredException(
                    Why.TOO_LARGE, field, "'" + id + "' means more than " + most + " devices; name fewer");
        }
    }

    @Override
    public List<PlacedDevice> ofNode(String field, String node) throws UnansweredException {
        return all(field, node);
    }

    private List<PlacedDevice> atSwitch(String field, String id) throws UnansweredException {
        List<Switch> asked = switches().named(id);
        if (!asked.isEmpty()) {
            List<PlacedDevice> held = at(asked, -1);
            if (held.isEmpty()) {
                throw new UnansweredException(
                        Why.MISSING,
                        field,
                        "switch '" + id + "' holds no device; 'kubectl fabric links " + id + "' shows what is at it");
            }
            return held;
        }
        Matcher port = PORT.matcher(id);
        List<Switch> ofPort = port.matches() ? switches().named(port.group(1)) : List.of();
        if (ofPort.isEmpty()) {
            return List.of();
        }
        List<PlacedDevice> held = at(ofPort, Integer.parseInt(port.group(2)));
        if (held.isEmpty()) {
            throw new UnansweredException(
                    Why.MISSING,
                    field,
                    "no device is at '" + id + "'; 'kubectl fabric links " + port.group(1)
                            + "' shows what is at each port");
        }
        return held;
    }

    /**
     * O(switches + devices).
     *
     * @param port -1 for all
     */
    private List<PlacedDevice> at(List<Switch> asked, int port) {
        Set<String> wanted = asked.stream().map(Switch::id).collect(Collectors.toSet());
        List<PlacedDevice> held = new ArrayList<>();
        for (FabricView fabric : fabrics) {
            Topology topology = fabric.model().topology();
            BitSet numbers = new BitSet();
            for (int at = 0; at < topology.switches(); at++) {
                numbers.set(at, wanted.contains(topology.switchId(at)));
            }
            for (int slot = 0; slot < topology.slots(); slot++) {
                int end = topology.endOfSlot(slot);
                int at = end < 0 ? -1 : topology.endSwitch(end);
                if (at >= 0
                        && numbers.get(at)
                        && (port < 0 || port == topology.endSwitchPort(end))
                        && fabric.device(slot) != null) {
                    held.add(new PlacedDevice(fabric, slot));
                }
            }
        }
        return held;
    }

    private String meant(String id) {
        int slash = id.indexOf('/');
        if (slash >= 0) {
            String host = id.substring(0, slash);
            List<String> ofHost = devices()
                    .filter(device -> device.hostname().equals(host) && !host.isEmpty())
                    .map(device -> host + "/" + device.osName())
                    .toList();
            if (!ofHost.isEmpty()) {
                // The same device of another host is as few letters away.
                return "; did you mean " + shown(ofHost) + "?";
            }
        }
        List<String> near = isSpelling ? near(id) : List.of();
        return near.isEmpty()
                ? "; 'kubectl fabric topology -o wide' lists the devices"
                : "; did you mean " + String.join(", ", near.subList(0, Math.min(SHOWN, near.size()))) + "?";
    }

    private Stream<DeviceIds.Identified> devices() {
        return fabrics.stream().flatMap(fabric -> fabric.ids().all());
    }

    private List<String> near(String id) {
        return devices()
                .flatMap(DeviceFinder::idsOf)
                .distinct()
                .filter(known -> Math.abs(known.length() - id.length()) <= NEAR)
                .map(known -> Map.entry(known, distance(known, id)))
                .filter(known -> known.getValue() <= NEAR)
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .thenComparing(Map.Entry::getKey, NaturalOrder.INSTANCE))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Stream<String> idsOf(DeviceIds.Identified device) {
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

    private static List<String> names(List<PlacedDevice> devices) {
        return devices.stream().map(one -> one.device().name()).toList();
    }

    static String shown(List<String> ids) {
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
