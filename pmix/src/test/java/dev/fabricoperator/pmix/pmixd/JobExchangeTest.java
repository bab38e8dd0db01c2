/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.PmixStatus;
import dev.fabricoperator.pmix.job.JobApp;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.job.JobPod;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.server.Connection;
import dev.fabricoperator.pmix.server.Group;
import dev.fabricoperator.pmix.server.Proc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One pod with two ranks, which needs no other for its answers. */
class JobExchangeTest {
    private static final String NSPACE = "default.job-0123abcd-0";

    private final List<Integer> statuses = new ArrayList<>();
    private final JobExchange exchange;

    JobExchangeTest() throws IOException {
        EventLoop loop = new EventLoop();
        JobPod pod = new JobPod("job-0", "host-0", 0, 0, 2, new byte[4], 1, "0", List.of());
        JobMap map = new JobMap(NSPACE, 0, new byte[32], List.of(new JobApp(0, "workers", 2)), List.of(pod), null);
        exchange = Played.attempt(loop, map).exchange();
    }

    private static List<Proc> ranks(int... ranks) {
        List<Proc> procs = new ArrayList<>();
        for (int rank : ranks) {
            procs.add(new Proc(NSPACE, rank));
        }
        return procs;
    }

    private void connect(boolean connect, int status, int... ranks) {
        exchange.connect(
                new Connection(connect, ranks(ranks), status, 0), (answered, nothing) -> statuses.add(answered));
    }

    /** PMIX_RANK_UNDEF, PMIX_RANK_LOCAL_NODE, one too many and one whose bit would take a quarter of a gigabyte. */
    @ParameterizedTest
    @ValueSource(ints = {-1, -3, 2, Integer.MAX_VALUE})
    void aConnectionWithARankThatTheJobDoesNotHaveIsUnreachable(int rank) {
        connect(true, 0, 0, rank);
        connect(false, 0, 0, rank);
        assertThat(statuses).containsExactly(PmixStatus.PMIX_ERR_UNREACH, PmixStatus.PMIX_ERR_UNREACH);
    }

    @Test
    void aConnectionOfWhichAParticipantIsGoneIsNone() {
        connect(true, PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, 0, 1);
        connect(false, 0, 0, 1);
        connect(true, 0, 0, 1);
        connect(false, 0, 0, 1);
        assertThat(statuses)
                .containsExactly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, PmixStatus.PMIX_ERR_INVALID_OPERATION, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGroupOfWhichAMemberIsGoneIsNone(boolean localOnly) {
        for (int status : new int[] {PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, 0}) {
            exchange.group(
                    new Group("g", true, localOnly, true, ranks(0, 1), new byte[0], status, 0),
                    (answered, group) -> statuses.add(answered));
        }
        assertThat(statuses).containsExactly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, 0);
    }
}
