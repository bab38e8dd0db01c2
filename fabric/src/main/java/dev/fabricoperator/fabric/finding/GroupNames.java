/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a site calls its groups: the word that the names of a group's switches share and those of no other group have, such as
 * {@code g01} of {@code g01-r07}, {@code pod11} or {@code SLG04}. Of groups of one switch that is the switch's name. A number alone is
 * no name: answers number groups as well, and differently.
 *
 * <p>Names decide words alone and never what a group is. Where they do not tell all groups apart, groups have numbers.
 *
 * <p>Cost: O(characters of all names).
 */
public final class GroupNames {
    /** Words between marks, else numbers with the letters before them: {@code r1n03} is {@code r1} and {@code n03}. */
    private static final List<Pattern> WORDS =
            List.of(Pattern.compile("[A-Za-z0-9]+"), Pattern.compile("[A-Za-z]*[0-9]+|[A-Za-z]+"));

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    /** Words that say of themselves that they are a group's: {@code pod11}, {@code island3}. */
    private static final Pattern OWN_WORD = Pattern.compile("[A-Za-z]{2,}.*");

    /** A site mistypes one name in sixteen. */
    private static final double MOST = 0.75;

    private static final int MOST_WORDS = 16;

    private final String noun;
    private final Map<Integer, String> nameOfGroup;

    private GroupNames(String noun, Map<Integer, String> nameOfGroup) {
        this.noun = noun;
        this.nameOfGroup = nameOfGroup;
    }

    public static GroupNames of(Topology topology, Classification classification) {
        Map<Integer, List<String>> switches = new TreeMap<>();
        boolean named = true;
        for (int at = 0; at < topology.switches(); at++) {
            int group = classification.groupOfSwitch()[at];
            if (group >= 0 && classification.levelOfSwitch()[at] > 0) {
                switches.computeIfAbsent(group, g -> new ArrayList<>()).add(topology.switchName(at));
                named &= !topology.switchName(at).equals(topology.switchId(at));
            }
        }
        String noun = classification.kind() == FabricKind.RailOptimized ? "unit" : "group";
        return new GroupNames(noun, named && switches.size() > 1 ? names(switches) : Map.of());
    }

    /** The site's own word for a group; its number where there is none. */
    public String name(int group) {
        return nameOfGroup.getOrDefault(group, Integer.toString(group));
    }

    public boolean isNamed(int group) {
        return nameOfGroup.containsKey(group);
    }

    /** Such as {@code group g01}, {@code unit 3}, {@code pod11}. */
    public String words(int group) {
        String name = name(group);
        return OWN_WORD.matcher(name).matches() ? name : noun + " " + name;
    }

    private static Map<Integer, String> names(Map<Integer, List<String>> switches) {
        if (switches.values().stream().allMatch(names -> names.size() == 1)) {
            Map<Integer, String> names = new HashMap<>();
            switches.forEach((group, only) -> names.put(group, only.getFirst()));
            return names;
        }
        for (Pattern words : WORDS) {
            Map<Integer, List<@Nullable String>> shared = new TreeMap<>();
            switches.forEach((group, names) -> shared.put(group, sharedWords(words, names)));
            for (int place = 0; place < MOST_WORDS; place++) {
                Map<Integer, String> names = tellingApart(shared, place);
                if (names != null) {
                    return names;
                }
            }
        }
        return Map.of();
    }

    /** By place in the names, the word that most of them have there; {@code null} where no word is that. */
    private static List<@Nullable String> sharedWords(Pattern words, List<String> names) {
        List<Map<String, Integer>> counts = new ArrayList<>();
        for (String name : names) {
            Matcher word = words.matcher(name);
            for (int place = 0; place < MOST_WORDS && word.find(); place++) {
                if (counts.size() == place) {
                    counts.add(new HashMap<>());
                }
                counts.get(place).merge(word.group(), 1, Integer::sum);
            }
        }
        List<@Nullable String> shared = new ArrayList<>();
        for (Map<String, Integer> count : counts) {
            shared.add(count.entrySet().stream()
                    .filter(word -> word.getValue() >= MOST * names.size())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(null));
        }
        return shared;
    }

    /** The words at a place, where each group has one, and each another one; a number has the word before it with it, and is none without. */
    private static @Nullable Map<Integer, String> tellingApart(Map<Integer, List<@Nullable String>> shared, int place) {
        Map<Integer, String> names = new HashMap<>();
        Set<String> seen = new HashSet<>();
        for (Map.Entry<Integer, List<@Nullable String>> group : shared.entrySet()) {
            List<@Nullable String> words = group.getValue();
            String word = place < words.size() ? words.get(place) : null;
            if (word == null || !seen.add(word)) {
                return null;
            }
            String before = place > 0 ? words.get(place - 1) : null;
            boolean isNumber = NUMBER.matcher(word).matches();
            if (isNumber && (before == null || NUMBER.matcher(before).matches())) {
                return null;
            }
            names.put(group.getKey(), isNumber ? before + "-" + word : word);
        }
        return names;
    }
}
