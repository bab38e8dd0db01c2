/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.LevelSpec;
import dev.fabricoperator.fabric.level.Channel;
import dev.fabricoperator.operator.cluster.FabricFacts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Levels of service of a job's channels, by the menu of the Fabric that it uses. */
public final class JobLevels {
    /** A name has 63 characters at most, and a reason 1,024. */
    private static final int MOST_NAMED = 10;

    private JobLevels() {}

    /**
     * The Fabric whose menu holds for a job whose devices are not known yet.
     *
     * @param named Fabrics that the job names, the default one first; empty for what there is
     * @return {@code null} where none has levels
     */
    public static @Nullable FabricFacts menu(List<FabricFacts> fabrics, List<String> named) {
        List<FabricFacts> offering = fabrics.stream()
                .filter(fabric -> !fabric.spec().levels().isEmpty())
                .filter(fabric -> named.isEmpty() ? fabric.isForCompute() : named.contains(fabric.name()))
                .sorted(
                        named.isEmpty()
                                ? FabricFacts.DEFAULT_FIRST.thenComparing(FabricFacts::name)
                                : (one, other) -> named.indexOf(one.name()) - named.indexOf(other.name()))
                .toList();
        return offering.isEmpty() ? null : offering.getFirst();
    }

    /**
     * Those that ask for a level, and those for which there is a default one.
     *
     * @param fabric {@code null} where none has levels
     */
    public static List<JobChannel> channels(
            @Nullable FabricFacts fabric, Map<Channel, String> asked, String namespace) {
        List<LevelSpec> offered = offered(fabric, namespace);
        List<JobChannel> channels = new ArrayList<>();
        for (Channel channel : Channel.values()) {
            String name = asked.get(channel);
            LevelSpec level = offered.stream()
                    .filter(each -> name == null
                            ? Boolean.TRUE.equals(each.isDefault())
                            : each.name().equals(name))
                    .findFirst()
                    .orElse(null);
            if (level != null) {
                channels.add(new JobChannel(channel, level.name(), level.serviceLevel(), level.dscp(), null));
            } else if (name != null) {
                channels.add(new JobChannel(channel, name, null, null, menuSentence(fabric, namespace)));
            }
        }
        return channels;
    }

    /** Why what is asked for cannot be had and what to write; {@code null} where it can. */
    public static @Nullable String refusal(List<JobChannel> channels) {
        return channels.stream()
                .filter(channel -> channel.reason() != null)
                .map(channel -> "the annotation " + LaunchApi.QOS + " asks for level \"" + channel.level() + "\", and "
                        + channel.reason())
                .findFirst()
                .orElse(null);
    }

    /** By which libraries are told. */
    public static Map<String, String> variables(List<JobChannel> channels) {
        Map<String, String> variables = new LinkedHashMap<>();
        channels.forEach(channel -> variables.putAll(channel.name().variables(channel.serviceLevel(), channel.dscp())));
        return variables;
    }

    /** Those that jobs of a namespace may ask for. */
    public static List<LevelSpec> offered(@Nullable FabricFacts fabric, String namespace) {
        return fabric == null
                ? List.of()
                : fabric.spec().levels().stream()
                        .filter(level -> level.isFor(namespace))
                        .toList();
    }

    private static String menuSentence(@Nullable FabricFacts fabric, String namespace) {
        if (fabric == null || fabric.spec().levels().isEmpty()) {
            return fabric == null
                    ? "no Fabric that this job may use has levels: who runs the fabric writes them into spec.levels of the Fabric; without the"
                            + " annotation the job starts as it is"
                    : "Fabric " + fabric.name()
                            + " has no levels: who runs the fabric writes them into its spec.levels";
        }
        List<LevelSpec> offered = offered(fabric, namespace);
        int more = offered.size() - MOST_NAMED;
        String names = offered.stream().limit(MOST_NAMED).map(LevelSpec::name).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
        return "Fabric " + fabric.name()
                + (names.isEmpty()
                        ? " has no level for namespace " + namespace
                        : " offers namespace " + namespace + ": " + names);
    }
}
