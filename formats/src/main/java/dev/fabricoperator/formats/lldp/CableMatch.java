/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import dev.fabricoperator.formats.lldp.LldpCabling.Adjacency;
import dev.fabricoperator.formats.lldp.LldpCabling.End;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds, of two systems that hear each other, which of one's neighbours and which of the other's are the ends of one cable.
 *
 * <p>A system's own answer has its ports by the names of its operating system; what its neighbours hear of a port may be
 * an alias ({@code etp2} for SONiC's {@code Ethernet8}) and a person's words, which often name the port at the other end.
 * What fits best goes together. The last ones left, one of each, need no words. Where more are left, nothing says which
 * belong together: they are joined in their order, so that each cable counts once, and a problem says so.
 *
 * <p>Cost: O(n log n) for n neighbours.
 */
final class CableMatch {
    /** A system's own answer has a port of the name that the other one hears. */
    private static final int NAMED = 4;

    /** The words about a port name the port at its other end. */
    private static final int MENTIONED = 2;

    /** The same of an alias, which may be that of another port. */
    private static final int ALIASED = 1;

    /** Words of a description that are looked up. */
    private static final int MAX_WORDS = 16;

    private static final Pattern DIGITS = Pattern.compile("\\d+");

    private final CablingCollector collector;
    private final List<Adjacency> matched = new ArrayList<>();

    private record Pair(LldpSystem one, LldpSystem other) {}

    /** @param here numbers of neighbours of one system, and {@code there} of the other */
    private record Fit(int here, int there) {}

    private CableMatch(CablingCollector collector) {
        this.collector = collector;
    }

    /** The same by line; both ends of a cable name each other as their own systems do. */
    static List<Adjacency> of(List<Adjacency> adjacencies, CablingCollector collector) {
        CableMatch match = new CableMatch(collector);
        Map<Pair, List<Adjacency>> all = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        for (Adjacency adjacency : adjacencies) {
            // A system may have answered twice.
            if (seen.add(adjacency.key())) {
                Pair pair = new Pair(adjacency.near().system(), adjacency.far().system());
                all.computeIfAbsent(pair, p -> new ArrayList<>()).add(adjacency);
            }
        }
        Set<Pair> done = new HashSet<>();
        all.forEach((pair, here) -> {
            Pair back = new Pair(pair.other(), pair.one());
            if (!done.contains(back)) {
                done.add(pair);
                match.pair(here, all.getOrDefault(back, List.of()));
            }
        });
        // Of what contradicts, the first in the text counts.
        match.matched.sort(
                Comparator.comparingInt(adjacency -> adjacency.neighbor().line()));
        return match.matched;
    }

    private void pair(List<Adjacency> here, List<Adjacency> there) {
        Map<Fit, Integer> fits = new HashMap<>();
        addFits(here, there, fits, Fit::new);
        addFits(there, here, fits, (far, near) -> new Fit(near, far));
        List<Map.Entry<Fit, Integer>> order = new ArrayList<>(fits.entrySet());
        order.sort(Comparator.comparingInt((Map.Entry<Fit, Integer> e) -> -e.getValue())
                .thenComparingInt(e -> e.getKey().here())
                .thenComparingInt(e -> e.getKey().there()));
        Set<Integer> takenHere = new HashSet<>();
        Set<Integer> takenThere = new HashSet<>();
        for (Map.Entry<Fit, Integer> fit : order) {
            int one = fit.getKey().here();
            int other = fit.getKey().there();
            if (!takenHere.contains(one) && !takenThere.contains(other)) {
                takenHere.add(one);
                takenThere.add(other);
                join(here.get(one), there.get(other));
            }
        }
        List<Adjacency> leftHere = left(here, takenHere);
        List<Adjacency> leftThere = left(there, takenThere);
        keepNamedAsTheirOwn(leftHere, there);
        keepNamedAsTheirOwn(leftThere, here);
        int both = Math.min(leftHere.size(), leftThere.size());
        if (both > 0 && leftHere.size() + leftThere.size() > 2) {
            Adjacency first = leftHere.getFirst();
            collector.problem(
                    first.neighbor().line(),
                    CablingCollector.printable(String.valueOf(first.near().system())) + " and "
                            + CablingCollector.printable(
                                    String.valueOf(first.far().system()))
                            + " hear each other on " + leftHere.size() + " and " + leftThere.size()
                            + " ports whose names and descriptions do not say which belong together: they are joined"
                            + " in their order");
        }
        for (int i = 0; i < both; i++) {
            join(leftHere.get(i), leftThere.get(i));
        }
        matched.addAll(leftHere.subList(both, leftHere.size()));
        matched.addAll(leftThere.subList(both, leftThere.size()));
    }

    /** What names the far port as its own system names ports is as it says: that system has not heard it. */
    private void keepNamedAsTheirOwn(List<Adjacency> left, List<Adjacency> far) {
        Set<String> shapes = new HashSet<>();
        far.forEach(adjacency -> shapes.add(shape(adjacency.near().port())));
        left.removeIf(adjacency -> {
            String port = adjacency.far().port();
            boolean named = shapes.contains(shape(port)) && !isAlias(adjacency.neighbor(), port);
            return named && matched.add(adjacency);
        });
    }

    /** Whether a name is an ID that the far system is set to announce: SONiC's aliases can look like names of ports. */
    private static boolean isAlias(LldpNeighbor heard, @Nullable String name) {
        String id = heard.portId();
        boolean chosen = "local".equals(heard.portIdType()) || "ifalias".equals(heard.portIdType());
        return chosen && id != null && name != null && id.strip().equals(name.strip());
    }

    /** {@code Ethernet#/#} for {@code Ethernet1/12}. */
    private static String shape(@Nullable String port) {
        return port == null ? "" : DIGITS.matcher(port).replaceAll("#");
    }

    private interface Order {
        Fit of(int near, int far);
    }

    /** What the neighbours that {@code here} hears say of ports in {@code there}. */
    private static void addFits(List<Adjacency> here, List<Adjacency> there, Map<Fit, Integer> fits, Order order) {
        Map<String, Integer> byName = unique(there, a -> a.near().port());
        Map<String, Integer> byAnnounced = unique(there, a -> a.neighbor().portId());
        for (int i = 0; i < here.size(); i++) {
            LldpNeighbor heard = here.get(i).neighbor();
            for (String name : new String[] {heard.portId(), heard.portDescription()}) {
                Integer own = name == null ? null : byName.get(name.strip());
                if (own != null) {
                    fits.merge(order.of(i, own), isAlias(heard, name) ? ALIASED : NAMED, Integer::sum);
                }
            }
            for (String word : words(heard.portDescription())) {
                Integer announced = byAnnounced.get(word);
                if (announced != null) {
                    fits.merge(order.of(i, announced), MENTIONED, Integer::sum);
                }
            }
        }
    }

    /** Names that several have tell nothing. */
    private static Map<String, Integer> unique(List<Adjacency> all, Function<Adjacency, @Nullable String> name) {
        Map<String, Integer> numbers = new HashMap<>();
        Set<String> several = new HashSet<>();
        for (int i = 0; i < all.size(); i++) {
            String text = name.apply(all.get(i));
            if (text != null && numbers.putIfAbsent(text.strip(), i) != null) {
                several.add(text.strip());
            }
        }
        numbers.keySet().removeAll(several);
        return numbers;
    }

    /** The words of a description, and what stands between colons, commas and the like in each. */
    private static Set<String> words(@Nullable String description) {
        Set<String> words = new HashSet<>();
        if (description != null) {
            for (String word : description.split("\\s+", MAX_WORDS)) {
                words.add(word);
                words.addAll(List.of(word.split("[:,;=|@_()\\[\\]]+", MAX_WORDS)));
            }
        }
        return words;
    }

    private static List<Adjacency> left(List<Adjacency> all, Set<Integer> taken) {
        List<Adjacency> left = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (!taken.contains(i)) {
                left.add(all.get(i));
            }
        }
        return left;
    }

    private void join(Adjacency one, Adjacency other) {
        End here = one.near();
        End there = other.near();
        matched.add(new Adjacency(here, there, one.neighbor()));
        matched.add(new Adjacency(there, here, other.neighbor()));
    }
}
