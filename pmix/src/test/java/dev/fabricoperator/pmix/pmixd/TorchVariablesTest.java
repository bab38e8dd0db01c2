/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static dev.fabricoperator.pmix.pmixd.PlayedPods.codes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A program that meets as PyTorch's do stands in for it: PyTorch with what it needs is 600 MB. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
@Order(PlayedJobService.ON_THE_FIRST_THREAD)
class TorchVariablesTest {
    private PlayedPods pods;

    @TempDir
    Path directory;

    @BeforeAll
    void open() {
        pods = new PlayedPods(TrixieRoot.open());
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    @Test
    void ranksOfSeveralPodsMeetByWhatTheirEnvironmentSays() throws Exception {
        TrixieRoot.Result result =
                pods.run(directory, 2, "start_pods 2 2 perl /src/pmix/src/test/perl/rendezvous.pl\nfinish");
        assertThat(result.lines())
                .as(result.text())
                .contains("out 0: [0] ranks and local ranks at port 29500: 1/1 2/0 3/1")
                .containsAll(codes("launcher", 2, 0));
    }

    @Test
    void aRankKnowsItsPodAndHowManyRanksAreInIt() throws Exception {
        TrixieRoot.Result result = pods.run(
                directory,
                2,
                "start_pods 2 2 sh -c 'echo $RANK: $LOCAL_RANK of $LOCAL_WORLD_SIZE in $GROUP_RANK'\nfinish");
        assertThat(result.text()).contains("0: 0 of 2 in 0", "1: 1 of 2 in 0", "2: 0 of 2 in 1", "3: 1 of 2 in 1");
    }

    @Test
    void whatTheContainerSaysStays() throws Exception {
        TrixieRoot.Result result = pods.run(
                directory,
                1,
                "printf '#!/bin/sh\\nMASTER_PORT=1234 WORLD_SIZE=7 exec %s \"$@\"' $LAUNCHER > $RUN/container; chmod 755 $RUN/container; LAUNCHER=$RUN/container\n"
                        + "start_pods 1 1 sh -c 'echo $RANK of $WORLD_SIZE at ${MASTER_ADDR%%.*} $MASTER_PORT'\nfinish");
        assertThat(result.lines()).as(result.text()).contains("out 0: [0] 0 of 7 at 127 1234");
    }
}
