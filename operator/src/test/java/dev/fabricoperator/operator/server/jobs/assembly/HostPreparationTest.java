/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import static dev.fabricoperator.operator.server.jobs.assembly.AssemblyTest.pod;
import static dev.fabricoperator.operator.server.jobs.assembly.AssemblyTest.report;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.launch.DirectJob;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs of three pods, of which the second and the third are on hosts that are prepared. */
class HostPreparationTest {
    private static final DirectJob JOB = AssemblyTest.job(3, null);

    private final Instant now = AssemblyTest.START;
    private int looks;
    /** The first that needs no preparation. */
    private int hosts = 3;

    private final Assembly assembly = new Assembly(JOB, null, this::toPrepare, AssemblyTest::text);

    private BitSet toPrepare(List<Assembly.JoinedPod> pods) {
        looks++;
        assertThat(pods).hasSize(3);
        BitSet waiting = new BitSet();
        waiting.set(1, hosts);
        return waiting;
    }

    private Reply join(JobPodId pod) {
        return assembly.join(pod, report(0, -1), now, now);
    }

    private void joinAll() {
        join(pod(0));
        join(pod(1));
        join(pod(2));
    }

    @Test
    void noPodHasItsMapBeforeTheHostsOfAllArePrepared() {
        joinAll();
        assertThat(assembly.progress().missingWords(JOB))
                .isEqualTo("2 of 3 pods wait for the preparer of their node: index 1, index 2");
        assertThat(assembly.progress().missingPods()).isZero();

        assembly.hostPrepared(pod(2));
        assertThat(join(pod(0))).as("asks again").isEqualTo(new Reply.Wait());
        assertThat(assembly.progress().unprepared()).containsExactly(1);
        int before = assembly.epoch();
        assembly.hostPrepared(pod(1));

        assertThat(assembly.epoch()).isGreaterThan(before);
        assertThat(assembly.reply(pod(0))).isInstanceOf(Reply.Whole.class);
        assertThat(assembly.progress().unpreparedPods()).isZero();
        assertThat(looks).as("not for each pod that asks again").isEqualTo(2);
    }

    @Test
    void aHostThatWasPreparedBeforeItsPodAskedIsNotWaitedFor() {
        assembly.hostPrepared(pod(1));
        assembly.hostPrepared(pod(2));

        joinAll();

        assertThat(assembly.reply(pod(2))).isInstanceOf(Reply.Whole.class);
    }

    @Test
    void aPodWhoseHostCannotBePreparedIsToldWhyAndItsReplacementMakesTheJobWhole() {
        joinAll();
        assembly.hostPrepared(pod(1));

        assembly.hostUnpreparable(pod(2), "no isolation number is left");

        Reply.Refused refused =
                new Reply.Refused("node node-0 cannot be prepared for pod ring-2-0: no isolation number is left");
        assertThat(assembly.reply(pod(2))).isEqualTo(refused);
        assertThat(join(pod(2))).isEqualTo(refused);
        assertThat(assembly.reply(pod(0))).isEqualTo(new Reply.Wait());
        assertThat(assembly.progress().missing()).containsExactly(2);

        JobPodId replacement = pod(2, 1);
        join(replacement);
        assertThat(assembly.reply(replacement)).isEqualTo(new Reply.Wait());
        assembly.hostPrepared(replacement);

        assertThat(assembly.reply(pod(0))).isInstanceOf(Reply.Whole.class);
    }

    @Test
    void aPodThatTakesTheSlotOfOneThatWaitsIsNotWaitedForWhereItsHostIsPrepared() {
        joinAll();
        assembly.hostPrepared(pod(1));
        JobPodId later = pod(2, 1);
        assembly.hostPrepared(later);

        assertThat(join(later)).isInstanceOf(Reply.Whole.class);
    }

    @Test
    void theWaitIsOverWithTheAssemblysTimeAndSaysWhatWasWaitedFor() {
        joinAll();

        assembly.expire(now.plus(JOB.assemblyTimeout()));

        assertThat(assembly.phase()).isEqualTo(JobPhase.TimedOut);
        assertThat(assembly.reply(pod(0)))
                .isEqualTo(new Reply.TimedOut("the job did not become whole within 600 s: "
                        + "2 of 3 pods wait for the preparer of their node: index 1, index 2"));
    }

    @Test
    void whoWaitsForHostsThatAFabricNoLongerWantsPreparedGoesOn() {
        joinAll();
        int before = assembly.version();
        assembly.expire(now.plusSeconds(1));
        assembly.expire(now.plusSeconds(2));
        assertThat(looks).as("not at each look at the clock").isEqualTo(2);
        assertThat(assembly.version()).isEqualTo(before);

        hosts = 2;
        assembly.expire(now.plusSeconds(10));
        assertThat(assembly.progress().unprepared()).containsExactly(1);
        assertThat(assembly.version()).isGreaterThan(before);

        hosts = 1;
        assembly.expire(now.plusSeconds(20));
        assertThat(assembly.reply(pod(0))).isInstanceOf(Reply.Whole.class);
    }

    @Test
    void aPodThatStaysInItsPlaceIsPreparedForTheNextAttemptToo() {
        joinAll();
        assembly.hostPrepared(pod(1));
        assembly.hostPrepared(pod(2));

        assembly.join(pod(0), report(1, -1), now, now);
        assembly.join(pod(1), report(0, 0), now, now);
        Reply last = assembly.join(pod(2), report(0, 0), now, now);

        assertThat(last).isInstanceOf(Reply.Whole.class);
        assertThat(assembly.progress().attempt()).isEqualTo(1);
    }
}
