/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.HostList.BadHostList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** How many ranks of a job are on each host, as one word: {@code 2:n[1-4],m08;1:n9} for two on each of the first five. */
public final class RanksByHost {
    /** As many as a job has pods. */
    public static final int MOST_HOSTS = 16_000;

    /** So that no sum overflows. */
    private static final int MOST_DIGITS = 5;

    private RanksByHost() {}

    public static String format(Map<String, Integer> ranks) {
        SortedMap<Integer, TreeSet<String>> hosts = new TreeMap<>();
        ranks.forEach((host, count) ->
                hosts.computeIfAbsent(count, c -> new TreeSet<>()).add(host));
        List<String> words = new ArrayList<>();
        hosts.forEach((count, some) -> words.add(count + ":" + HostList.compress(some)));
        return String.join(";", words);
    }

    /** @throws BadHostList for what is no such word, or stands for more than {@value #MOST_HOSTS} hosts */
    public static SortedMap<String, Integer> parse(String text) throws BadHostList {
        SortedMap<String, Integer> ranks = new TreeMap<>();
        for (String word : text.split(";", -1)) {
            int colon = word.indexOf(':');
            String count = word.substring(0, Math.max(0, colon));
            if (count.isEmpty()
                    || count.length() > MOST_DIGITS
                    || !count.chars().allMatch(c -> c >= '0' && c <= '9')) {
                throw new BadHostList("not a number of ranks with a colon before a list of hosts");
            }
            int each = Integer.parseInt(count);
            HostList.expand(word.substring(colon + 1), MOST_HOSTS - ranks.size())
                    .forEach(host -> ranks.put(host, each));
        }
        return ranks;
    }

    /** @param slots of a host's devices in the fabric */
    public static JobRanks of(String job, Map<String, Integer> ranks, Function<String, List<Integer>> slots) {
        List<JobRanks.OnHost> hosts = new ArrayList<>();
        ranks.forEach((host, count) -> hosts.add(new JobRanks.OnHost(host, count, slots.apply(host))));
        return new JobRanks(job, hosts);
    }
}
