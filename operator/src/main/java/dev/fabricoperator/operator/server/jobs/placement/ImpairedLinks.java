/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.server.jobs.status.ImpairedRanks;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.Ways;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whose ranks use links that may be about to fail: their devices' own, by what their hosts and the switches at the other end see, and links between
 * switches that packets between their devices take, by the forwarding tables where these are known, else by the cheapest path.
 */
final class ImpairedLinks {
    /** Ways that are looked at for one fabric: from each switch with devices of the job to each of its devices. What lies beyond is not said. */
    private static final int MOST_ROUTES = 50_000;
    /** The same of cheapest paths, each of which is a search through the fabric. */
    private static final int MOST_PATHS = 100;

    private static final int RANGES_NAMED = 8;

    private final KnownFabrics known;
    /** Of all pods with ranks, in their order. */
    private final List<Ranks> pods;

    /**
     * Ranks of one pod.
     *
     * @param devices that they can open, as far as they are published
     */
    record Ranks(int first, int last, List<ServedDevice> devices) {
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A port of a switch. */
    private record End(String switchId, int port) {}

    /**
     * Who sends to whom over a link.
     *
     * @param from devices, as {@code to}
     */
    private record Users(Set<ServedDevice> from, Set<ServedDevice> to) {
        Users() {
            this(new LinkedHashSet<>(), new LinkedHashSet<>());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    ImpairedLinks(KnownFabrics known, List<Ranks> pods) {
        this.known = known;
        this.pods = List.copyOf(pods);
    }

    /** @param frames of the job */
    List<ImpairedRanks> of(List<JobFrame> frames) {
        Map<End, List<Impairment>> ends = new LinkedHashMap<>();
        for (SwitchFacts object : known.impairedSwitches()) {
            object.impairments()
                    .forEach((port, signs) -> ends.computeIfAbsent(
                                    new End(object.cabling().id(), port), each -> new ArrayList<>())
                            .addAll(signs));
        }
        List<ImpairedRanks> found = new ArrayList<>(own(frames, ends));
        if (!ends.isEmpty()) {
            frames.forEach(frame -> found.addAll(between(frame.fabric(), ends)));
        }
        return found;
    }

    /** Of the devices themselves; takes those ends out that are theirs. */
    private List<ImpairedRanks> own(List<JobFrame> frames, Map<End, List<Impairment>> ends) {
        List<ImpairedRanks> found = new ArrayList<>();
        Set<End> theirs = new HashSet<>();
        for (Ranks ranks : pods) {
            for (ServedDevice device : ranks.devices()) {
                End end = ends.isEmpty() ? null : end(frames, device);
                List<Impairment> atSwitch = end == null ? List.of() : ends.getOrDefault(end, List.of());
                List<Impairment> atHost = device.device().impairments();
                if (end != null && !atSwitch.isEmpty()) {
                    theirs.add(end);
                    String name = name(frames, end);
                    found.add(ImpairedRanks.on(
                            device,
                            ranks.first(),
                            ranks.last(),
                            atHost.isEmpty() ? atSwitch : atHost,
                            atHost.isEmpty()
                                    ? ", counted by " + name + " at the other end and not by its host"
                                    : "; at the other end " + name + " counts "
                                            + atSwitch.getFirst().words()));
                } else if (!atHost.isEmpty()) {
                    found.add(ImpairedRanks.on(device, ranks.first(), ranks.last(), atHost, ""));
                }
            }
        }
        ends.keySet().removeAll(theirs);
        return found;
    }

    /** Where the device's cable ends, {@code null} where that is not known. */
    private static @Nullable End end(List<JobFrame> frames, ServedDevice device) {
        for (JobFrame frame : frames) {
            Integer slot = JobFrame.slot(frame.fabric(), device);
            DevicePosition place = slot == null ? null : frame.fabric().model().device(slot);
            if (place != null && place.switchId() != null && place.switchPort() != null) {
                return new End(place.switchId(), place.switchPort());
            }
        }
        return null;
    }

    private static String name(List<JobFrame> frames, End end) {
        return frames.stream()
                        .map(frame -> frame.fabric().switchName(end.switchId()))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(end.switchId())
                + " port " + end.port();
    }

    /** Of links between the switches of one fabric. */
    private List<ImpairedRanks> between(ServedFabric fabric, Map<End, List<Impairment>> ends) {
        Map<Integer, ServedDevice> deviceOfSlot = new TreeMap<>();
        for (Ranks ranks : pods) {
            for (ServedDevice device : ranks.devices()) {
                Integer slot = JobFrame.slot(fabric, device);
                if (slot != null) {
                    deviceOfSlot.put(slot, device);
                }
            }
        }
        boolean isInFabric =
                ends.keySet().stream().anyMatch(end -> fabric.model().topology().switchIndex(end.switchId()) >= 0);
        Ways ways = new Ways(fabric, deviceOfSlot.keySet());
        if (!isInFabric || ways.number() > (fabric.query().routes() == null ? MOST_PATHS : MOST_ROUTES)) {
            return List.of();
        }
        Map<End, Users> in = new HashMap<>();
        Map<End, Users> out = new HashMap<>();
        ways.forEach((slots, to, path) -> {
            List<ServedDevice> from = slots.stream()
                    .map(deviceOfSlot::get)
                    .filter(Objects::nonNull)
                    .toList();
            ServedDevice device = Objects.requireNonNull(deviceOfSlot.get(to));
            for (Path.Step step : path.steps()) {
                use(in, ends, new End(step.switchId(), step.inPort()), from, device);
                use(out, ends, new End(step.switchId(), step.outPort()), from, device);
            }
        });
        List<ImpairedRanks> found = new ArrayList<>();
        ends.forEach((end, signs) -> {
            Users arriving = in.getOrDefault(end, new Users());
            Users leaving = out.getOrDefault(end, new Users());
            if (!arriving.from().isEmpty() || !leaving.from().isEmpty()) {
                found.add(ranks(fabric, end, signs, arriving, leaving));
            }
        });
        return found;
    }

    private static void use(
            Map<End, Users> uses, Map<End, List<Impairment>> ends, End end, List<ServedDevice> from, ServedDevice to) {
        if (ends.containsKey(end)) {
            Users users = uses.computeIfAbsent(end, each -> new Users());
            users.from().addAll(from);
            users.to().add(to);
        }
    }

    /** A port counts what arrives damaged, so that who sends to it is named first. */
    private ImpairedRanks ranks(ServedFabric fabric, End end, List<Impairment> signs, Users arriving, Users leaving) {
        Users first = arriving.from().isEmpty() ? leaving : arriving;
        boolean back = !arriving.from().isEmpty() && !leaving.from().isEmpty();
        Set<ServedDevice> all = new LinkedHashSet<>();
        for (Users users : List.of(arriving, leaving)) {
            all.addAll(users.from());
            all.addAll(users.to());
        }
        List<ImpairedRanks.Use> uses = new ArrayList<>();
        for (Ranks ranks : pods) {
            ranks.devices().stream()
                    .filter(all::contains)
                    .forEach(device -> uses.add(new ImpairedRanks.Use(ranks.first(), ranks.last(), device.deviceId())));
        }
        String isEstimate = fabric.query().routes() == null ? ", by the cheapest path" : "";
        return new ImpairedRanks(
                uses,
                signs,
                words(first.from()) + " reach " + numbers(first.to()) + " over " + name(fabric, end)
                        + (back ? ", and back by it" : "") + isEstimate + ": "
                        + signs.getFirst().words());
    }

    private static String name(ServedFabric fabric, End end) {
        return Objects.requireNonNullElse(fabric.switchName(end.switchId()), end.switchId()) + " port " + end.port();
    }

    private String words(Set<ServedDevice> devices) {
        String numbers = numbers(devices);
        return (numbers.matches("\\d+") ? "rank " : "ranks ") + numbers;
    }

    /** Such as {@code 0-3,8-11}. */
    private String numbers(Set<ServedDevice> devices) {
        List<int[]> ranges = new ArrayList<>();
        for (Ranks ranks : pods) {
            if (ranks.devices().stream().anyMatch(devices::contains)) {
                int[] last = ranges.isEmpty() ? null : ranges.getLast();
                if (last != null && last[1] + 1 == ranks.first()) {
                    last[1] = ranks.last();
                } else {
                    ranges.add(new int[] {ranks.first(), ranks.last()});
                }
            }
        }
        List<String> named = ranges.stream()
                .limit(RANGES_NAMED)
                .map(range -> range[0] == range[1] ? "" + range[0] : range[0] + "-" + range[1])
                .toList();
        int more = ranges.size() - named.size();
        return String.join(",", named) + (more > 0 ? " and " + more + " more" : "");
    }
}
