/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.model.Flaps.Link;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Notices links and device ports that change their state too often.
 *
 * <p>A link that changed more than {@link Limits#changes} times within {@link Limits#window} counts as down, which is the
 * worse of its two states, until it has not changed for {@link Limits#quiet}. A device port is only reported: its state
 * is its agent's to say. Changes are what successive passes see; what happens between two passes costs nobody a
 * generation and is not counted.
 *
 * <p>Only links of switches that are there before and after count: a switch that restarts, or a source that comes back,
 * changes every link once and tells nothing of any. Memory is bounded: the {@value #WATCHED} things that changed last,
 * and {@value #MAXIMUM_DAMPED} damped links.
 */
public final class FlapDamper {
    static final int WATCHED = 4096;
    static final int MAXIMUM_DAMPED = 32;

    /** When a thing changes too often. */
    public record Limits(int changes, Duration window, Duration quiet) {}

    private final Clock clock;
    private final Limits limits;
    private final Map<Object, ArrayDeque<Instant>> changesOf = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, ArrayDeque<Instant>> eldest) {
            return size() > WATCHED;
        }
    };
    /** Since when each has been as it is. */
    private final Map<Link, Instant> damped = new LinkedHashMap<>();

    private final Map<String, Instant> devices = new LinkedHashMap<>();
    private SortedMap<String, Switch> last = new TreeMap<>();
    private boolean begun;
    private int notDamped;

    public FlapDamper(Clock clock, Limits limits) {
        this.clock = clock;
        this.limits = limits;
    }

    /** A device's state has changed; from any thread. */
    public synchronized void deviceChanged(DeviceFacts before, DeviceFacts after) {
        if (before.state() != after.state()
                && before.state() != PortState.Unknown
                && after.state() != PortState.Unknown
                && isTooOften(after.name(), clock.instant())
                && (devices.size() < MAXIMUM_DAMPED || devices.containsKey(after.name()))) {
            devices.put(after.name(), clock.instant());
        }
    }

    /**
     * The links that are damped now.
     *
     * @param switches as the sources say
     * @param dampedBefore what an earlier process damped; read once
     */
    synchronized Flaps look(SortedMap<String, Switch> switches, Set<PortPeer> dampedBefore) {
        Instant now = clock.instant();
        if (!begun) {
            begun = true;
            takeOver(switches, dampedBefore, now);
        } else if (switches != last) {
            observe(switches, now);
        }
        last = switches;
        damped.values().removeIf(since -> !since.plus(limits.quiet()).isAfter(now));
        devices.values().removeIf(since -> !since.plus(limits.quiet()).isAfter(now));
        if (damped.isEmpty()) {
            notDamped = 0;
        }
        return damped.isEmpty() && devices.isEmpty()
                ? Flaps.NONE
                : new Flaps(List.copyOf(damped.keySet()), List.copyOf(devices.keySet()), notDamped);
    }

    /** When the next thing will have been quiet long enough; {@code null} without any. */
    public synchronized @Nullable Instant nextRelease() {
        Instant first = null;
        for (Map<?, Instant> held : List.<Map<?, Instant>>of(damped, devices)) {
            for (Instant since : held.values()) {
                first = first == null || since.isBefore(first) ? since : first;
            }
        }
        return first == null ? null : first.plus(limits.quiet());
    }

    private void observe(SortedMap<String, Switch> switches, Instant now) {
        CableDiff diff = CableDiff.between(last, switches);
        for (Set<Link> changed : List.of(diff.gained(), diff.lost())) {
            for (Link link : changed) {
                if (!diff.changedSwitches().contains(link.one().id())
                        && !diff.changedSwitches().contains(link.other().id())) {
                    continue;
                }
                boolean tooOften = isTooOften(link, now);
                if (damped.containsKey(link)) {
                    damped.put(link, now);
                } else if (tooOften && damped.size() < MAXIMUM_DAMPED) {
                    damped.put(link, now);
                } else if (tooOften) {
                    notDamped++;
                }
            }
        }
    }

    private boolean isTooOften(Object thing, Instant now) {
        ArrayDeque<Instant> times = changesOf.computeIfAbsent(thing, t -> new ArrayDeque<>());
        times.addLast(now);
        while (times.size() > limits.changes() + 1 || times.getFirst().isBefore(now.minus(limits.window()))) {
            times.removeFirst();
        }
        return times.size() > limits.changes();
    }

    /** A link that was damped by the process before has another quiet time before it. */
    private void takeOver(SortedMap<String, Switch> switches, Set<PortPeer> ports, Instant now) {
        Map<PortPeer, PortPeer> left = new HashMap<>();
        for (PortPeer port : ports) {
            Switch fabricSwitch = switches.get(port.id());
            if (fabricSwitch != null) {
                fabricSwitch.ports().stream()
                        .filter(p -> p.number() == port.port() && p.peer() != null)
                        .forEach(p -> left.put(port, p.peer()));
            }
        }
        left.forEach((port, peer) -> {
            if (damped.size() < MAXIMUM_DAMPED) {
                damped.put(Link.of(port, peer), now);
            }
        });
    }
}
