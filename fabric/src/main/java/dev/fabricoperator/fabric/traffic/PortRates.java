/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How much the ports of a subnet send, by what their counters say from look to look. Not safe for use by several threads.
 *
 * <p>No number is made up: what a port counts is not known at its first look, after a look without it, where a counter is less than before or stands at its end, where it says more
 * than twice what the link can carry, and where a port counts nothing while the other end of its cable receives something.
 *
 * <pre>
 * Cost: a look O(ports). Memory: three values of each counter that has ever counted.
 * </pre>
 *
 * @param <P> names a port
 * @see "InfiniBand Architecture Specification, volume 1, 16.1.3.5 PortCounters, 16.1.4.11 PortCountersExtended"
 */
public final class PortRates<P> {
    /** Of a counter that nobody has read. */
    public static final long UNKNOWN = -1;

    /** Octets of a word, in which data are counted. */
    private static final int WORD = 4;

    private static final long END_OF_32_BITS = 0xffff_ffffL;
    private static final long END_OF_16_BITS = 0xffffL;
    /**
     * A port that waits counts one for so many octets that it could have sent. Quantum switches count so; older ones count 32 on each lane, so that they wait longer than is said. The
     * standard leaves it to the switch.
     */
    private static final int OCTETS_OF_A_WAIT = 8;

    private static final int BITS = 8;
    /** Of what the link can carry. What is read a little later than it says counts a little more. */
    private static final int MOST = 2;

    private final Map<P, Watched> watched = new HashMap<>();
    private Map<P, PortRate> rates = Map.of();

    /**
     * A port that was looked at.
     *
     * @param sentWords of four octets since it was cleared, {@link PortRates#UNKNOWN} where that is not known, as the others
     * @param waits times that it could not send
     * @param discards packets
     * @param bitsPerSecond nominal rate of its link, 0 where nobody knows it
     * @param peer at the other end, {@code null} where that is none that is looked at
     */
    public record Reading<P>(
            long sentWords,
            long receivedWords,
            long waits,
            long discards,
            long bitsPerSecond,
            @Nullable P peer) {
        /** Whether one of its counters tells nothing more until somebody clears it. */
        public boolean isAtEnd() {
            return sentWords == END_OF_32_BITS
                    || receivedWords == END_OF_32_BITS
                    || waits == END_OF_32_BITS
                    || discards == END_OF_16_BITS;
        }
    }

    /**
     * When the counters of a port were read.
     *
     * @param dataAt words, by a clock that never goes back
     * @param othersAt the other counters
     * @param wall the time as people tell it
     */
    public record Times(Instant dataAt, Instant othersAt, Instant wall) {}

    private static final class Watched {
        private final CounterRate sent = new CounterRate(END_OF_32_BITS);
        private final CounterRate received = new CounterRate(END_OF_32_BITS);
        private final CounterRate waits = new CounterRate(END_OF_32_BITS);
        private final CounterRate discards = new CounterRate(END_OF_16_BITS);
        private @Nullable Instant asOf;
    }

    /** Of each port at the last look. */
    public Map<P, PortRate> rates() {
        return rates;
    }

    /**
     * One more look.
     *
     * @param readings of all ports whose links are up; others are forgotten
     * @param now by a clock that never goes back
     * @param wall the same time as people tell it
     */
    public void look(Map<P, Reading<P>> readings, Instant now, Instant wall) {
        look(readings, now, now, wall);
    }

    /**
     * One more look, of which some counters were read at another time than others. What is read again that was read at the same time changes nothing.
     *
     * @param dataAt when words were read, by a clock that never goes back
     * @param othersAt when the other counters were read
     */
    public void look(Map<P, Reading<P>> readings, Instant dataAt, Instant othersAt, Instant wall) {
        Times same = new Times(dataAt, othersAt, wall);
        look(readings, any -> same);
    }

    /** One more look, of which each port was read at another time. */
    public void look(Map<P, Reading<P>> readings, Function<P, Times> times) {
        watched.keySet().retainAll(readings.keySet());
        readings.forEach((port, reading) -> {
            Watched each = watched.computeIfAbsent(port, any -> new Watched());
            Times at = times.apply(port);
            each.sent.look(reading.sentWords(), at.dataAt());
            each.received.look(reading.receivedWords(), at.dataAt());
            each.waits.look(reading.waits(), at.othersAt());
            each.discards.look(reading.discards(), at.othersAt());
        });
        Map<P, PortRate> found = new LinkedHashMap<>();
        readings.forEach((port, reading) ->
                found.put(port, rate(port, reading, times.apply(port).wall())));
        rates = found;
    }

    private PortRate rate(P port, Reading<P> reading, Instant wall) {
        Watched each = Objects.requireNonNull(watched.get(port));
        Double bytes = times(each.sent.perSecond(), WORD);
        if (bytes != null && reading.bitsPerSecond() > 0 && bytes * BITS > (double) MOST * reading.bitsPerSecond()) {
            each.sent.forget();
            bytes = null;
        }
        if (bytes != null && bytes == 0 && receives(reading.peer())) {
            bytes = null;
        }
        if (bytes != null) {
            each.asOf = wall;
        }
        Double waits = share(times(each.waits.perSecond(), OCTETS_OF_A_WAIT), reading.bitsPerSecond());
        return new PortRate(
                bytes == null ? null : Math.round(bytes),
                share(bytes, reading.bitsPerSecond()),
                waits == null ? null : Math.min(waits, 1),
                each.discards.perSecond(),
                each.asOf);
    }

    private boolean receives(@Nullable P peer) {
        Watched other = peer == null ? null : watched.get(peer);
        Double received = other == null ? null : other.received.perSecond();
        return received != null && received > 0;
    }

    private static @Nullable Double times(@Nullable Double rate, int by) {
        return rate == null ? null : rate * by;
    }

    private static @Nullable Double share(@Nullable Double bytesPerSecond, long bitsPerSecond) {
        return bytesPerSecond == null || bitsPerSecond <= 0 ? null : bytesPerSecond * BITS / bitsPerSecond;
    }

    /** Links are trained anew, or a look has failed: what is counted until the next one is not known. */
    public void forget() {
        watched.values().forEach(each -> {
            each.sent.forget();
            each.received.forget();
            each.waits.forget();
            each.discards.forget();
        });
        rates = Map.of();
    }
}
