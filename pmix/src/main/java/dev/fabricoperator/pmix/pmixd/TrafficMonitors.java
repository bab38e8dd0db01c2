/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.RateLimitedLog;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.TrafficEvent;
import dev.fabricoperator.pmix.server.TrafficMonitor;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import java.util.ArrayList;
import java.util.List;

/** Processes of this pod that are told what their job sends: its ranks, and tools of their user. On the loop. */
final class TrafficMonitors {
    /** Of all processes of the pod together. */
    static final int MOST = 16;

    /** A look may come so much too early. */
    private static final long EARLY_MILLIS = 100;

    private final PmixServer pmix;
    private final JobMap map;
    private final int self;
    private final RateLimitedLog log = new RateLimitedLog();
    private final List<Monitor> all = new ArrayList<>();

    private static final class Monitor {
        private final Proc proc;
        private final TrafficMonitor wanted;
        private long dueMillis = Long.MIN_VALUE;

        Monitor(Proc proc, TrafficMonitor wanted) {
            this.proc = proc;
            this.wanted = wanted;
        }
    }

    /**
     * @param map as this pod's ranks know the job
     * @param self index of this pod in it
     */
    TrafficMonitors(PmixServer pmix, JobMap map, int self) {
        this.pmix = pmix;
        this.map = map;
        this.self = self;
    }

    /** @return false where there are too many */
    boolean begin(Proc proc, TrafficMonitor wanted) {
        all.removeIf(each -> each.proc.equals(proc) && each.wanted.id().equals(wanted.id()));
        forgetGone();
        if (all.size() >= MOST) {
            log.line(nameOf(proc) + ": PMIx_Process_monitor: " + MOST + " are the most in a pod; cancel another one");
            return false;
        }
        all.add(new Monitor(proc, wanted));
        return true;
    }

    /** @param id empty for all of that process */
    void cancel(Proc proc, String id) {
        all.removeIf(each ->
                each.proc.equals(proc) && (id.isEmpty() || each.wanted.id().equals(id)));
    }

    /** Whether nobody is there any more who is to be told. */
    boolean isEmpty() {
        forgetGone();
        return all.isEmpty();
    }

    private void forgetGone() {
        all.removeIf(each -> {
            boolean gone = !pmix.isConnected(each.proc);
            if (gone) {
                log.line(nameOf(each.proc) + " has gone and is told no more what the job sends");
            }
            return gone;
        });
    }

    /** @param known of this pod and those below it */
    void report(TrafficReport known, long nowMillis) {
        if (known.pods().isEmpty()) {
            return;
        }
        for (Monitor each : List.copyOf(all)) {
            if (nowMillis < each.dueMillis) {
                continue;
            }
            each.dueMillis = nowMillis + each.wanted.seconds() * 1_000L - EARLY_MILLIS;
            try {
                pmix.notifyTraffic(eventFor(each, known));
            } catch (PmixException e) {
                log.line(nameOf(each.proc) + " is not told what the job sends: " + e.getMessage());
            }
        }
    }

    private TrafficEvent eventFor(Monitor monitor, TrafficReport known) {
        long sent = 0;
        long received = 0;
        boolean devicesKnown = false;
        List<DeviceTraffic> own = List.of();
        long millis = 0;
        for (TrafficReport.Pod pod : known.pods()) {
            for (DeviceTraffic device : pod.devices()) {
                devicesKnown = true;
                sent = TrafficReport.plus(sent, device.sent());
                received = TrafficReport.plus(received, device.received());
            }
            own = pod.index() == self ? pod.devices() : own;
            millis = Math.max(millis, pod.millis());
        }
        long tcp = known.bytesLeftOut();
        for (TrafficReport.Pair pair : known.pairs()) {
            tcp = TrafficReport.plus(tcp, pair.bytes());
        }
        int pods = known.pods().size();
        JobPod here = map.pods().get(self);
        boolean ownAlone = pods == 1 && known.pods().getFirst().index() == self;
        String text = (pods == 1 ? "1 pod has" : pods + " pods have")
                + (devicesKnown ? " sent " + sent + " bytes and received " + received + ", and" : "") + " sent " + tcp
                + " bytes over TCP to other pods, in " + millis / 1_000 + " s";
        return new TrafficEvent(
                monitor.proc,
                monitor.wanted,
                new Proc(map.nspace(), ownAlone ? here.firstRank() : Proc.WILDCARD),
                ownAlone ? here.rankCount() : 1,
                pods,
                devicesKnown,
                sent,
                received,
                tcp,
                own,
                text);
    }

    private String nameOf(Proc proc) {
        return proc.nspace().equals(map.nspace()) ? "rank " + proc.rank() : "tool " + proc.nspace();
    }
}
