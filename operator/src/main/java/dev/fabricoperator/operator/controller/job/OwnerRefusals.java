/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.job;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * FabricJobs whose owners the API server lets nobody read, by kind of owner: what lasts is told once a kind. An owner that can be read says nothing of another one, which a rule for names or
 * namespaces may keep from being read.
 */
final class OwnerRefusals {
    private final long lastsNanos;
    private final Map<String, Kind> kinds = new HashMap<>();

    private static final class Kind {
        private final long sinceNanos;
        private final Set<String> jobs = new HashSet<>();
        private boolean isTold;

        Kind(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    /** @param lasts longer than this, and it is told */
    OwnerRefusals(Duration lasts) {
        lastsNanos = lasts.toNanos();
    }

    /**
     * The owner of a job was refused.
     *
     * @return whether that is to be told now: once while owners of this kind are refused
     */
    synchronized boolean isToTell(String kind, String job, long nowNanos) {
        Kind refused = kinds.computeIfAbsent(kind, k -> new Kind(nowNanos));
        refused.jobs.add(job);
        boolean isToTell = !refused.isTold && nowNanos - refused.sinceNanos > lastsNanos;
        refused.isTold |= isToTell;
        return isToTell;
    }

    /** The owner of a job was read, or the job needs none any more. */
    synchronized void remove(String job) {
        kinds.values().removeIf(kind -> kind.jobs.remove(job) && kind.jobs.isEmpty());
    }
}
