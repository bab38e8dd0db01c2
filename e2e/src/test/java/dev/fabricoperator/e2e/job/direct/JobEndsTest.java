/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.annotated;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How jobs end that do not end well, or not as a whole, on real nodes, with the Job controller of Kubernetes. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class JobEndsTest {
    private final FaultCase faults;

    JobEndsTest(FaultCase faults) {
        this.faults = faults;
    }

    /** What is said of the job's end. */
    private String finished(String job) {
        return String.valueOf(faults.fabricJob(job).conditions().stream()
                .filter(condition -> condition.type().equals("Finished"))
                .findFirst()
                .orElseThrow()
                .message());
    }

    private static JobBuilder withoutRetry(JobBuilder job) {
        return job.editSpec().withBackoffLimit(0).endSpec();
    }

    /** The Job takes a pod for done whose program ends with 0: the others waited for another attempt. RankEndsTest has all other ends. */
    @Test
    void aRankThatEndsWithZeroBeforeItsTimeEndsTheJobAndIsNamed() {
        faults.create(withoutRetry(job("ends", 3, "mpi-ends", "waiting", "exit:0", "1")));

        faults.awaitEnd("ends", "Failed");

        faults.awaitPhase("ends", JobPhase.Failed);
        assertThat(finished("ends")).contains("rank 1 ");
    }

    /** The plain Job is complete as soon as its first pod is; here others are reached through that. */
    @Test
    void aJobIsCompleteWhenThePodsAreThatItsSuccessPolicyNames() {
        faults.create(job("leader", 2, "sh", "-c", "[ $PMIX_RANK = 0 ] && exit 0; exec sleep 1000")
                .editSpec()
                .withNewSuccessPolicy()
                .addNewRule()
                .withSucceededIndexes("0")
                .endRule()
                .endSuccessPolicy()
                .endSpec());

        faults.awaitEnd("leader", "Complete");

        faults.awaitPhase("leader", JobPhase.Succeeded);
    }

    /** As with an image whose MPI has no PMIx: each rank is a program of its own. */
    @Test
    void aJobOfWhichNoRankHasAskedItsServerSaysSoAndFailsWhereItsNamespaceWantsThat() {
        assertAlone(faults, "Complete", JobPhase.Succeeded);
        FaultCase strict = new FaultCase(faults.cluster, "strict");
        Namespace namespace = new NamespaceBuilder()
                .withNewMetadata()
                .withName(strict.namespace)
                .addToLabels("fabric-operator.dev/injection", "enabled")
                .addToLabels("fabric-operator.dev/require-pmix", "true")
                .endMetadata()
                .build();
        faults.admin.resource(namespace).create();
        try {
            assertAlone(strict, "Failed", JobPhase.Failed);
            assertThat(new JobEndsTest(strict).finished("no-pmix"))
                    .contains("(label fabric-operator.dev/require-pmix)");
            // The Job controller removes those of which it has not heard yet that they have ended.
            assertThat(strict.pods("no-pmix"))
                    .anySatisfy(pod -> assertThat(strict.log(pod, RANKS))
                            .contains("1 rank", "no rank of the job has called PMIx_Init"));
        } finally {
            faults.admin.resource(namespace).delete();
        }
    }

    private static void assertAlone(FaultCase in, String end, JobPhase phase) {
        in.create(withoutRetry(job("no-pmix", 4, "echo", "1 rank")));
        in.awaitEnd("no-pmix", end);
        in.awaitPhase("no-pmix", phase);
        assertThat(in.fabricJob("no-pmix").conditions()).anySatisfy(condition -> {
            assertThat(condition.type()).isEqualTo("RanksConnected");
            assertThat(condition.message()).startsWith("no rank called PMIx_Init");
        });
        assertThat(Command.kubectlFabric(in.cluster).run("job", "no-pmix", "-n", in.namespace))
                .contains("4 none")
                .contains(
                        phase == JobPhase.Failed
                                ? "no rank of the job has called PMIx_Init"
                                : "no rank called PMIx_Init");
        soon().untilAsserted(() -> assertThat(
                        in.admin.v1().events().inNamespace(in.namespace).list().getItems())
                .anySatisfy(event -> {
                    assertThat(event.getReason()).isEqualTo("NoRankConnected");
                    assertThat(event.getInvolvedObject().getName()).isEqualTo("no-pmix");
                }));
    }

    @Test
    void podsThatWaitForAnIndexThatHasFailedForGoodAreToldAndTheJobEnds() {
        faults.create(job("index", 2, "mpi-steady", "1000", "0")
                .editSpec()
                .withBackoffLimit(null)
                .withBackoffLimitPerIndex(0)
                .endSpec());
        Pod waits = faults.pod("index", 0);
        Pod dies = faults.pod("index", 1);
        faults.awaitLog(dies, RANKS, "steady: attempt 0 rank 1 of 2 begins");

        faults.kill(dies, RANKS);

        faults.awaitLog(waits, RANKS, "makes no pod again of index 1 (status.failedIndexes)");
        faults.awaitEnd("index", "Failed");
        assertThat(status(faults.now(waits), RANKS).getState().getTerminated().getExitCode())
                .isEqualTo(125);
        assertThat(finished("index")).contains("makes no pod again of index");
    }

    @Test
    void aJobThatItsDeadlineEndsSaysSo() {
        faults.create(withoutRetry(job("late", 2, "sleep", "1000"))
                .editSpec()
                .withActiveDeadlineSeconds(20L)
                .endSpec());

        faults.awaitEnd("late", "Failed");

        soon().untilAsserted(() -> assertThat(finished("late")).contains("DeadlineExceeded"));
    }

    /** One rank dies of what the kubelet sends, the other one saves, for longer than ranks of a failed job once had. */
    @Test
    void ranksSaveWithinTheGracePeriodOfTheirPod() {
        faults.create(withoutRetry(annotated(
                        job(
                                "saves",
                                1,
                                "sh",
                                "-c",
                                "[ $PMIX_RANK = 1 ] || trap 'sleep 8; echo saved; exit 0' TERM; echo up; while :; do sleep 0.1; done"),
                        "ranks-per-pod",
                        "2"))
                .editSpec()
                .editTemplate()
                .editSpec()
                .withTerminationGracePeriodSeconds(60L)
                .endSpec()
                .endTemplate()
                .endSpec());
        Pod pod = faults.pod("saves", 0);
        soon().until(() -> faults.log(pod, RANKS)
                        .lines()
                        .filter(line -> line.endsWith("up"))
                        .count()
                == 2);
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        try (LogWatch watch = faults.admin
                .pods()
                .inNamespace(faults.namespace)
                .withName(pod.getMetadata().getName())
                .inContainer(RANKS)
                .watchLog(log)) {
            assertThat(watch).isNotNull();

            faults.admin.resource(pod).delete();

            soon().until(() -> log.toString(StandardCharsets.UTF_8).contains("saved"));
        }
        faults.awaitEnd("saves", "Failed");
    }
}
