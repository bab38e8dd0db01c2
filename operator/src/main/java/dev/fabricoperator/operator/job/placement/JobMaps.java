/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.job.placement;

import dev.fabricoperator.operator.job.assembly.Joined;
import dev.fabricoperator.operator.job.owner.JobFacts;
import dev.fabricoperator.pmix.DeviceTypeBits;
import dev.fabricoperator.pmix.job.JobApp;
import dev.fabricoperator.pmix.job.JobDevice;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.job.JobPod;
import dev.fabricoperator.pmix.job.PodReport;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** Makes the map of an attempt of what its pods reported and of what is known of their nodes' devices. */
public final class JobMaps {
    private static final int KEY_BYTES = 32;
    private static final int UNKNOWN_DISTANCE = 65535;

    private final SecureRandom random = new SecureRandom();

    /** @param pods by ordinal, all of the job */
    public JobMap map(JobFacts facts, int attempt, List<Joined> pods) {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        List<JobApp> apps = new ArrayList<>();
        for (JobFacts.App app : facts.apps()) {
            apps.add(new JobApp(apps.size(), app.name(), app.pods() * app.ranksPerPod()));
        }
        List<JobPod> mapped = new ArrayList<>(pods.size());
        int rank = 0;
        for (Joined joined : pods) {
            PodReport report = joined.report();
            mapped.add(new JobPod(
                    joined.pod().name(),
                    joined.pod().nodeName(),
                    facts.appOf(joined.pod().ordinal()),
                    rank,
                    report.ranks(),
                    report.address(),
                    report.port(),
                    report.cpuset(),
                    report.devices().stream()
                            .map(device -> bare(joined.pod().name(), device))
                            .toList()));
            rank += report.ranks();
        }
        return new JobMap(facts.nspace(attempt), attempt, key, apps, mapped, null);
    }

    /** A device of which no agent has told anything. */
    private static JobDevice bare(String pod, PodReport.OpenDevice device) {
        boolean network = device.nodeGuid() == null;
        String id =
                device.macAddress() != null && network ? "ipv4://" + device.macAddress() : device.osName() + "@" + pod;
        return new JobDevice(
                id,
                device.osName(),
                network ? DeviceTypeBits.PMIX_DEVTYPE_NETWORK : DeviceTypeBits.PMIX_DEVTYPE_OPENFABRICS,
                List.of(),
                -1,
                null,
                null,
                new int[0],
                new int[0],
                UNKNOWN_DISTANCE,
                UNKNOWN_DISTANCE,
                device.endpoint());
    }
}
