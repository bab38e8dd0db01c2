/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A day of a healthy fabric of 10,000 ports, played: nodes that reboot, drivers that are loaded anew, cables that are pulled, ports that are shut,
 * slots without a module, counters that are cleared, now and then an error. Looks are two seconds apart around all of these, and two minutes otherwise.
 */
class HealthyDayTest {
    private static final int PORTS = 10_000;
    private static final long DAY = Duration.ofDays(1).toSeconds();
    private static final List<LinkFault> ERRORS = List.of(
            LinkFault.SymbolErrors,
            LinkFault.LinkErrorRecoveries,
            LinkFault.ReceiveErrors,
            LinkFault.LocalLinkIntegrityErrors,
            LinkFault.ExcessiveBufferOverruns,
            LinkFault.FrameCheckErrors);

    /** What happens to a port. */
    private enum Kind {
        NodeReboots,
        DriverIsLoadedAnew,
        CableIsPulled,
        PortIsShut,
        CountersAreCleared,
        OneError
    }

    private record Happening(long second, Kind kind) {}

    private record Tally(int impaired, int looks, int happenings) {}

    @Test
    void nothingIsSaidOfIt() {
        Random random = new Random(16);
        int impaired = 0;
        long looks = 0;
        int happenings = 0;
        for (int port = 0; port < PORTS; port++) {
            Tally of = new Port(random).day();
            impaired += of.impaired();
            looks += of.looks();
            happenings += of.happenings();
        }
        System.out.printf(
                "a day of %d ports: %d looks, %d happenings, %d impaired%n", PORTS, looks, happenings, impaired);
        assertThat(happenings).isGreaterThan(PORTS);
        assertThat(impaired).isZero();
    }

    /** One port, with what its kernel and card would say. */
    private static final class Port {
        private final Random random;
        private final boolean hasModule;
        private final Map<LinkFault, Long> counters = new HashMap<>();
        private final List<Happening> plan = new ArrayList<>();
        private PortHealth health = new PortHealth(List.of(), Instant.EPOCH);
        private boolean up;
        private boolean shut;
        /** Tenths of a degree. */
        private int heat = 600;

        private boolean wasOdd;
        private boolean changed;
        private PortReading reading;

        Port(Random random) {
            this.random = random;
            hasModule = random.nextInt(20) > 0;
            up = hasModule;
            for (LinkFault fault : ERRORS) {
                long old = random.nextInt(4) > 0 ? 0 : random.nextLong(Math.min(fault.maximum(), 70_000) + 1);
                counters.put(fault, old);
            }
            counters.put(LinkFault.LinkDowns, (long) random.nextInt(256));
            counters.put(LinkFault.CarrierChanges, (long) random.nextInt(50));
            for (int i = random.nextInt(5); i >= 0; i--) {
                plan.add(new Happening(random.nextLong(DAY), Kind.values()[random.nextInt(Kind.values().length)]));
            }
            // A technician who looks for the right cable.
            if (random.nextInt(200) == 0) {
                long second = random.nextLong(DAY - 600);
                for (int i = 0; i < 6; i++) {
                    plan.add(new Happening(second + 60L * i, Kind.CableIsPulled));
                }
            }
            reading = reading(false);
            Collections.sort(plan, (one, other) -> Long.compare(one.second(), other.second()));
        }

        private void count(LinkFault fault, long more) {
            changed = true;
            counters.merge(fault, more, (one, other) -> Math.min(fault.maximum(), one + other));
        }

        private void train() {
            ERRORS.forEach(fault -> count(fault, random.nextInt(3000)));
        }

        Tally day() {
            int impaired = 0;
            int looks = 0;
            long second = 0;
            for (Happening happening : plan) {
                while (second < happening.second()) {
                    second += happening.second() - second > 120 ? 120 : 2;
                    looks++;
                    impaired += look(second);
                }
                int step = 0;
                while (play(happening.kind(), step)) {
                    step++;
                    second += 2;
                    looks++;
                    impaired += look(second);
                }
            }
            while (second < DAY) {
                second += 120;
                looks++;
                impaired += look(second);
            }
            return new Tally(impaired, looks, plan.size());
        }

        /** @return whether it goes on */
        private boolean play(Kind kind, int step) {
            changed = true;
            switch (kind) {
                case NodeReboots -> {
                    if (step == 0) {
                        counters.replaceAll((fault, value) -> 0L);
                        count(LinkFault.CarrierChanges, 2);
                        health = new PortHealth(health.impairments(), Instant.EPOCH);
                        up = false;
                        train();
                    }
                    up = step > 10 && hasModule;
                    return step < 20;
                }
                case DriverIsLoadedAnew -> {
                    if (step == 0) {
                        up = false;
                        counters.put(LinkFault.CarrierChanges, 1L);
                        count(LinkFault.LinkDowns, 1);
                        train();
                    }
                    if (step == 4 && hasModule) {
                        up = true;
                        count(LinkFault.CarrierChanges, 1);
                        train();
                    }
                    return step < 20;
                }
                case CableIsPulled -> {
                    if (step == 0 && up) {
                        up = false;
                        count(LinkFault.LinkDowns, 1);
                        count(LinkFault.CarrierChanges, 1);
                        train();
                    }
                    if (step == 8 && hasModule) {
                        up = true;
                        count(LinkFault.CarrierChanges, 1);
                        train();
                    }
                    return step < 20;
                }
                case PortIsShut -> {
                    shut = step < 10;
                    up = step > 12 && hasModule;
                    if (step == 0 || step == 12 && hasModule) {
                        count(LinkFault.CarrierChanges, 1);
                        train();
                    }
                    return step < 20;
                }
                case CountersAreCleared ->
                    counters.replaceAll((fault, value) -> fault == LinkFault.CarrierChanges ? value : 0L);
                case OneError -> count(ERRORS.get(random.nextInt(ERRORS.size())), 1 + random.nextInt(3));
            }
            return step < 1;
        }

        private int look(long second) {
            int before = heat;
            heat = Math.clamp(heat + random.nextInt(41) - 20, 400, 1000);
            // A card that now and then gives no answer, or a wrong one.
            boolean isOdd = random.nextInt(5000) == 0;
            if (changed || isOdd || wasOdd || before / 10 != heat / 10) {
                reading = reading(isOdd);
                changed = false;
            } else if (reading.up() != up || reading.shut() != shut) {
                reading = new PortReading(up, shut, reading.samples());
            }
            wasOdd = isOdd;
            Instant now = Instant.EPOCH.plusSeconds(second);
            health.look(reading, now, now);
            return health.impairments().size();
        }

        private PortReading reading(boolean isOdd) {
            Map<String, PortReading.Sample> samples = new HashMap<>();
            counters.forEach((fault, value) -> samples.put(fault.file(), PortReading.Sample.counted(fault, value)));
            samples.put("temp1_input", new PortReading.Sample(LinkFault.Temperature, isOdd ? 255 : heat / 10, 105));
            if (isOdd) {
                samples.remove(ERRORS.get(random.nextInt(ERRORS.size())).file());
            }
            return new PortReading(up, shut, samples);
        }
    }
}
