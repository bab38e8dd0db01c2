/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.operator.cluster.PortChanges.PortChange;
import dev.fabricoperator.operator.model.Flaps.Link;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When a link that goes up and down counts as down: a function from one history to the next.
 *
 * <p>A link that changed more than {@code changes} times within {@code window} counts as down, which is the worse of its two
 * states, until it has not changed for {@code quiet}. A device port is only reported: its state is its agent's to say. Changes
 * of links are what successive passes see; what happens between two passes costs nobody a generation and is not counted.
 *
 * <p>Only links of switches that are there before and after count: a switch that restarts, or a source that comes back,
 * changes every link once and tells nothing of any. Memory is bounded: the {@value #WATCHED} links and ports that changed last,
 * and {@value #MAXIMUM_DAMPED} damped ones.
 */
public record FlapDamping(int changes, Duration window, Duration quiet) {
    static final int WATCHED = 4096;
    static final int MAXIMUM_DAMPED = 32;

    /**
     * What one pass hands to the next.
     *
     * @param switches as the sources described them in the last pass
     * @param changesOf by {@link Link} or device name, when it changed lately; what changed last comes last
     * @param damped links, and since when each has been as it is
     * @param devices names of devices whose port changes too often, and since when each has been as it is
     * @param notDamped links beyond the bound
     * @param portChange number of the last port change that is in here
     */
    public record History(
            SortedMap<String, Switch> switches,
            Map<Object, List<Instant>> changesOf,
            Map<Link, Instant> damped,
            Map<String, Instant> devices,
            int notDamped,
            long portChange) {
        /** Without a walk over the whole fabric. */
        @Override
        public int hashCode() {
            return Objects.hash(switches.size(), damped, devices, portChange);
        }

        /** What goes up and down now. */
        Flaps flaps() {
            return damped.isEmpty() && devices.isEmpty()
                    ? Flaps.NONE
                    : new Flaps(List.copyOf(damped.keySet()), List.copyOf(devices.keySet()), notDamped);
        }
    }

    /**
     * The history after one more look.
     *
     * @param before {@code null} at the beginning
     * @param switches as the sources describe them now
     * @param dampedBefore ports that an earlier process damped; counts at the beginning only, and for another quiet time
     */
    History next(
            @Nullable History before,
            SortedMap<String, Switch> switches,
            List<PortChange> portChanges,
            Set<PortPeer> dampedBefore,
            Instant now) {
        Step step = new Step(before, now);
        if (before == null) {
            step.takeOver(switches, dampedBefore);
        } else {
            step.compare(before.switches(), switches);
        }
        portChanges.forEach(step::add);
        return step.history(switches);
    }

    /** When the next link or port will have been quiet for long enough; {@code null} where none goes up and down. */
    public @Nullable Instant nextRelease(History history) {
        return Stream.concat(history.damped().values().stream(), history.devices().values().stream())
                .min(Instant::compareTo)
                .map(first -> first.plus(quiet))
                .orElse(null);
    }

    private final class Step {
        private final Instant now;
        private final Map<Object, List<Instant>> changesOf;
        private final Map<Link, Instant> damped;
        private final Map<String, Instant> devices;
        private int notDamped;
        private long portChange;

        Step(@Nullable History before, Instant now) {
            this.now = now;
            this.changesOf = new LinkedHashMap<>(before == null ? Map.of() : before.changesOf());
            this.damped = new LinkedHashMap<>(before == null ? Map.of() : before.damped());
            this.devices = new LinkedHashMap<>(before == null ? Map.of() : before.devices());
            this.notDamped = before == null ? 0 : before.notDamped();
            this.portChange = before == null ? 0 : before.portChange();
        }

        void compare(SortedMap<String, Switch> last, SortedMap<String, Switch> switches) {
            if (switches == last) {
                return;
            }
            CableDiff diff = CableDiff.between(last, switches);
            Stream.concat(diff.gained().stream(), diff.lost().stream())
                    .filter(link -> diff.changedSwitches().contains(link.one().id())
                            || diff.changedSwitches().contains(link.other().id()))
                    .forEach(this::changed);
        }

        private void changed(Link link) {
            boolean tooOften = isTooOften(link, now);
            if (damped.containsKey(link) || (tooOften && damped.size() < MAXIMUM_DAMPED)) {
                damped.put(link, now);
            } else if (tooOften) {
                notDamped++;
            }
        }

        void add(PortChange change) {
            if (change.number() > portChange) {
                portChange = change.number();
                if (isTooOften(change.device(), change.time())
                        && (devices.size() < MAXIMUM_DAMPED || devices.containsKey(change.device()))) {
                    devices.put(change.device(), change.time());
                }
            }
        }

        private boolean isTooOften(Object linkOrDevice, Instant time) {
            List<Instant> known = changesOf.remove(linkOrDevice);
            List<Instant> times = new ArrayList<>(known == null ? List.of() : known);
            times.add(time);
            times.removeIf(before -> before.isBefore(time.minus(window)));
            changesOf.put(
                    linkOrDevice, List.copyOf(times.subList(Math.max(0, times.size() - changes - 1), times.size())));
            if (changesOf.size() > WATCHED) {
                changesOf.remove(changesOf.keySet().iterator().next());
            }
            return times.size() > changes;
        }

        /** A link that the process before had damped has another quiet time before it. */
        void takeOver(SortedMap<String, Switch> switches, Set<PortPeer> ports) {
            Map<PortPeer, PortPeer> ends = new HashMap<>();
            for (PortPeer port : ports) {
                Switch fabricSwitch = switches.get(port.id());
                if (fabricSwitch != null) {
                    fabricSwitch.ports().stream()
                            .filter(p -> p.number() == port.port() && p.peer() != null)
                            .forEach(p -> ends.put(port, p.peer()));
                }
            }
            ends.forEach((port, peer) -> {
                if (damped.size() < MAXIMUM_DAMPED) {
                    damped.put(Link.of(port, peer), now);
                }
            });
        }

        History history(SortedMap<String, Switch> switches) {
            damped.values().removeIf(since -> !since.plus(quiet).isAfter(now));
            devices.values().removeIf(since -> !since.plus(quiet).isAfter(now));
            return new History(switches, changesOf, damped, devices, damped.isEmpty() ? 0 : notDamped, portChange);
        }
    }
}
