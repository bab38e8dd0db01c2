/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.HostList.BadHostList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hosts of which no number of devices is expected, such as login nodes and servers of storage, as somebody says who knows.
 *
 * @see "Slurm's host lists, of {@link HostList}; a * in a name stands for any characters"
 */
public final class ExemptHosts {
    public static final ExemptHosts NONE = of(List.of());

    private static final int MOST_NAMES = 1 << 16;

    /** Each of them is tried for each host. */
    private static final int MOST_PATTERNS = 1024;

    private final List<String> lists;
    private final Set<String> names;
    /** What stands before, between and behind the stars of each. */
    private final List<String[]> patterns;

    private final List<String> problems;

    private ExemptHosts(List<String> lists, Set<String> names, List<String[]> patterns, List<String> problems) {
        this.lists = List.copyOf(lists);
        this.names = Set.copyOf(names);
        this.patterns = List.copyOf(patterns);
        this.problems = List.copyOf(problems);
    }

    /** @param lists host lists, in any case; one that is none is passed over, and a {@linkplain #problems problem} */
    public static ExemptHosts of(List<String> lists) {
        Set<String> names = new HashSet<>();
        List<String[]> patterns = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (String list : lists) {
            try {
                List<String> words = HostList.expand(list.toLowerCase(Locale.ROOT), MOST_NAMES - names.size());
                if (patterns.size()
                                + words.stream().filter(ExemptHosts::isPattern).count()
                        > MOST_PATTERNS) {
                    throw new BadHostList("more than " + MOST_PATTERNS + " names with * in lists of hosts");
                }
                for (String word : words) {
                    if (isPattern(word)) {
                        patterns.add(word.split("\\*", -1));
                    } else {
                        names.add(word);
                    }
                }
            } catch (BadHostList e) {
                problems.add("'" + list + "': " + e.getMessage());
            }
        }
        return new ExemptHosts(lists, names, patterns, problems);
    }

    /** Of each list that is none, what is wrong with it. */
    public List<String> problems() {
        return problems;
    }

    /** Whether these are the hosts of the same lists. */
    public boolean isOf(List<String> others) {
        return lists.equals(others);
    }

    private static boolean isPattern(String word) {
        return word.indexOf('*') >= 0;
    }

    /** Whether nothing is expected of a host, by its name or by that without its domain. */
    public boolean contains(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        int domain = name.indexOf('.');
        return isNamed(name) || domain > 0 && isNamed(name.substring(0, domain));
    }

    private boolean isNamed(String name) {
        return names.contains(name) || patterns.stream().anyMatch(pattern -> matches(pattern, name));
    }

    /** Without steps back: the first place of each part is as good as any other. */
    private static boolean matches(String[] parts, String name) {
        String first = parts[0];
        String last = parts[parts.length - 1];
        int end = name.length() - last.length();
        if (end < first.length() || !name.startsWith(first) || !name.endsWith(last)) {
            return false;
        }
        int at = first.length();
        for (int i = 1; i < parts.length - 1; i++) {
            int found = name.indexOf(parts[i], at);
            if (found < 0 || found + parts[i].length() > end) {
                return false;
            }
            at = found + parts[i].length();
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ExemptHosts hosts && hosts.lists.equals(lists);
    }

    @Override
    public int hashCode() {
        return lists.hashCode();
    }
}
