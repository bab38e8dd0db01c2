/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.CounterSource;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.PortNumbers;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.traffic.HotSpots;
import dev.fabricoperator.fabric.traffic.PortRate;
import dev.fabricoperator.fabric.traffic.PortRates;
import dev.fabricoperator.formats.counters.PrometheusReader;
import dev.fabricoperator.formats.counters.PrometheusReader.PortCount;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one exporter says of the switches of one fabric, look by look. What could not be read changes nothing but what is said to be wrong, until that lasts for
 * {@value #MOST_FAILURES} looks, or {@link #OLDEST}: then nothing is known any more.
 *
 * <p>A value is as old as the time behind it, since an exporter may tell again what somebody else has read: Prometheus tells what it has scraped last. The same time is no new look. Where there is
 * no time an answer of which nothing has changed is none. After {@link #OLDEST} without a new look at a port nothing is known of it.
 */
final class Exporter {
    static final int MOST_FAILURES = 6;
    static final Duration OLDEST = Duration.ofMinutes(5);
    /** Of the time that a look takes: it waits for so many times that until the next one. */
    static final int PAUSE = 10;

    private static final int OCTETS_OF_WORD = 4;
    private static final int LONGEST_SHOWN = 40;
    private static final long PRIME = 1_000_003;

    private final CounterSource source;
    private final SteadyClock steady;
    private final Clock clock;
    private final PortRates<PortCounters.Port> rates = new PortRates<>();
    private final HotSpots<PortCounters.Port> hotSpots = new HotSpots<>();
    /** Of each port that the last answer has told of. */
    private Map<PortCounters.Port, Seen> seen = new HashMap<>();

    private long fingerprint;
    private @Nullable Instant changedAt;
    private Instant changedWall = Instant.EPOCH;
    private @Nullable Instant asOf;
    private @Nullable String problem;
    private int portsAtEnd;
    private int failures;
    private @Nullable Instant goodAt;
    /** Only of who looks. */
    private @Nullable Instant nextLook;

    /**
     * What was read of a port.
     *
     * @param isTimed whether the exporter says when
     * @param heardAt when this was heard first, by a clock that never goes back
     */
    private record Seen(PortCount count, boolean isTimed, PortRates.Times times, Instant heardAt) {
        boolean isSame(Seen other) {
            return times.dataAt().equals(other.times.dataAt())
                    && times.othersAt().equals(other.times.othersAt());
        }

        boolean isAfter(Seen before) {
            int data = times.dataAt().compareTo(before.times.dataAt());
            return data > 0 || data == 0 && times.othersAt().isAfter(before.times.othersAt());
        }
    }

    /** Of an answer, switches and ports of which it does not tell what it could. */
    private static final class Missing {
        private @Nullable String switchWithoutNames;
        private int switchesWithoutNames;
        private int unreadable;
        private int old;

        @Nullable
        String sentence(String url) {
            List<String> parts = new ArrayList<>();
            if (switchesWithoutNames > 0) {
                parts.add("names of ports that are not those of the map, at " + switchesWithoutNames
                        + " switches, such as " + DisplayText.shown(String.valueOf(switchWithoutNames), LONGEST_SHOWN));
            }
            if (unreadable > 0) {
                parts.add(unreadable + " values that count nothing, as NaN");
            }
            if (old > 0) {
                parts.add("nothing new of " + old + " ports for " + OLDEST.toMinutes() + " minutes");
            }
            return parts.isEmpty() ? null : url + " tells " + String.join("; ", parts);
        }
    }

    Exporter(CounterSource source, SteadyClock steady, Clock clock) {
        this.source = source;
        this.steady = steady;
        this.clock = clock;
    }

    /** Asks once, unless that would take more than about a tenth of the time; takes as long as the way allows. */
    void look(List<Switch> switches, MetricsWay way) throws InterruptedException {
        Instant began = steady.instant();
        if (nextLook != null && began.isBefore(nextLook)) {
            return;
        }
        Duration waited = Duration.ZERO;
        try {
            MetricsWay.Answer<Map<String, Map<String, PortCount>>> counts = way.read(
                    source.url(), text -> PrometheusReader.read(source.url(), text, CounterNamesOf.source(source)));
            waited = counts.waited();
            took(switches, counts.made(), began);
        } catch (IOException | BadInputException e) {
            failed(Objects.requireNonNullElse(e.getMessage(), e.toString()), began);
        } finally {
            Instant ended = steady.instant();
            nextLook = ended.plus(Duration.between(began, ended).minus(waited).multipliedBy(PAUSE));
        }
    }

    private synchronized void failed(String why, Instant now) {
        problem = why;
        failures++;
        if (failures == MOST_FAILURES || goodAt != null && !now.isBefore(goodAt.plus(OLDEST))) {
            rates.forget();
            hotSpots.forget();
            seen = new HashMap<>();
            changedAt = null;
            portsAtEnd = 0;
        }
    }

    private synchronized void took(List<Switch> switches, Map<String, Map<String, PortCount>> counts, Instant began) {
        Instant wall = clock.instant();
        long print = fingerprint(counts);
        Instant changed = changedAt;
        if (changed == null || print != fingerprint) {
            fingerprint = print;
            changed = began;
            changedWall = wall;
        }
        changedAt = changed;
        Map<String, Map<String, PortCount>> byId = byId(switches, counts);
        Map<PortCounters.Port, PortRates.Reading<PortCounters.Port>> readings = new HashMap<>();
        Map<PortCounters.Port, Seen> now = new HashMap<>();
        Missing missing = new Missing();
        boolean isNew = false;
        for (Switch each : switches) {
            Map<Integer, PortCount> ports = ports(each, byId.get(each.id()), missing);
            for (SwitchPort port : each.ports()) {
                PortCount count = ports.get(port.number());
                if (port.peer() != null && count != null) {
                    PortCounters.Port name = new PortCounters.Port(each.id(), port.number());
                    Seen before = seen.get(name);
                    Seen read = seen(count, changed, began);
                    boolean isOther = before != null && before.isTimed() != read.isTimed();
                    // What is older comes from another of those that scrape, behind one address.
                    Seen kept = before == null || isOther || read.isAfter(before) ? read : before;
                    boolean isOld = !began.isBefore(kept.heardAt().plus(OLDEST));
                    if (isOld && !kept.isSame(read)) {
                        kept = read;
                    }
                    now.put(name, kept);
                    isNew |= kept != before || isOld && rates.rates().containsKey(name);
                    missing.unreadable += count.unreadable();
                    if (isOld) {
                        missing.old++;
                    } else if (!isOther) {
                        readings.put(name, reading(port, port.peer(), kept.count()));
                    }
                }
            }
        }
        isNew |= !seen.keySet().equals(now.keySet());
        seen = now;
        if (isNew) {
            rates.look(readings, port -> Objects.requireNonNull(now.get(port)).times());
            hotSpots.look(rates.rates(), wall);
        }
        portsAtEnd = (int)
                readings.values().stream().filter(PortRates.Reading::isAtEnd).count();
        failures = 0;
        goodAt = began;
        problem = now.isEmpty() && missing.switchesWithoutNames == 0
                ? source.url() + " tells of " + counts.size() + " switches, such as "
                        + DisplayText.shown(counts.keySet().iterator().next(), LONGEST_SHOWN)
                        + ", none of which has an id or a name of this fabric's, of no other switch, with a port that is cabled: is switchLabel the right one?"
                : missing.sentence(source.url());
        asOf = rates.rates().values().stream()
                .filter(each -> each.bytesPerSecond() != null)
                .map(PortRate::asOf)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(asOf);
    }

    private Seen seen(PortCount count, Instant changed, Instant began) {
        long data = count.dataMillis() == PortCount.UNKNOWN ? count.othersMillis() : count.dataMillis();
        if (data == PortCount.UNKNOWN) {
            return new Seen(count, false, new PortRates.Times(changed, changed, changedWall), changed);
        }
        Instant dataAt = Instant.ofEpochMilli(data);
        Instant othersAt =
                count.othersMillis() == PortCount.UNKNOWN ? dataAt : Instant.ofEpochMilli(count.othersMillis());
        return new Seen(count, true, new PortRates.Times(dataAt, othersAt, dataAt), began);
    }

    private static PortRates.Reading<PortCounters.Port> reading(SwitchPort port, PortPeer peer, PortCount count) {
        return new PortRates.Reading<>(
                words(count.sent()),
                words(count.received()),
                count.waits(),
                count.discards(),
                Objects.requireNonNullElse(port.speedBitsPerSecond(), 0L),
                new PortCounters.Port(peer.id(), peer.port()));
    }

    /** Of all that is counted: equal where nothing has changed, and hardly ever else. */
    private static long fingerprint(Map<String, Map<String, PortCount>> counts) {
        long print = counts.size();
        for (Map<String, PortCount> ports : counts.values()) {
            print = print * PRIME + ports.size();
            for (PortCount each : ports.values()) {
                print = (((print * PRIME + each.sent()) * PRIME + each.received()) * PRIME + each.waits()) * PRIME
                        + each.discards();
            }
        }
        return print;
    }

    private static long words(long octets) {
        return octets == PortCount.UNKNOWN ? PortRates.UNKNOWN : octets / OCTETS_OF_WORD;
    }

    /** By ids of switches that the fabric has; a label is the id, in whatever spelling, or the name, behind which a port of TCP may stand. */
    private static Map<String, Map<String, PortCount>> byId(
            List<Switch> switches, Map<String, Map<String, PortCount>> counts) {
        Map<String, String> ids = new HashMap<>();
        Set<String> shared = new HashSet<>();
        for (Switch each : switches) {
            if (each.name() != null && ids.put(NodeId.of(each.name()), each.id()) != null) {
                shared.add(NodeId.of(each.name()));
            }
        }
        // Which of the switches is meant nobody can say.
        ids.keySet().removeAll(shared);
        switches.forEach(each -> ids.put(each.id(), each.id()));
        Map<String, Map<String, PortCount>> byId = new HashMap<>();
        counts.forEach((label, ports) -> {
            String id = ids.get(NodeId.of(label));
            if (id == null) {
                id = ids.get(NodeId.of(label.replaceFirst(":\\d{1,5}$", "")));
            }
            if (id != null) {
                byId.putIfAbsent(id, ports);
            }
        });
        return byId;
    }

    /** By number, those of a switch, {@code null} where the exporter does not tell of it. */
    private static Map<Integer, PortCount> ports(Switch of, @Nullable Map<String, PortCount> counts, Missing missing) {
        Set<Integer> cabled = of.ports().stream()
                .filter(port -> port.peer() != null)
                .map(SwitchPort::number)
                .collect(Collectors.toSet());
        Map<Integer, PortCount> byNumber = new HashMap<>();
        if (counts == null || cabled.isEmpty()) {
            return byNumber;
        }
        if (counts.keySet().stream().allMatch(name -> name.matches("[0-9]{1,5}"))) {
            counts.forEach((name, count) -> byNumber.put(Integer.parseInt(name), count));
        } else {
            PortNumbers.fitting(counts.keySet(), cabled)
                    .forEach((name, number) -> byNumber.put(number, Objects.requireNonNull(counts.get(name))));
            if (byNumber.isEmpty()) {
                missing.switchesWithoutNames++;
                missing.switchWithoutNames = Objects.requireNonNullElse(of.name(), of.id());
            }
        }
        return byNumber;
    }

    synchronized PortTrafficAnswer answer() {
        return PortTrafficAnswer.of(rates.rates(), hotSpots.all(), asOf, problem, portsAtEnd);
    }
}
