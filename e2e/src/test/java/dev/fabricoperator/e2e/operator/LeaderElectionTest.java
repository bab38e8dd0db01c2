/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A controller beside the holder of the Lease, whose clock differs. */
@WithControlPlane(own = true)
class LeaderElectionTest {
    private static final String NAME = "fabric-operator-controller";
    private static final String HOLDER = "another";
    private static final int SECONDS = 15;
    /** What a controller that compares clocks would take for the age of a new Lease is far from what it waits for. */
    private static final Duration BEHIND = Duration.ofSeconds(-60);

    private static final Duration AHEAD = Duration.ofDays(1);
    private static final Duration RENEWAL = Duration.ofMillis(500);
    private static final int RENEWALS = 4;
    /** Longer than a standby waits between two looks at jobs, and for their servers' silence. */
    private static final int RENEWALS_OF_A_SECOND_LOOK = 12;

    private final ControlPlane cluster;
    private final KubernetesClient admin;

    @TempDir
    Path directory;

    LeaderElectionTest(ControlPlane cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @BeforeAll
    static void applyAll(ControlPlane cluster) {
        Manifests.apply(cluster);
    }

    @AfterEach
    void forgetTheLeader() {
        admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
    }

    private Resource<Lease> lease() {
        return admin.leases().inNamespace(OperatorProcess.NAMESPACE).withName(NAME);
    }

    private String holder() {
        return lease().require().getSpec().getHolderIdentity();
    }

    private void hold(Duration clock) {
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC).plus(clock);
        admin.resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withNamespace(OperatorProcess.NAMESPACE)
                        .withName(NAME)
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity(HOLDER)
                        .withLeaseDurationSeconds(SECONDS)
                        .withAcquireTime(now)
                        .withRenewTime(now)
                        .withLeaseTransitions(0)
                        .endSpec()
                        .build())
                .create();
    }

    /** As its holder does, who finds out when it has lost it. */
    private void renew(Duration clock) {
        Lease present = lease().require();
        assertThat(present.getSpec().getHolderIdentity()).isEqualTo(HOLDER);
        present.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC).plus(clock));
        admin.resource(present).update();
    }

    private OperatorProcess controller() {
        return OperatorProcess.begin(
                cluster,
                directory,
                "controller",
                Map.of(
                        "FABRIC_OPERATOR_LEADER_ELECTION_LEASE_DURATION",
                        SECONDS + "s",
                        "FABRIC_OPERATOR_LEADER_ELECTION_RETRY_PERIOD",
                        "500ms",
                        "FABRIC_OPERATOR_JOB_ENDS_INTERVAL",
                        "1s",
                        "FABRIC_OPERATOR_JOB_ENDS_SILENCE",
                        "1s"));
    }

    @Test
    void aLivingHolderWhoseClockIsBehindIsNotOvertakenAndADeadOneIs() {
        hold(BEHIND);
        try (OperatorProcess controller = controller()) {
            eventually(() -> {
                renew(BEHIND);
                assertThat(controller.isReady()).isTrue();
            });
            for (int i = 0; i < RENEWALS; i++) {
                Awaitility.await().pollDelay(RENEWAL).until(() -> true);
                renew(BEHIND);
            }
            controller.await("does not follow", LIMIT, () -> !holder().equals(HOLDER));
        }
    }

    /** Whoever compares clocks would wait for a day. */
    @Test
    void aDeadHolderWhoseClockWasAheadIsFollowedAllTheSame() {
        hold(AHEAD);
        try (OperatorProcess controller = controller()) {
            controller.await("does not follow", LIMIT, () -> !holder().equals(HOLDER));
        }
    }

    /** Of a FabricJob that nobody owns: it has failed, and the leader says so. */
    @Test
    void onlyTheLeaderTellsTheEndsOfJobs() {
        hold(Duration.ZERO);
        FabricJob job = new FabricJob();
        job.setMetadata(new ObjectMetaBuilder()
                .withNamespace("default")
                .withName("left")
                .build());
        admin.resource(job).create();
        admin.resource(job).editStatus(object -> {
            object.setStatus(
                    FabricJobStatusBuilder.builder().phase(JobPhase.Running).build());
            return object;
        });
        try (OperatorProcess controller = controller()) {
            eventually(() -> {
                renew(Duration.ZERO);
                assertThat(controller.isReady()).isTrue();
            });
            for (int i = 0; i < RENEWALS_OF_A_SECOND_LOOK; i++) {
                Awaitility.await().pollDelay(RENEWAL).until(() -> true);
                renew(Duration.ZERO);
                assertThat(admin.resource(job).get().getStatus().phase()).isEqualTo(JobPhase.Running);
            }
            controller.await(
                    "does not tell",
                    LIMIT,
                    () -> admin.resource(job).get().getStatus().phase() == JobPhase.Failed);
        } finally {
            admin.resource(job).delete();
        }
    }
}
