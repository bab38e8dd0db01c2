/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpecBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobFactsTest {
    private static final OwnerRef OWNER =
            new OwnerRef("batch/v1", "Job", "ring", "0123abcd-4567-89ab-cdef-0123456789ab");

    private static JobSpec spec(
            int completions, int parallelism, @Nullable String mode, Map<String, String> annotations) {
        return new JobSpecBuilder()
                .withCompletions(completions)
                .withParallelism(parallelism)
                .withCompletionMode(mode)
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .endTemplate()
                .build();
    }

    private static Map<String, String> direct(int ranks) {
        return Map.of(
                "fabric-operator.dev/launch", "direct", "fabric-operator.dev/ranks-per-pod", Integer.toString(ranks));
    }

    private static Pod pod(Map<String, String> labels, @Nullable String controllerKind) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withNamespace("space")
                .withName("ring-3-abcde")
                .withUid("pod-uid")
                .withLabels(labels)
                .endMetadata();
        return controllerKind == null
                ? pod.build()
                : pod.editMetadata()
                        .addNewOwnerReference()
                        .withApiVersion("batch/v1")
                        .withKind(controllerKind)
                        .withName("ring")
                        .withUid(OWNER.uid())
                        .withController(true)
                        .endOwnerReference()
                        .endMetadata()
                        .build();
    }

    @Test
    void anIndexedJobIsOneAppWithOnePodPerCompletion() {
        JobFacts facts = IndexedJobs.facts(
                "space",
                OWNER,
                spec(
                        4,
                        4,
                        "Indexed",
                        Map.of(
                                "fabric-operator.dev/launch", "direct",
                                "fabric-operator.dev/ranks-per-pod", "2",
                                "fabric-operator.dev/assembly-timeout", "1m30s",
                                "fabric-operator.dev/rank-order", "topology")));

        assertThat(facts)
                .isEqualTo(new JobFacts(
                        "space",
                        OWNER,
                        List.of(new JobFacts.App("ring", 1, 4, 2)),
                        Duration.ofSeconds(90),
                        RankOrder.topology,
                        null));
        assertThat(facts.nspace(2)).isEqualTo("space.ring-0123abcd-2");
        assertThat(facts.ranks()).isEqualTo(8);
    }

    @Test
    void aPodIsPlacedByItsControllerAndItsIndex() {
        IndexedJobs jobs = new IndexedJobs(new io.fabric8.kubernetes.client.KubernetesClientBuilder().build());
        Map<String, String> index = Map.of("batch.kubernetes.io/job-completion-index", "3", "app", "ring");

        assertThat(jobs.claim(PodFact.of(pod(index, "Job")))).isEqualTo(new Claim(OWNER, null, 0, 3));
        assertThat(jobs.claim(PodFact.of(pod(Map.of(), "Job"))))
                .as("not indexed")
                .isNull();
        assertThat(jobs.claim(PodFact.of(pod(index, "ReplicaSet")))).isNull();
        assertThat(jobs.claim(PodFact.of(pod(index, null)))).as("made by hand").isNull();
    }

    @Test
    void aJobThatIsNeverThereAtOnceIsRefusedWithWhatToChange() {
        assertThat(IndexedJobs.facts("space", OWNER, spec(4, 2, "Indexed", direct(1)))
                        .refusal())
                .isEqualTo(
                        "Job ring never has all its pods at once: parallelism is 2 and completions 4; set parallelism to 4");
        assertThat(IndexedJobs.facts("space", OWNER, spec(4, 4, "NonIndexed", direct(1)))
                        .refusal())
                .isEqualTo("Job ring has no stable indices: set completionMode: Indexed");
    }

    @Test
    void theReplicatedJobsOfAJobSetAreAppsInTheOrderOfTheSpec() {
        JobFacts facts = JobSets.facts(
                "space",
                OWNER,
                List.of(
                        new JobSets.Replicated("driver", 1, spec(1, 1, null, Map.of())),
                        new JobSets.Replicated("zeta", 2, spec(3, 3, null, direct(2))),
                        new JobSets.Replicated("alpha", 1, spec(2, 2, null, direct(5)))));

        assertThat(facts.refusal()).isNull();
        assertThat(facts.apps()).containsExactly(new JobFacts.App("zeta", 2, 3, 2), new JobFacts.App("alpha", 1, 2, 5));
        assertThat(facts.ordinal(new Claim(OWNER, "zeta", 1, 2))).isEqualTo(5);
        assertThat(facts.ordinal(new Claim(OWNER, "alpha", 0, 1))).isEqualTo(7);
        assertThat(facts.ordinal(new Claim(OWNER, "driver", 0, 0)))
                .as("it is no app")
                .isEqualTo(-1);
        assertThat(facts.words(4)).isEqualTo("zeta job 1 index 1");
        assertThat(facts.words(6)).isEqualTo("alpha index 0");
    }

    @Test
    void aPodOfAJobSetIsPlacedByItsLabels() {
        JobSets jobSets = new JobSets(new io.fabric8.kubernetes.client.KubernetesClientBuilder().build());
        Map<String, String> labels = Map.of(
                "jobset.sigs.k8s.io/jobset-name", "ring",
                "jobset.sigs.k8s.io/jobset-uid", "set-uid",
                "jobset.sigs.k8s.io/replicatedjob-name", "workers",
                "jobset.sigs.k8s.io/job-index", "1",
                "batch.kubernetes.io/job-completion-index", "2");

        assertThat(jobSets.claim(PodFact.of(pod(labels, "Job"))))
                .isEqualTo(new Claim(
                        new OwnerRef("jobset.x-k8s.io/v1alpha2", "JobSet", "ring", "set-uid"), "workers", 1, 2));
    }

    @Property(tries = 200)
    void everyPlaceHasAnOrdinalOfItsOwnAndNoOtherExists(
            @ForAll @IntRange(min = 1, max = 4) int jobs,
            @ForAll @IntRange(min = 1, max = 5) int pods,
            @ForAll @IntRange(min = 1, max = 3) int more) {
        JobFacts facts = new JobFacts(
                "space",
                OWNER,
                List.of(new JobFacts.App("a", jobs, pods, 1), new JobFacts.App("b", 1, more, 2)),
                LaunchRequest.DEFAULT_ASSEMBLY_TIMEOUT,
                RankOrder.index,
                null);
        int expected = 0;
        for (int job = 0; job < jobs; job++) {
            for (int pod = 0; pod < pods; pod++) {
                assertThat(facts.appOf(expected)).isZero();
                assertThat(facts.ordinal(new Claim(OWNER, "a", job, pod))).isEqualTo(expected++);
            }
        }
        for (int pod = 0; pod < more; pod++) {
            assertThat(facts.appOf(expected)).isEqualTo(1);
            assertThat(facts.ordinal(new Claim(OWNER, "b", 0, pod))).isEqualTo(expected++);
        }
        assertThat(facts.pods()).isEqualTo(expected);
        assertThat(facts.ordinal(new Claim(OWNER, "a", jobs, 0))).isEqualTo(-1);
        assertThat(facts.ordinal(new Claim(OWNER, "b", 0, more))).isEqualTo(-1);
        assertThat(facts.ordinal(new Claim(OWNER, "c", 0, 0))).isEqualTo(-1);
    }

    @Test
    void anNspaceIsNeverLongerThanPmixAllows() {
        OwnerRef owner = new OwnerRef("batch/v1", "Job", "r".repeat(253), OWNER.uid());
        JobFacts facts = new JobFacts("n".repeat(63), owner, List.of(), Duration.ofMinutes(1), RankOrder.index, null);

        assertThat(facts.nspace(1234))
                .hasSize(255)
                .startsWith("n".repeat(63) + ".rrr")
                .endsWith("-0123abcd-1234");
    }

    private static @Nullable JobEnd end(String type, String status) {
        return IndexedJobs.end(new JobBuilder()
                .withNewMetadata()
                .withName("ring")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType(type)
                .withStatus(status)
                .withReason("Because")
                .withMessage("of that")
                .endCondition()
                .endStatus()
                .build());
    }

    @Test
    void aJobHasEndedWhenItSaysSoAndAlreadyWhenItIsAboutToFail() {
        assertThat(IndexedJobs.end(new Job())).isNull();
        assertThat(end("Suspended", "True")).isNull();
        assertThat(end("Failed", "False")).isNull();
        assertThat(end("FailureTarget", "True")).isEqualTo(new JobEnd(false, "Job ring has failed: Because, of that"));
        assertThat(end("Complete", "True")).isEqualTo(new JobEnd(true, "Job ring is complete: Because, of that"));
    }
}
