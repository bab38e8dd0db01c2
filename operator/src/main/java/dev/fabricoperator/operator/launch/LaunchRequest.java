/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.fabric.level.Channel;
import dev.fabricoperator.protocol.job.JobLimits;
import dev.fabricoperator.protocol.job.JobMap;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a pod, or of a pod template, ask for. Admission and job service read them here, so that both see the same job.
 *
 * @param container that runs the ranks, {@code null} for the first
 * @param assemblyTimeout how long the pods of the job wait for one another
 * @param groupSize ranks that follow one another and are to be in one part of the fabric, 1 for none
 * @param fabrics names of the Fabrics that it is to use, the default one first; empty for those that there are
 * @param levels names of the levels of service that are asked for, by channel; without those that ask for none
 * @param required whether the pod must not start without what is injected
 * @param environment whether variables may be set in the container
 * @param pmix whether a PMIx server is wanted
 * @param devices whether devices may be named
 * @param hostNetwork whether the pod may be in its node's network
 */
public record LaunchRequest(
        Mode mode,
        int ranksPerPod,
        @Nullable String container,
        Duration assemblyTimeout,
        RankOrder rankOrder,
        int groupSize,
        List<String> fabrics,
        Map<Channel, String> levels,
        RankBindTo bindTo,
        boolean required,
        boolean environment,
        boolean pmix,
        boolean devices,
        boolean hostNetwork) {
    /** How the program is started. */
    public enum Mode {
        DIRECT,
        ENV
    }

    /** An annotation whose value cannot be used; the message names annotation and value and says what to write. */
    public static final class InvalidAnnotationException extends Exception {
        private static final long serialVersionUID = 1;

        InvalidAnnotationException(String message) {
            super(message, null, false, false);
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    public static final Duration DEFAULT_ASSEMBLY_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration MAX_ASSEMBLY_TIMEOUT = Duration.ofDays(30);
    private static final Pattern FABRIC_NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern LEVEL_NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}s?");
    private static final Pattern UNITS = Pattern.compile("([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?");

    private static final SortedSet<String> ASKED_FOR = new TreeSet<>(List.of(
            LaunchApi.LAUNCH,
            LaunchApi.RANKS_PER_POD,
            LaunchApi.CONTAINER,
            LaunchApi.ASSEMBLY_TIMEOUT,
            LaunchApi.RANK_ORDER,
            LaunchApi.GROUP_SIZE,
            LaunchApi.FABRIC,
            LaunchApi.QOS,
            LaunchApi.BIND,
            LaunchApi.HOST_NETWORK,
            LaunchApi.REQUIRED,
            LaunchApi.INJECT_ENV,
            LaunchApi.INJECT_PMIX,
            LaunchApi.INJECT_DEVICES));
    /** The operator's own. */
    private static final Set<String> MADE = Set.of(LaunchApi.WARNINGS, LaunchApi.SECOND_CONTAINER, LaunchApi.PLACE);

    private static final int MOST_NAMED = 3;

    /** A template without annotations, whose pods got theirs from somewhere else. */
    static final LaunchRequest DEFAULTS = new LaunchRequest(
            Mode.DIRECT,
            1,
            null,
            DEFAULT_ASSEMBLY_TIMEOUT,
            RankOrder.index,
            1,
            List.of(),
            Map.of(),
            RankBindTo.none,
            true,
            true,
            true,
            true,
            false);

    /**
     * Reads annotations. White space around a value does not count.
     *
     * @return {@code null} where {@link LaunchApi#LAUNCH} is missing
     */
    public static @Nullable LaunchRequest of(Map<String, String> annotations) throws InvalidAnnotationException {
        String launch = text(annotations, LaunchApi.LAUNCH);
        if (launch == null) {
            return null;
        }
        int groupSize = groupSize(annotations);
        return new LaunchRequest(
                oneOf(Mode.class, LaunchApi.LAUNCH, launch),
                ranks(text(annotations, LaunchApi.RANKS_PER_POD)),
                text(annotations, LaunchApi.CONTAINER),
                timeout(text(annotations, LaunchApi.ASSEMBLY_TIMEOUT)),
                groupSize > 1
                        ? RankOrder.topology
                        : oneOf(RankOrder.class, LaunchApi.RANK_ORDER, text(annotations, LaunchApi.RANK_ORDER)),
                groupSize,
                fabrics(annotations),
                levels(annotations),
                oneOf(RankBindTo.class, LaunchApi.BIND, text(annotations, LaunchApi.BIND)),
                isTrue(annotations, LaunchApi.REQUIRED, true),
                isTrue(annotations, LaunchApi.INJECT_ENV, true),
                isTrue(annotations, LaunchApi.INJECT_PMIX, true),
                isTrue(annotations, LaunchApi.INJECT_DEVICES, true),
                isTrue(annotations, LaunchApi.HOST_NETWORK, false));
    }

    /**
     * What is said of annotations with the operator's prefix that it does not know, a misspelt name among them: a sentence at most.
     */
    public static List<String> warnings(Map<String, String> annotations) {
        String prefix = FabricApi.GROUP + "/";
        List<String> unknown = annotations.keySet().stream()
                .filter(name -> name.startsWith(prefix)
                        && !name.startsWith(LaunchApi.DEVICE_VARIABLE)
                        && !ASKED_FOR.contains(name)
                        && !MADE.contains(name))
                .sorted()
                .toList();
        if (unknown.isEmpty()) {
            return List.of();
        }
        int more = unknown.size() - MOST_NAMED;
        return List.of("nothing is known of the annotation "
                + unknown.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "") + ", which changes nothing; behind " + prefix
                + " there may be "
                + ASKED_FOR.stream()
                        .map(name -> name.substring(prefix.length()))
                        .collect(Collectors.joining(", ")));
    }

    /** Whether the annotation of that name is one by which something can be asked for. */
    public static boolean reads(String name) {
        return ASKED_FOR.contains(name);
    }

    /** Of a pod or a pod template, as the API server sends it. */
    public static Map<String, String> annotations(JsonNode object) {
        Map<String, String> annotations = new HashMap<>();
        object.at("/metadata/annotations").properties().forEach(entry -> {
            if (entry.getValue().isTextual()) {
                annotations.put(entry.getKey(), entry.getValue().textValue());
            }
        });
        return annotations;
    }

    /** Whether a direct launch is asked for, whatever the other annotations say. */
    public static boolean isDirect(Map<String, String> annotations) {
        return LaunchApi.DIRECT.equals(text(annotations, LaunchApi.LAUNCH));
    }

    /** Seconds, or hours, minutes and seconds with their units; {@code null} for anything else. */
    static @Nullable Duration duration(String text) {
        try {
            Duration read;
            if (SECONDS.matcher(text).matches()) {
                read = Duration.ofSeconds(Long.parseLong(text.replace("s", "")));
            } else if (!text.isEmpty() && UNITS.matcher(text).matches()) {
                read = Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
            } else {
                return null;
            }
            return read.isPositive() && read.compareTo(MAX_ASSEMBLY_TIMEOUT) <= 0 ? read : null;
        } catch (DateTimeException | ArithmeticException e) {
            return null;
        }
    }

    private static Duration timeout(@Nullable String text) throws InvalidAnnotationException {
        if (text == null) {
            return DEFAULT_ASSEMBLY_TIMEOUT;
        }
        Duration read = duration(text);
        if (read == null) {
            throw invalid(LaunchApi.ASSEMBLY_TIMEOUT, text, "a time from 1s to 720h, for example 600 or 10m");
        }
        return read;
    }

    private static int ranks(@Nullable String text) throws InvalidAnnotationException {
        if (text == null) {
            return 1;
        }
        int read = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
        if (read < 1 || read > JobLimits.RANKS_PER_POD) {
            throw invalid(LaunchApi.RANKS_PER_POD, text, "a whole number from 1 to " + JobLimits.RANKS_PER_POD);
        }
        return read;
    }

    /** Whole groups are of whole pods, or within one. */
    private static int groupSize(Map<String, String> annotations) throws InvalidAnnotationException {
        String text = text(annotations, LaunchApi.GROUP_SIZE);
        if (text == null) {
            return 1;
        }
        int inPod = ranks(text(annotations, LaunchApi.RANKS_PER_POD));
        int read = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
        if (read < 1 || read % inPod != 0 && inPod % read != 0) {
            throw invalid(
                    LaunchApi.GROUP_SIZE,
                    text,
                    "a number of ranks that is a multiple or a divisor of " + LaunchApi.RANKS_PER_POD + ", which is "
                            + inPod);
        }
        if (read > 1
                && oneOf(RankOrder.class, LaunchApi.RANK_ORDER, text(annotations, LaunchApi.RANK_ORDER))
                        == RankOrder.index
                && annotations.containsKey(LaunchApi.RANK_ORDER)) {
            throw invalid(
                    LaunchApi.RANK_ORDER,
                    RankOrder.index.name(),
                    "topology, or leave it out: " + LaunchApi.GROUP_SIZE + " orders ranks by the fabric");
        }
        return read;
    }

    /** Of {@link LaunchApi#FABRIC}; empty where it is missing. */
    public static List<String> fabrics(Map<String, String> annotations) throws InvalidAnnotationException {
        String text = text(annotations, LaunchApi.FABRIC);
        if (text == null) {
            return List.of();
        }
        List<String> names = Stream.of(text.split(",", -1)).map(String::strip).toList();
        if (names.size() > JobMap.MOST_FABRICS
                || Set.copyOf(names).size() < names.size()
                || !names.stream().allMatch(name -> FABRIC_NAME.matcher(name).matches())) {
            throw invalid(
                    LaunchApi.FABRIC,
                    text,
                    "names of Fabrics, each once, with commas between them and at most " + JobMap.MOST_FABRICS
                            + ": kubectl get fabrics lists them");
        }
        return names;
    }

    /** Of {@link LaunchApi#QOS}. */
    private static Map<Channel, String> levels(Map<String, String> annotations) throws InvalidAnnotationException {
        String text = text(annotations, LaunchApi.QOS);
        if (text == null) {
            return Map.of();
        }
        Map<Channel, String> levels = new EnumMap<>(Channel.class);
        for (String word : text.split(",", -1)) {
            int equals = word.indexOf('=');
            String level = word.substring(equals + 1).strip();
            List<Channel> channels = List.of(Channel.values());
            if (equals >= 0) {
                String name = word.substring(0, equals).strip();
                channels = channels.stream()
                        .filter(each -> each.name().equals(name))
                        .toList();
            }
            boolean isNew = !channels.isEmpty() && channels.stream().noneMatch(levels::containsKey);
            if (!isNew || !LEVEL_NAME.matcher(level).matches()) {
                throw invalid(
                        LaunchApi.QOS,
                        text,
                        "the name of one level, or one for each channel, as in mpi=low-latency,nccl=bulk-data; channels are "
                                + Stream.of(Channel.values()).map(Channel::name).collect(Collectors.joining(", ")));
            }
            channels.forEach(channel -> levels.put(channel, level));
        }
        return Collections.unmodifiableMap(levels);
    }

    private static boolean isTrue(Map<String, String> annotations, String name, boolean otherwise)
            throws InvalidAnnotationException {
        String text = text(annotations, name);
        if (text == null) {
            return otherwise;
        }
        if (!text.equals("true") && !text.equals("false")) {
            throw invalid(name, text, "\"true\" or \"false\"");
        }
        return text.equals("true");
    }

    private static <E extends Enum<E>> E oneOf(Class<E> type, String name, @Nullable String text)
            throws InvalidAnnotationException {
        E[] values = type.getEnumConstants();
        if (text == null) {
            return values[0];
        }
        StringBuilder allowed = new StringBuilder();
        for (E value : values) {
            String word = value.name().toLowerCase(Locale.ROOT);
            if (word.equals(text)) {
                return value;
            }
            allowed.append(allowed.isEmpty() ? "" : " or ").append(word);
        }
        throw invalid(name, text, allowed.toString());
    }

    private static InvalidAnnotationException invalid(String name, String text, String wanted) {
        String shown = text.length() > 40 ? text.substring(0, 40) + "..." : text;
        return new InvalidAnnotationException("the annotation " + name + " is \"" + shown + "\": write " + wanted);
    }

    private static @Nullable String text(Map<String, String> annotations, String name) {
        String value = annotations.get(name);
        return value == null ? null : value.strip();
    }
}
