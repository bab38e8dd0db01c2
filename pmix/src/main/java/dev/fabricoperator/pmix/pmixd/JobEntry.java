/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.pmixd.service.JobServiceThread;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.PodReport;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How this pod comes to the map of an attempt: from the job service, or by a ticket from another pod. On the loop. */
final class JobEntry implements JobServiceThread.Listener, AwaitedMap.Listener {
    private static final long SERVICE_GRACE_SECONDS = 30;

    /** What comes of it. */
    interface Listener {
        /**
         * @param encoded the map as it came
         * @param awaited connections that were begun before it came, {@code null} for none
         */
        void joined(JobMap map, byte[] encoded, @Nullable AwaitedMap awaited);

        /** The job will not become whole. */
        void refused(int exitCode, String text);

        /** Nobody has answered yet. */
        void unanswered(String sentence);

        /** A newer attempt than this one is wanted. */
        void newerWanted(int attempt);

        /** Of the fabric of this attempt. */
        void fabricChanged(int attempt, JobFabricUpdate update);
    }

    private final EventLoop loop;
    private final String podName;
    private final MeshPort meshPort;
    private final JobServiceThread service;
    private final long patienceMillis;
    private final long unreachableMillis;
    private final Listener listener;
    private @Nullable PodReport report;
    private @Nullable AwaitedMap awaited;

    /** @param unreachableMillis how long other pods may be unreachable */
    JobEntry(EventLoop loop, PodSettings settings, MeshPort meshPort, long unreachableMillis, Listener listener) {
        this.loop = loop;
        this.podName = settings.podName();
        this.meshPort = meshPort;
        // A worker waits for mpirun, however late that is.
        this.patienceMillis =
                settings.servesRuns() ? Long.MAX_VALUE : (settings.assemblySeconds() + SERVICE_GRACE_SECONDS) * 1000;
        this.unreachableMillis = unreachableMillis;
        this.listener = listener;
        this.service = new JobServiceThread(loop, settings.service(), this);
        service.start();
    }

    /** For what is said of an attempt later. */
    JobServiceThread service() {
        return service;
    }

    void join(PodReport newReport) {
        report = newReport;
        service.join(newReport, false, patienceMillis);
    }

    /** The same pod, for the attempt after this one. */
    void joinAfter(int attempt) {
        PodReport last = report;
        if (last != null) {
            join(last.after(attempt));
        }
    }

    @Override
    public void ticketed(JobTicket ticket) {
        AwaitedMap waiting = new AwaitedMap(loop, meshPort, ticket, unreachableMillis, this);
        awaited = waiting;
        waiting.start();
    }

    @Override
    public void notHanded(JobTicket ticket) {
        service.join(Objects.requireNonNull(report), true, patienceMillis);
    }

    @Override
    public void handed(JobMap map, byte[] encoded) {
        joined(map, encoded);
    }

    @Override
    public void joined(JobMap map, byte[] encoded) {
        AwaitedMap waited = awaited;
        awaited = null;
        if (waited != null && !waited.fits(map, map.indexOf(podName))) {
            waited.close();
            waited = null;
        }
        listener.joined(map, encoded, waited);
    }

    @Override
    public void refused(int exitCode, String text) {
        listener.refused(exitCode, text);
    }

    @Override
    public void unanswered(String sentence) {
        listener.unanswered(sentence);
    }

    @Override
    public void newerWanted(int attempt) {
        listener.newerWanted(attempt);
    }

    @Override
    public void fabricChanged(int attempt, JobFabricUpdate update) {
        listener.fabricChanged(attempt, update);
    }
}
