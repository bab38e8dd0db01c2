/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What should be published after a look at the host: a pure function of that look and of what is published.
 *
 * <p>A field whose file could not be read keeps its last good value, and the file is named in {@code readErrors} with
 * the time of its first failure. A device that is not seen keeps its whole object, unless the look was complete and
 * free of errors: only then is it gone.
 *
 * @param specs {@code spec} by object name
 * @param gone names of objects to delete
 */
record PublishPlan(SortedMap<String, Map<String, Object>> specs, SortedSet<String> gone) {

    private static final int MAXIMUM_READ_ERRORS = 8;
    /** Who says them remembers by itself what cannot be read. */
    private static final Set<String> NEVER_RESTORED = Set.of("readErrors", "impairments");

    /**
     * The plan after a look at the host.
     *
     * @param lastGood {@code spec} of this node's objects as published, by name
     * @param unread fields that nobody could be asked for, of any device: their last good values stay
     * @param now time of the look
     */
    static PublishPlan of(
            DiscoveryResult look,
            String nodeName,
            Set<String> unread,
            Map<String, Map<String, Object>> lastGood,
            Instant now) {
        String since = now.truncatedTo(ChronoUnit.SECONDS).toString();
        SortedMap<String, Map<String, Object>> specs = new TreeMap<>();
        for (Device device : look.devices()) {
            String name = ObjectNames.device(nodeName, device.osName(), device.port());
            if (specs.containsKey(name)) {
                name = ObjectNames.deviceBesideItsTwin(nodeName, device.osName(), device.port());
            }
            Map<String, Object> last = lastGood.getOrDefault(name, Map.of());
            Map<String, Object> spec = spec(device, look.errors(), nodeName, last, since);
            unread.forEach(field -> restore(spec, field, last));
            specs.put(name, spec);
        }
        SortedSet<String> gone = new TreeSet<>();
        lastGood.forEach((name, last) -> {
            if (specs.containsKey(name)) {
                return;
            }
            if (look.errorFree()) {
                gone.add(name);
            } else {
                specs.put(name, unseen(last, look, since));
            }
        });
        return new PublishPlan(specs, gone);
    }

    private static Map<String, Object> spec(
            Device device, List<ReadError> hostErrors, String nodeName, Map<String, Object> last, String since) {
        SortedSet<ReadError> errors = new TreeSet<>(device.readErrors());
        errors.addAll(hostErrors);
        List<ReadError> kept = errors.stream().limit(MAXIMUM_READ_ERRORS).toList();
        Map<String, String> failing = failingSince(last);
        Map<String, Object> spec = SpecTree.of(DeviceMapper.toSpec(
                nodeName,
                DeviceBuilder.builder(device).readErrors(kept).build(),
                error -> failing.getOrDefault(error.file(), since)));
        boolean moreThanNamed =
                device.readErrors().size() >= MAXIMUM_READ_ERRORS || hostErrors.size() >= MAXIMUM_READ_ERRORS;
        for (String field : affected(errors)) {
            restore(spec, field, last);
        }
        if (moreThanNamed) {
            // Errors beyond the bound have no name here: whatever is missing may be due to one of them.
            for (String field : last.keySet()) {
                if (!spec.containsKey(field)) {
                    restore(spec, field, last);
                }
            }
        }
        return spec;
    }

    private static void restore(Map<String, Object> spec, String field, Map<String, Object> last) {
        Object value = last.get(field);
        if (value != null && !NEVER_RESTORED.contains(field)) {
            spec.put(field, value);
        }
    }

    private static Set<String> affected(Collection<ReadError> errors) {
        Set<String> fields = new HashSet<>();
        errors.forEach(error -> fields.addAll(AffectedFields.of(error.file())));
        return fields;
    }

    /** The object of a device that an incomplete look did not find stays; it says what could not be read. */
    private static Map<String, Object> unseen(Map<String, Object> last, DiscoveryResult look, String since) {
        if (look.complete()) {
            return last;
        }
        Map<String, String> failing = failingSince(last);
        Map<String, Object> spec = new LinkedHashMap<>(last);
        spec.put(
                "readErrors",
                look.errors().stream()
                        .limit(MAXIMUM_READ_ERRORS)
                        .<Object>map(error -> Map.of(
                                "file", error.file(),
                                "reason", error.reason(),
                                "since", failing.getOrDefault(error.file(), since)))
                        .toList());
        return spec;
    }

    private static Map<String, String> failingSince(Map<String, Object> last) {
        Map<String, String> failing = new HashMap<>();
        for (Map<String, Object> error : Json.objects(last, "readErrors")) {
            String file = Json.string(error, "file");
            String since = Json.string(error, "since");
            if (file != null && since != null) {
                failing.put(file, since);
            }
        }
        return failing;
    }
}
