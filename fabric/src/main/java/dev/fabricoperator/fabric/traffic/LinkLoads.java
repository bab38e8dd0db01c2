/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * How much of what some devices send to each other leaves by each port of the switches on its way. Devices are numbers, such as slots. Not safe for use by several threads.
 *
 * <pre>
 * Cost: O(f log f) for f flows, and the ways that are asked for.
 * </pre>
 *
 * @param <P> names a port
 */
public final class LinkLoads<P> {
    private final Map<P, Load> loads = new LinkedHashMap<>();
    private double leftOut;
    private long effort;

    /**
     * What one device sends to another.
     *
     * @param measured whether counters say so, of these two devices
     */
    public record Flow(int from, int to, double bytesPerSecond, boolean measured) {}

    /**
     * What a device sends and receives in all, whoever it exchanges it with.
     *
     * @param host number of its host: a device sends nothing over switches to one of its own host
     */
    public record End(int device, int host, double sentPerSecond, double receivedPerSecond) {}

    /**
     * The way between two devices.
     *
     * @param ports of switches by which it leaves these; none where there is no way
     * @param known whether it is the way that packets take, and not only one that they may take
     * @param effort that it took to find, at least 1
     */
    public record Way<P>(List<P> ports, boolean known, int effort) {}

    /** @param measured whether counters say all of it */
    public record Load(double bytesPerSecond, boolean measured) {
        private Load plus(Load other) {
            return new Load(bytesPerSecond + other.bytesPerSecond, measured && other.measured);
        }
    }

    /** Tells the way between two devices. */
    @FunctionalInterface
    public interface Ways<P> {
        Way<P> between(int from, int to);
    }

    /** Of two devices. */
    @FunctionalInterface
    public interface Reach {
        /** Whether the one can send to the other. */
        boolean reaches(int from, int to);
    }

    private record Leg(int place, int to) {}

    private record Carried(int from, int to, Load load) {}

    /**
     * Follows each flow.
     *
     * @param placeOf one device of all those at the same switch, from which the way is the same as from these
     * @param mostEffort that ways may take: those of the largest flows are asked for, the others are left out
     */
    public static <P> LinkLoads<P> of(Collection<Flow> flows, IntUnaryOperator placeOf, long mostEffort, Ways<P> ways) {
        Map<Leg, Carried> carried = new LinkedHashMap<>();
        for (Flow flow : flows) {
            Load load = new Load(flow.bytesPerSecond(), flow.measured());
            carried.merge(
                    new Leg(placeOf.applyAsInt(flow.from()), flow.to()),
                    new Carried(flow.from(), flow.to(), load),
                    (one, other) -> new Carried(one.from(), one.to(), one.load().plus(other.load())));
        }
        List<Carried> largestFirst = new ArrayList<>(carried.values());
        largestFirst.sort(
                Comparator.comparingDouble((Carried each) -> each.load().bytesPerSecond())
                        .reversed()
                        .thenComparingInt(Carried::from)
                        .thenComparingInt(Carried::to));
        LinkLoads<P> found = new LinkLoads<>();
        for (Carried each : largestFirst) {
            Way<P> way = found.effort >= mostEffort ? null : ways.between(each.from(), each.to());
            found.effort += way == null ? 0 : way.effort();
            if (way == null || way.ports().isEmpty()) {
                found.leftOut += each.load().bytesPerSecond();
            } else {
                Load load = new Load(each.load().bytesPerSecond(), each.load().measured() && way.known());
                way.ports().forEach(port -> found.loads.merge(port, load, Load::plus));
            }
        }
        return found;
    }

    /**
     * Who sends how much to whom, where only sums of devices are known: what each sends is shared out by what the others receive. No counter says
     * so.
     *
     * @param reach whether the one device can send to the other
     * @return O(ends squared)
     */
    public static List<Flow> shareOut(List<End> ends, Reach reach) {
        List<Flow> flows = new ArrayList<>();
        for (End from : ends) {
            if (from.sentPerSecond() > 0) {
                List<End> others = ends.stream()
                        .filter(to -> to.host() != from.host()
                                && to.receivedPerSecond() > 0
                                && reach.reaches(from.device(), to.device()))
                        .toList();
                double all = others.stream().mapToDouble(End::receivedPerSecond).sum();
                others.forEach(to -> flows.add(new Flow(
                        from.device(), to.device(), from.sentPerSecond() * to.receivedPerSecond() / all, false)));
            }
        }
        return flows;
    }

    /** What leaves by a port is known, because the device at its other end counts it. */
    public void counted(P port, double bytesPerSecond) {
        loads.put(port, new Load(bytesPerSecond, true));
    }

    /** By port. */
    public Map<P, Load> loads() {
        return loads;
    }

    /** That ways have taken. */
    public long effort() {
        return effort;
    }

    /** Bytes in a second whose way is not known, or for which there was no room. */
    public double leftOut() {
        return leftOut;
    }
}
