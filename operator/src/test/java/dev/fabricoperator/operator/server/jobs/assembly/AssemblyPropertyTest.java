/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Pods that push, watch, die, are replaced and restart their containers in any order, while the replica loses its memory now and
 * then.
 */
class AssemblyPropertyTest {
    private static final int PODS = 4;
    private static final int STEPS = 120;

    /** What a pod's pmixd knows. */
    private static final class Pod {
        int generation;
        int launcher;
        /** Highest attempt that it was part of. */
        int after = -1;
        /** The attempt that it runs, -1 while it wants to join. */
        int running = -1;

        byte[] map = new byte[0];
    }

    @Property(tries = 300)
    void podsOfOneAttemptHaveOneMapAndInTheEndAllAreInTheSame(@ForAll long seed) {
        Random random = new Random(seed);
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        Pod[] pods = new Pod[PODS];
        Arrays.setAll(pods, i -> new Pod());
        Assembly[] assembly = {fresh(null)};
        for (int step = 0; step < STEPS; step++) {
            Pod pod = pods[random.nextInt(PODS)];
            switch (random.nextInt(12)) {
                case 0 -> {
                    assembly[0].gone(AssemblyTest.pod(Arrays.asList(pods).indexOf(pod), pod.generation));
                    pod.generation++;
                    pod.launcher++;
                    pod.after = -1;
                    pod.running = -1;
                }
                case 1 -> {
                    pod.launcher++;
                    pod.after = -1;
                    pod.running = -1;
                }
                case 2 -> {
                    Progress seen = assembly[0].progress();
                    assembly[0] = fresh(
                            random.nextBoolean()
                                    ? new Assembly.StoredAttempt(seen.attempt(), seen.phase(), seen.waitingSince())
                                    : null);
                }
                default -> push(assembly[0], pods, Arrays.asList(pods).indexOf(pod), now);
            }
        }
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < PODS; i++) {
                push(assembly[0], pods, i, now);
            }
        }
        assertThat(assembly[0].progress().phase()).isEqualTo(JobPhase.Running);
        int attempt = assembly[0].progress().attempt();
        assertThat(pods).allSatisfy(pod -> assertThat(pod.running).isEqualTo(attempt));
        assertThat(pods).allSatisfy(pod -> assertThat(pod.map).isEqualTo(pods[0].map));
    }

    /** One request of a pmixd: to join, or to watch. */
    private static void push(Assembly assembly, Pod[] pods, int ordinal, Instant now) {
        Pod pod = pods[ordinal];
        JobPodId id = AssemblyTest.pod(ordinal, pod.generation);
        if (pod.running >= 0) {
            if (assembly.isOutdated(id, pod.running)) {
                pod.running = -1;
            }
            return;
        }
        Reply reply = assembly.join(id, AssemblyTest.report(pod.launcher, pod.after), now, now);
        assertThat(reply).isNotInstanceOf(Reply.Refused.class).isNotInstanceOf(Reply.TimedOut.class);
        if (reply instanceof Reply.Whole whole) {
            assertThat(whole.attempt()).isGreaterThan(pod.after);
            pod.running = whole.attempt();
            pod.after = whole.attempt();
            pod.map = whole.map();
        }
    }

    private static Assembly fresh(Assembly.@org.jspecify.annotations.Nullable StoredAttempt stored) {
        return new Assembly(AssemblyTest.job(PODS, null), stored, Assembly.HostsToPrepare.NONE, AssemblyTest::text);
    }
}
