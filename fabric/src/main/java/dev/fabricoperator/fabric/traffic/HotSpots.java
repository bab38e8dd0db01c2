/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ports that hold others up. One is hot as soon as a rate is above its limit, and cool when it was below {@value #COOLER} of that, or not known, at {@value #COOL_LOOKS} looks in a row.
 * Not safe for use by several threads. A look costs O(ports); memory for those that are hot.
 *
 * @param <P> names a port
 */
public final class HotSpots<P> {
    private static final double COOLER = 0.8;
    private static final int COOL_LOOKS = 2;

    private final Map<P, Map<HotReason, State>> hot = new HashMap<>();

    /**
     * A port that is hot.
     *
     * @param value that was known last
     * @param since as people tell it
     */
    public record Hot<P>(P port, HotReason why, double value, Instant since) {}

    private record State(double value, Instant since, int coolLooks) {}

    /** @param wall the time as people tell it */
    public void look(Map<P, PortRate> rates, Instant wall) {
        hot.keySet().retainAll(rates.keySet());
        rates.forEach((port, rate) -> {
            Map<HotReason, State> before = hot.get(port);
            Map<HotReason, State> after = new EnumMap<>(HotReason.class);
            for (HotReason why : HotReason.values()) {
                State state = next(before == null ? null : before.get(why), why, why.of(rate), wall);
                if (state != null) {
                    after.put(why, state);
                }
            }
            if (!after.isEmpty()) {
                hot.put(port, after);
            } else if (before != null) {
                hot.remove(port);
            }
        });
    }

    private static @Nullable State next(@Nullable State before, HotReason why, @Nullable Double value, Instant wall) {
        if (before == null) {
            return value != null && value > why.limit() ? new State(value, wall, 0) : null;
        }
        if (value != null && value >= COOLER * why.limit()) {
            return new State(value, before.since(), 0);
        }
        int coolLooks = before.coolLooks() + 1;
        return coolLooks == COOL_LOOKS
                ? null
                : new State(value == null ? before.value() : value, before.since(), coolLooks);
    }

    /** Those that are furthest above their limits first. */
    public List<Hot<P>> all() {
        List<Hot<P>> all = new ArrayList<>();
        hot.forEach((port, states) ->
                states.forEach((why, state) -> all.add(new Hot<>(port, why, state.value(), state.since()))));
        all.sort(Comparator.comparingDouble(
                        (Hot<P> each) -> each.value() / each.why().limit())
                .reversed());
        return all;
    }

    /** Nothing is known of any port any more. */
    public void forget() {
        hot.clear();
    }
}
