/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether the link of one port is about to fail, by what its counters and temperatures say from look to look.
 *
 * <ul>
 *   <li>A first value only sets a base, as does one after a look without it and one that is less than before: a counter that was cleared, or has
 *       wrapped. What happened meanwhile is not known, and nothing is made up.
 *   <li>Errors count while the link is up and was so at two looks before: while it is trained there are many, after each pull of a cable.
 *   <li>That it goes down and up counts unless an administrator has shut the port.
 *   <li>A counter at its maximum says nothing any more until somebody clears it.
 *   <li>A limit is crossed by more than it within the window, a critical temperature by three looks in a row. It is over when half the limit was not
 *       exceeded for the quiet time, which is twice as long each time that it comes back.
 *   <li>What is not known changes nothing, for {@link #FORGOTTEN}.
 * </ul>
 *
 * <p>Not safe for use by several threads. A look costs O(files); memory for those alone, while nothing is counted.
 */
public final class PortHealth {
    /** Degrees below the critical mark at which a card counts as cool again. */
    static final long COOLER = 5;
    /** A file that could not be read for so long says nothing of its port any more. */
    static final Duration FORGOTTEN = Duration.ofHours(1);

    /** A card says a wrong temperature now and then. */
    private static final int HOT_LOOKS = 3;

    private static final int MOST_DOUBLINGS = 3;

    private final Map<String, Watched> files = new HashMap<>();
    private @Nullable PortReading last;
    private Instant lastLook = Instant.MIN;
    /** Whether the link had been up for a whole span at the last look. */
    private boolean steady;

    private List<Impairment> impairments = List.of();

    /** @param before what an earlier process said of the same port: it holds for another quiet time */
    public PortHealth(Collection<Impairment> before, Instant now) {
        for (Impairment each : before) {
            Watched watched = new Watched(each.kind(), now);
            watched.impairment = each;
            watched.crossings = 1;
            files.put(each.file(), watched);
        }
        settle();
    }

    /** By file. */
    public List<Impairment> impairments() {
        return impairments;
    }

    /** Since when the increments of a file are known without a gap; {@code null} where it is not known now. */
    public @Nullable Instant asOf(String file) {
        Watched watched = files.get(file);
        return watched == null || watched.value == Watched.UNKNOWN ? null : watched.known;
    }

    /**
     * One more look.
     *
     * @param now by a clock that never goes back
     * @param wall the same time as people tell it
     * @return whether {@link #impairments} are others than before
     */
    public boolean look(PortReading reading, Instant now, Instant wall) {
        PortReading before = last;
        boolean upThroughout = before != null && before.up() && reading.up() && !hasTurned(before, reading);
        boolean errorsCount = upThroughout && steady;
        boolean transitionsCount = before != null && !before.shut() && !reading.shut();
        reading.samples().forEach((file, sample) -> {
            Watched watched = files.computeIfAbsent(file, name -> new Watched(sample.fault(), now));
            if (sample.fault() == LinkFault.Temperature) {
                watched.measured(file, sample, now, wall);
            } else {
                watched.counted(
                        file,
                        sample,
                        sample.fault().isTransition() ? transitionsCount : errorsCount,
                        lastLook,
                        now,
                        wall);
            }
        });
        if (files.size() > reading.samples().size()) {
            files.entrySet().removeIf(each -> {
                Watched watched = each.getValue();
                if (!reading.samples().containsKey(each.getKey())) {
                    watched.value = Watched.UNKNOWN;
                    watched.hotLooks = 0;
                }
                return Duration.between(watched.seen, now).compareTo(FORGOTTEN) >= 0;
            });
        }
        last = reading;
        lastLook = now;
        steady = before == null ? reading.up() : upThroughout;
        return settle();
    }

    private static boolean hasTurned(PortReading before, PortReading now) {
        for (Map.Entry<String, PortReading.Sample> each : now.samples().entrySet()) {
            if (each.getValue().fault().isTransition()) {
                PortReading.Sample then = before.samples().get(each.getKey());
                if (then != null && then.value() != each.getValue().value()) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean settle() {
        if (impairments.isEmpty() && isWell()) {
            return false;
        }
        List<Impairment> now = files.values().stream()
                .map(watched -> watched.impairment)
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(Impairment::file))
                .toList();
        boolean changed = !now.equals(impairments);
        impairments = now;
        return changed;
    }

    private boolean isWell() {
        for (Watched watched : files.values()) {
            if (watched.impairment != null) {
                return false;
            }
        }
        return true;
    }

    /** One file. */
    private static final class Watched {
        static final long UNKNOWN = -1;

        private final LinkFault fault;
        private final CountWindow window;
        private long value = UNKNOWN;
        /** When the first of the values was read that are known without a gap. */
        private Instant known;
        /** When it was read last. */
        private Instant seen;

        /** In a row, up to now. */
        private int hotLooks;

        private @Nullable Impairment impairment;
        private Duration wellFor = Duration.ZERO;
        private int crossings;

        Watched(LinkFault fault, Instant now) {
            this.fault = fault;
            this.window = new CountWindow(fault.window());
            this.known = now;
            this.seen = now;
        }

        void measured(String file, PortReading.Sample sample, Instant now, Instant wall) {
            hotLooks = sample.value() >= sample.limit() ? hotLooks + 1 : 0;
            if (hotLooks >= HOT_LOOKS && impairment == null) {
                cross(file, sample.value(), sample.limit(), 0, wall);
            }
            boolean wasKnown = value != UNKNOWN;
            value = sample.value();
            judge(sample.value() < sample.limit() - COOLER, wasKnown, now);
        }

        /** @param counts whether what came since {@code before} is a sign of anything */
        void counted(
                String file, PortReading.Sample sample, boolean counts, Instant before, Instant now, Instant wall) {
            long then = value;
            value = sample.value();
            if (value == fault.maximum() && then == value) {
                // Stuck: it may count on unseen, so that this is no quiet time.
                seen = now;
                return;
            }
            boolean wasKnown = then != UNKNOWN && value >= then;
            if (!wasKnown) {
                known = now;
            } else if (counts && value > then) {
                window.add(before, now, value - then);
            }
            long total = window.total(now);
            if (impairment == null && total > sample.limit()) {
                cross(file, total, sample.limit(), seconds(window.span()), wall);
            }
            judge(total <= sample.limit() / 2, wasKnown, now);
        }

        private void cross(String file, long found, long limit, long seconds, Instant wall) {
            Duration quiet = fault.quiet().multipliedBy(1L << Math.min(crossings, MOST_DOUBLINGS));
            crossings++;
            wellFor = Duration.ZERO;
            impairment = new Impairment(
                    fault,
                    file,
                    found,
                    limit,
                    seconds,
                    fault.window().toSeconds(),
                    quiet.toSeconds(),
                    wall.truncatedTo(ChronoUnit.SECONDS));
        }

        /** @param wasKnown whether what happened since the last look is known */
        private void judge(boolean well, boolean wasKnown, Instant now) {
            Instant before = seen;
            seen = now;
            if (crossings == 0) {
                return;
            }
            if (!well) {
                wellFor = Duration.ZERO;
            } else if (wasKnown) {
                wellFor = wellFor.plus(Duration.between(before, now));
            }
            Impairment current = impairment;
            if (current != null && wellFor.toSeconds() >= current.quietSeconds()) {
                impairment = null;
                window.clear();
            } else if (current == null && wellFor.compareTo(FORGOTTEN) >= 0) {
                crossings = 0;
            }
        }

        private static long seconds(Duration span) {
            return span.plusSeconds(1).minusNanos(1).toSeconds();
        }
    }
}
