/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.map.MapWriter;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which ranks have a device on which switch, and of whose devices the library is told so. It copies the list for each device of each rank, for
 * itself and into every process of the job: among ranks of one leaf that is the square of their number, 80 MB for 4,096 of them. So
 * beyond {@link #MOST_BYTES} for all ranks only those of the server's own pod get it, and beyond that for these nobody.
 */
final class SwitchPeers {
    static final long MOST_BYTES = 4 << 20;
    /** A device's value, and the three that it consists of. */
    private static final int INFOS_OF_A_DEVICE = 4;

    private final Map<String, String> ranksOfSwitch = new HashMap<>();
    private final Predicate<JobPod> registered;

    /** @param self index of the pod whose ranks are served */
    SwitchPeers(List<JobPod> pods, int self) {
        Map<String, StringBuilder> lists = new HashMap<>();
        for (JobPod pod : pods) {
            for (JobDevice device : pod.devices()) {
                if (device.switchId() != null) {
                    add(pod, lists.computeIfAbsent(device.switchId(), id -> new StringBuilder()));
                }
            }
        }
        lists.forEach((id, list) -> ranksOfSwitch.put(id, list.toString()));
        JobPod own = pods.get(self);
        ToLongFunction<JobPod> bytes = this::bytes;
        if (pods.stream().mapToLong(bytes).sum() <= MOST_BYTES) {
            registered = pod -> true;
        } else {
            boolean fits = bytes(own) <= MOST_BYTES;
            registered = pod -> fits && pod.firstRank() == own.firstRank();
        }
    }

    /** A pod with two devices on one switch is named once: pods come in rank order, so it would be the last. */
    private static void add(JobPod pod, StringBuilder list) {
        if (!endsWithRank(list, pod.firstRank() + pod.rankCount() - 1)) {
            if (!list.isEmpty()) {
                list.append(',');
            }
            MapWriter.appendRanks(list, pod.firstRank(), pod.rankCount());
        }
    }

    private static boolean endsWithRank(StringBuilder list, int rank) {
        String last = Integer.toString(rank);
        int at = list.length() - last.length();
        return at >= 0 && list.indexOf(last, at) == at && (at == 0 || list.charAt(at - 1) == ',');
    }

    /** Of one copy of what all ranks of a pod would get. */
    private long bytes(JobPod pod) {
        long ofARank = 0;
        for (JobDevice device : pod.devices()) {
            String ranks = ranks(device);
            ofARank += ranks == null ? 0 : ranks.length() + INFOS_OF_A_DEVICE * Layout.INFO_SIZE;
        }
        return ofARank * pod.rankCount();
    }

    /** Whether the library is told of the peers of this pod's ranks. */
    boolean isTold(JobPod pod) {
        return registered.test(pod);
    }

    /** Every rank whose pod has a device on the same switch, ascending, with commas between; {@code null} where no switch is known. */
    @Nullable
    String ranks(JobDevice device) {
        return device.switchId() == null ? null : ranksOfSwitch.get(device.switchId());
    }
}
