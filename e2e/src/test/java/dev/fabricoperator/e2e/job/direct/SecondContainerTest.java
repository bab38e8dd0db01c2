/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.PMIXD;
import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** As in clusters without image volumes, where the PMIx server has a container of its own: the operator's setting asks for it. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class SecondContainerTest {
    private static final String SETTING = "FABRIC_OPERATOR_ADMISSION_POD_SHAPE";

    private final FaultCase faults;

    SecondContainerTest(FaultCase faults) {
        this.faults = faults;
    }

    @BeforeAll
    static void force(FaultCase faults) {
        LaunchCluster.setServers(faults.kubectl, SETTING + "=second-container");
    }

    @AfterAll
    static void choose(FaultCase faults) {
        LaunchCluster.setServers(faults.kubectl, SETTING + "-");
    }

    @Test
    void aJobRunsAndItsFabricJobSaysWhyItHasSecondContainers() {
        faults.create(job("second", 2, "mpi-proof", "1"));

        faults.awaitEnd("second", "Complete");
        Pod pod = faults.pod("second", 0);
        assertThat(pod.getSpec().getContainers()).hasSize(2);
        assertThat(faults.log(pod, RANKS)).contains("ring ok, collectives ok, 2 ranks on 2 nodes");
        assertThat(faults.log(pod, PMIXD)).contains("launcher connected");
        assertThat(faults.awaitPhase("second", JobPhase.Succeeded).conditions())
                .filteredOn(condition -> condition.type().equals("OneContainer"))
                .singleElement()
                .returns(ConditionStatus.False, Condition::status)
                .satisfies(condition -> assertThat(condition.message()).contains(SETTING));
    }

    @Tag("long")
    @Test
    void aPodWhosePmixdIsKilledIsReplacedAndAllRunAgain() {
        faults.survivorOfKilledPmixd("second-headless");
    }
}
