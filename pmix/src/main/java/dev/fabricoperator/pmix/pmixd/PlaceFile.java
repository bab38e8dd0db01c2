/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where the ranks of a pod are, and what reaching the others costs, as a file that programs read which know no PMIx. A reader finds all of one generation:
 * another one takes its place by a rename.
 *
 * @see "docs/library-variables.md, place.json"
 */
final class PlaceFile {
    static final String NAME = "place.json";

    /** Ranks of a job up to which the file tells of each. */
    static final int MOST_PEERS = 4096;

    private static final int UNREACHABLE = 65_535;

    private final JobMap map;
    private final JobPod own;
    private final Map<String, Integer> groupOfPod;

    /** @param map as the pod's ranks know the job */
    private PlaceFile(JobMap map, int self) {
        this.map = map;
        this.own = map.pods().get(self);
        this.groupOfPod = map.fabric() == null ? Map.of() : groups(map.fabric());
    }

    /** Where it cannot be written a line in the log says so, and the job runs. */
    static void write(Path directory, JobMap map, int self) {
        Path next = directory.resolve('.' + NAME);
        try {
            // Ranks may write to the directory, and whatever they have put there is not followed.
            Files.deleteIfExists(next);
            try (Writer out = Files.newBufferedWriter(
                    next, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                new PlaceFile(map, self).write(out);
            }
            Files.move(next, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Log.line("no " + NAME + " for the ranks: " + e);
        }
    }

    private void write(Writer out) throws IOException {
        out.write("{\"schemaVersion\":1,\"job\":" + text(map.nspace()) + ",\"attempt\":" + map.attempt() + ",\"size\":"
                + map.size() + ",\"ranks\":[");
        for (int rank = 0; rank < own.rankCount(); rank++) {
            out.write((rank == 0 ? "" : ",") + (own.firstRank() + rank));
        }
        out.write("],\"pod\":" + text(own.name()) + ",\"node\":" + text(own.host()) + ",\"fabrics\":[");
        List<JobFabric> fabrics = map.fabrics();
        for (int i = 0; i < fabrics.size(); i++) {
            out.write((i == 0 ? "" : ",\n") + fabric(fabrics.get(i), i));
        }
        out.write("]");
        if (map.size() > MOST_PEERS) {
            out.write(",\"peersLeftOut\":\"the job has more than " + MOST_PEERS + " ranks\"}\n");
            return;
        }
        out.write(",\"peers\":[");
        boolean first = true;
        for (JobPod pod : map.pods()) {
            String place = ",\"node\":" + text(pod.host()) + ",\"switch\":" + text(switchOf(pod, 0)) + ",\"group\":"
                    + groupOfPod.get(pod.name()) + ",\"cost\":" + cost(pod) + "}";
            for (int rank = pod.firstRank(); rank < pod.firstRank() + pod.rankCount(); rank++) {
                out.write((first ? "\n" : ",\n") + "{\"rank\":" + rank + place);
                first = false;
            }
        }
        out.write("]}\n");
    }

    private String fabric(JobFabric fabric, int position) {
        List<JobDevice> devices = own.devices().stream()
                .filter(device -> device.fabric() == position)
                .toList();
        TreeSet<String> planes = new TreeSet<>();
        devices.forEach(device -> {
            if (device.plane() != null) {
                planes.add(device.plane());
            }
        });
        return "{\"name\":" + text(fabric.name()) + ",\"kind\":" + text(fabric.kind()) + ",\"generation\":"
                + fabric.generation() + ",\"switch\":"
                + text(switchOf(own, position)) + ",\"group\":" + groups(fabric).get(own.name()) + ",\"planes\":["
                + planes.stream().map(PlaceFile::text).collect(Collectors.joining(",")) + "],\"devices\":["
                + devices.stream().map(PlaceFile::device).collect(Collectors.joining(",")) + "]}";
    }

    private static String device(JobDevice device) {
        return "{\"name\":" + text(device.osName()) + ",\"plane\":" + text(device.plane()) + ",\"switch\":"
                + text(device.switchId()) + ",\"coordinates\":"
                + Arrays.toString(device.logical()).replace(" ", "") + "}";
    }

    /** That of the nearest of the pod's devices in the fabric, {@code null} where none is known. */
    private static @Nullable String switchOf(JobPod pod, int fabric) {
        return pod.devices().stream()
                .filter(device -> device.fabric() == fabric && device.switchId() != null)
                .map(JobDevice::switchId)
                .findFirst()
                .orElse(null);
    }

    /** Of the cheapest pair of devices in any fabric of the job; 0 on one host. */
    private String cost(JobPod pod) {
        if (pod.host().equals(own.host())) {
            return "0";
        }
        int least = UNREACHABLE;
        for (JobDevice from : own.devices()) {
            for (JobDevice to : pod.devices()) {
                if (from.fabric() >= 0 && from.fabric() == to.fabric() && from.index() >= 0 && to.index() >= 0) {
                    JobFabric fabric = map.fabrics().get(from.fabric());
                    short[] costs = fabric.costs();
                    if (costs != null) {
                        least = Math.min(
                                least, Short.toUnsignedInt(costs[from.index() * fabric.devices() + to.index()]));
                    }
                }
            }
        }
        return least == UNREACHABLE ? "null" : Integer.toString(least);
    }

    /** By pod, of {@code 0:pod-a,pod-b;1:pod-c}. */
    private static Map<String, Integer> groups(JobFabric fabric) {
        Map<String, Integer> groups = new HashMap<>();
        for (String group : fabric.groups().split(";")) {
            int colon = group.indexOf(':');
            if (colon > 0 && group.substring(0, colon).matches("[0-9]{1,9}")) {
                for (String pod : group.substring(colon + 1).split(",")) {
                    groups.put(pod, Integer.valueOf(group.substring(0, colon)));
                }
            }
        }
        return groups;
    }

    /** As JSON writes it. */
    private static String text(@Nullable String value) {
        if (value == null) {
            return "null";
        }
        StringBuilder json = new StringBuilder("\"");
        for (char each : value.toCharArray()) {
            if (each == '"' || each == '\\') {
                json.append('\\').append(each);
            } else if (each < ' ') {
                json.append(String.format("\\u%04x", (int) each));
            } else {
                json.append(each);
            }
        }
        return json.append('"').toString();
    }
}
