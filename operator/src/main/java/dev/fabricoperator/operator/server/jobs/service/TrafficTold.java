/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes of the report that the first pod of a job tells what people are told: pods by name and node, as far as nothing says that they are another job's. Nothing is read from the API server. */
final class TrafficTold {
    private static final int UNKNOWN = -1;
    private static final double MILLIS_OF_SECOND = 1_000;

    private final HeldMaps.Pods pods;
    private final Clock clock;

    TrafficTold(HeldMaps.Pods pods, Clock clock) {
        this.pods = pods;
        this.clock = clock;
    }

    /**
     * O(pods and pairs).
     *
     * @param name of the FabricJob
     * @param first who tells it
     * @throws JobRefusedException for a report that cannot be read, or of other pods than the job's
     */
    JobTrafficAnswer read(DirectJob job, String name, JobPodId first, int attempt, byte[] body)
            throws JobRefusedException {
        TrafficReport report;
        try {
            report = TrafficReportCodec.decode(body, job.pods());
        } catch (JobCodecException e) {
            throw JobRefusedException.of(400, String.valueOf(e.getMessage()));
        }
        List<String> names = report.names();
        if (names.isEmpty() || !names.getFirst().equals(first.name())) {
            throw JobRefusedException.of(409, "pod " + first.name() + " is not the first one of the report's job");
        }
        List<@Nullable JobPodId> known = known(job, names);
        List<@Nullable String> ranks = ranks(job, known);
        String asOf = clock.instant().truncatedTo(ChronoUnit.MILLIS).toString();
        long sent = 0;
        long received = 0;
        boolean counted = false;
        double seconds = 0;
        List<JobTrafficAnswer.Pod> told = new ArrayList<>();
        for (TrafficReport.Pod pod : report.pods()) {
            JobPodId id = known.get(pod.index());
            if (id != null) {
                double ofPod = pod.millis() / MILLIS_OF_SECOND;
                told.add(new JobTrafficAnswer.Pod(
                        id.name(),
                        id.nodeName(),
                        ranks.get(pod.index()),
                        ofPod,
                        asOf,
                        pod.connectionsKnown(),
                        pod.connectionsMissed(),
                        pod.devices().stream().map(TrafficTold::device).toList()));
                seconds = Math.max(seconds, ofPod);
                for (TrafficReport.DeviceTraffic device : pod.devices()) {
                    sent = TrafficReport.plus(sent, device.sent());
                    received = TrafficReport.plus(received, device.received());
                    counted = true;
                }
            }
        }
        long leftOut = report.pairsLeftOut();
        long bytesLeftOut = report.bytesLeftOut();
        long retransmits = 0;
        List<JobTrafficAnswer.Pair> pairs = new ArrayList<>();
        for (TrafficReport.Pair pair : report.pairs()) {
            JobPodId from = known.get(pair.from());
            JobPodId to = known.get(pair.to());
            if (from == null || to == null) {
                leftOut = TrafficReport.plus(leftOut, 1);
                bytesLeftOut = TrafficReport.plus(bytesLeftOut, pair.bytes());
            } else {
                retransmits = TrafficReport.plus(retransmits, pair.retransmits());
                pairs.add(new JobTrafficAnswer.Pair(
                        from.name(),
                        to.name(),
                        pair.bytes(),
                        pair.retransmits(),
                        pair.rttMicroseconds() == 0 ? null : pair.rttMicroseconds()));
            }
        }
        return new JobTrafficAnswer(
                job.namespace(),
                name,
                attempt,
                seconds,
                asOf,
                counted ? sent : null,
                counted ? received : null,
                retransmits,
                names.size() - told.size(),
                told,
                pairs,
                leftOut,
                bytesLeftOut,
                report.devicesLeftOut(),
                null,
                null,
                null);
    }

    /** By index; {@code null} for one that is gone by now, or is none of the job's. */
    private List<@Nullable JobPodId> known(DirectJob job, List<String> names) throws JobRefusedException {
        List<@Nullable JobPodId> known = new ArrayList<>(names.size());
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (!seen.add(name)) {
                throw JobRefusedException.of(409, "the report of traffic has a pod twice");
            }
            known.add(pods.find(job, name));
        }
        return known;
    }

    /**
     * Numbers of ranks by index: pods stand in the order of the map, which numbers them one after the other. {@code null} where a pod has none, behind one
     * of which nobody knows how many it has, and in a run of mpirun, which shares ranks out itself.
     */
    private static List<@Nullable String> ranks(DirectJob job, List<@Nullable JobPodId> pods) {
        int[] perPod = job.apps().stream()
                .mapToInt(DirectJob.App::ranksPerPod)
                .distinct()
                .toArray();
        List<@Nullable String> ranks = new ArrayList<>(pods.size());
        int next = job.isRunByMpirun() ? UNKNOWN : 0;
        for (JobPodId pod : pods) {
            int count = perPod.length == 1
                    ? perPod[0]
                    : pod == null
                            ? UNKNOWN
                            : job.apps().get(job.appOf(pod.ordinal())).ranksPerPod();
            boolean isKnown = next != UNKNOWN && count != UNKNOWN;
            ranks.add(!isKnown || count == 0 ? null : count == 1 ? "" + next : next + "-" + (next + count - 1));
            next = isKnown ? next + count : UNKNOWN;
        }
        return ranks;
    }

    private static JobTrafficAnswer.Device device(TrafficReport.DeviceTraffic device) {
        return new JobTrafficAnswer.Device(
                device.name(),
                device.deviceId().isEmpty() ? null : device.deviceId(),
                device.sent(),
                device.received(),
                device.basis().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
}
