/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * {@link PortHealth} of all ports of a subnet, of which most have counted nothing. Not safe for use by several threads.
 *
 * <pre>
 * Cost: a look O(ports that have counted something). Memory: for those, and which ports were up at the last two looks.
 * </pre>
 *
 * @param <P> names a port
 */
public final class PortsHealth<P> {
    /** So many show whether a link was up for a whole span before the next. */
    private static final int EARLIER = 2;

    private static final List<LinkFault> COUNTED = Arrays.stream(LinkFault.values())
            .filter(fault -> fault.counter() != null)
            .toList();

    private final Map<P, PortHealth> watched = new HashMap<>();
    private final ArrayDeque<Look<P>> earlier = new ArrayDeque<>(EARLIER);

    /**
     * What all ports said at one time.
     *
     * @param up ports by which packets can pass
     * @param isThere whether a port's switch was asked
     * @param counts by port, and by {@link LinkFault#counter}; what is zero may be left out
     * @param complete whether what is left out is zero, and not unknown
     * @param now by a clock that never goes back
     * @param wall the same time as people tell it
     */
    public record Look<P>(
            Set<P> up,
            Predicate<P> isThere,
            Map<P, Map<String, Long>> counts,
            boolean complete,
            Instant now,
            Instant wall) {

        private PortReading of(P port) {
            Map<String, Long> counted = counts.getOrDefault(port, Map.of());
            Map<String, PortReading.Sample> samples = new HashMap<>();
            for (LinkFault fault : COUNTED) {
                Long value = counted.get(fault.counter());
                if (value == null && complete && isThere.test(port)) {
                    value = 0L;
                }
                if (value != null) {
                    samples.put(String.valueOf(fault.counter()), PortReading.Sample.counted(fault, value));
                }
            }
            return new PortReading(up.contains(port), false, samples);
        }

        private boolean hasCounted(P port) {
            Map<String, Long> counted = counts.getOrDefault(port, Map.of());
            return COUNTED.stream().anyMatch(fault -> counted.getOrDefault(fault.counter(), 0L) > 0);
        }

        private Look<P> withoutCounts() {
            return new Look<>(up, isThere, Map.of(), complete, now, wall);
        }
    }

    /** @param before what an earlier process said: it holds for another quiet time */
    public PortsHealth(Map<P, ? extends Collection<Impairment>> before, Instant now) {
        before.forEach((port, signs) -> watched.put(port, new PortHealth(signs, now)));
    }

    /** Of one port, by name of the counter. */
    public List<Impairment> of(P port) {
        PortHealth health = watched.get(port);
        return health == null ? List.of() : health.impairments();
    }

    /** Whether the signs of some port are others than before. */
    public boolean look(Look<P> look) {
        Set<P> ports = new HashSet<>(watched.keySet());
        look.counts().keySet().stream().filter(look::hasCounted).forEach(ports::add);
        boolean changed = false;
        for (P port : ports) {
            PortHealth health = watched.get(port);
            if (health == null) {
                health = new PortHealth(List.of(), look.now());
                // It had counted nothing until now.
                for (Look<P> each : earlier) {
                    health.look(each.of(port), each.now(), each.wall());
                }
                watched.put(port, health);
            }
            changed |= health.look(look.of(port), look.now(), look.wall());
            if (look.complete()
                    && !look.hasCounted(port)
                    && health.impairments().isEmpty()) {
                watched.remove(port);
            }
        }
        if (earlier.size() == EARLIER) {
            earlier.removeFirst();
        }
        earlier.addLast(look.withoutCounts());
        return changed;
    }

    /** Links are trained anew, as when a subnet manager begins: what is counted until the next look is no sign. What was said stays. */
    public void forget(Instant now, Instant wall) {
        PortReading unknown = new PortReading(false, false, Map.of());
        watched.values().forEach(health -> health.look(unknown, now, wall));
        earlier.clear();
        // So that a port that is not watched is not taken to have been up since a look before.
        earlier.addLast(new Look<>(Set.of(), port -> false, Map.of(), false, now, wall));
    }
}
