/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import dev.fabricoperator.pmix.job.JobNames;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a job says of it. Read once per job.
 *
 * @param apps those whose pods are launched directly, in the order of the owner's spec: position is PMIX_APPNUM
 * @param refusal why it cannot be launched and what to change, {@code null} where it can
 */
public record JobFacts(
        String namespace,
        OwnerRef owner,
        List<App> apps,
        Duration assemblyTimeout,
        RankOrder rankOrder,
        @Nullable String refusal) {
    /**
     * One PMIx app.
     *
     * @param jobs how many Jobs it has
     * @param podsPerJob completions of each
     */
    public record App(String name, int jobs, int podsPerJob, int ranksPerPod) {
        public int pods() {
            return jobs * podsPerJob;
        }
    }

    public JobFacts {
        apps = List.copyOf(apps);
    }

    public int pods() {
        return apps.stream().mapToInt(App::pods).sum();
    }

    /** PMIX_JOB_SIZE. */
    public int ranks() {
        return apps.stream().mapToInt(app -> app.pods() * app.ranksPerPod()).sum();
    }

    /** PMIX_APPNUM of a pod by its ordinal. */
    public int appOf(int ordinal) {
        int rest = ordinal;
        for (int app = 0; app < apps.size(); app++) {
            if (rest < apps.get(app).pods()) {
                return app;
            }
            rest -= apps.get(app).pods();
        }
        throw new IllegalArgumentException("no pod has ordinal " + ordinal);
    }

    /** Position among the pods of the job in their order by app, Job and completion index; -1 for a place that does not exist. */
    public int ordinal(Claim claim) {
        int before = 0;
        for (App app : apps) {
            if (claim.app() == null || claim.app().equals(app.name())) {
                boolean exists = claim.jobIndex() >= 0
                        && claim.jobIndex() < app.jobs()
                        && claim.podIndex() >= 0
                        && claim.podIndex() < app.podsPerJob();
                return exists ? before + claim.jobIndex() * app.podsPerJob() + claim.podIndex() : -1;
            }
            before += app.pods();
        }
        return -1;
    }

    /** How a person finds the pod of an ordinal: {@code index 3}, or {@code workers job 1 index 3}. */
    public String words(int ordinal) {
        int number = appOf(ordinal);
        App app = apps.get(number);
        int at = ordinal - apps.subList(0, number).stream().mapToInt(App::pods).sum();
        String index = "index " + at % app.podsPerJob();
        String job = app.jobs() > 1 ? "job " + at / app.podsPerJob() + " " : "";
        return (apps.size() > 1 ? app.name() + " " : "") + job + index;
    }

    /** PMIX_NSPACE of an attempt. */
    public String nspace(int attempt) {
        return JobNames.nspace(namespace, owner.name(), owner.uid(), attempt);
    }
}
