/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.protocol.job.JobLimits;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.RunRequest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** How many ranks of one run of mpirun each worker gets: worker after worker, as many as it has slots, as {@code --map-by slot} does. */
public final class RunRanks {
    private RunRanks() {}

    /** Why the workers cannot have the ranks that a pod asks for, in mpirun's words, {@code null} where they can, or where it asks for none. */
    public static @Nullable String refusal(DirectJob job, PodReport report) {
        RunRequest run = report.run();
        if (run == null || job.refusal() != null) {
            return null;
        }
        DirectJob.App workers = job.apps().getLast();
        int slots = workers.ranksPerPod();
        int perPod = run.ranksPerPod() == 0 ? slots : run.ranksPerPod();
        long most = (long) perPod * workers.pods();
        long asked = run.ranks() == 0 ? most : run.ranks();
        if (run.ranksPerPod() > 0 && asked > most) {
            return asked + " ranks do not fit into " + workers.pods() + " workers with " + perPod + " each";
        }
        if (!run.oversubscribe() && (perPod > slots || asked > most)) {
            return "there are not enough slots available: mpirun asks for " + asked + " ranks"
                    + (perPod > slots ? ", " + perPod + " in each worker" : "") + ", and " + workers.pods()
                    + " workers have " + slots + " slots each; raise spec.slotsPerWorker, or use --oversubscribe";
        }
        return (asked + workers.pods() - 1) / workers.pods() > JobLimits.RANKS_PER_POD
                        || perPod > JobLimits.RANKS_PER_POD
                ? asked + " ranks are more than " + JobLimits.RANKS_PER_POD + " in a worker"
                : null;
    }

    /** By worker, in the order in which they are filled; of a run that is not refused. */
    public static int[] of(RunRequest run, int workers, int slots) {
        int perPod = run.ranksPerPod() == 0 ? slots : run.ranksPerPod();
        int left = run.ranks() == 0 ? perPod * workers : run.ranks();
        int[] ranks = new int[workers];
        for (int i = 0; i < workers && left > 0; i++) {
            ranks[i] = Math.min(perPod, left);
            left -= ranks[i];
        }
        // With --oversubscribe: what is left goes to all of them alike.
        if (left > 0) {
            int each = left / workers;
            int more = left % workers;
            Arrays.setAll(ranks, i -> ranks[i] + each + (i < more ? 1 : 0));
        }
        return ranks;
    }
}
