/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

class DirectJobTest {
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

    private static PodSlot slot(@Nullable String app, int job, int pod) {
        return new PodSlot(new JobKey("space", OWNER.uid()), OWNER, app, job, pod);
    }

    @Test
    void anIndexedJobIsOneAppWithOnePodPerCompletion() {
        DirectJob job = OwnerObjects.indexedJob(
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

        assertThat(job.apps()).containsExactly(new DirectJob.App("ring", 1, 4, 2));
        assertThat(job.assemblyTimeout()).isEqualTo(Duration.ofSeconds(90));
        assertThat(job.rankOrder()).isEqualTo(RankOrder.topology);
        assertThat(job.refusal()).isNull();
        assertThat(job.ordinal(slot(null, 0, 3))).isEqualTo(3);
        assertThat(job.ordinal(slot(null, 0, 4))).isEqualTo(-1);
        assertThat(job.nspace(2)).isEqualTo("space.ring-0123abcd-2");
        assertThat(job.ranks()).isEqualTo(8);
    }

    @Test
    void aJobThatIsNeverThereAtOnceIsRefusedWithWhatToChange() {
        assertThat(OwnerObjects.indexedJob(OWNER, spec(4, 2, "Indexed", direct(1)))
                        .refusal())
                .isEqualTo(
                        "Job ring never has all its pods at once: parallelism is 2 and completions 4; set parallelism to 4");
        assertThat(OwnerObjects.indexedJob(OWNER, spec(4, 4, "NonIndexed", direct(1)))
                        .refusal())
                .isEqualTo("Job ring has no stable indices: set completionMode: Indexed");
    }

    @Test
    void theReplicatedJobsOfAJobSetAreAppsInTheOrderOfTheSpec() {
        DirectJob job = OwnerObjects.jobSet(
                OWNER,
                new OwnerObjects.Replicated("driver", 1, spec(1, 1, null, Map.of())),
                new OwnerObjects.Replicated("zeta", 2, spec(3, 3, null, direct(2))),
                new OwnerObjects.Replicated("alpha", 1, spec(2, 2, null, direct(5))));

        assertThat(job.refusal()).isNull();
        assertThat(job.apps()).containsExactly(new DirectJob.App("zeta", 2, 3, 2), new DirectJob.App("alpha", 1, 2, 5));
        assertThat(job.ordinal(slot("zeta", 1, 2))).isEqualTo(5);
        assertThat(job.ordinal(slot("alpha", 0, 1))).isEqualTo(7);
        assertThat(job.ordinal(slot("driver", 0, 0))).as("it is no app").isEqualTo(-1);
        assertThat(job.words(4)).isEqualTo("zeta job 1 index 1");
        assertThat(job.words(6)).isEqualTo("alpha index 0");
    }

    @Property(tries = 200)
    void everyPlaceHasAnOrdinalOfItsOwnAndNoOtherExists(
            @ForAll @IntRange(min = 1, max = 4) int jobs,
            @ForAll @IntRange(min = 1, max = 5) int pods,
            @ForAll @IntRange(min = 1, max = 3) int more) {
        DirectJob job = new DirectJob(
                "space",
                OWNER,
                List.of(new DirectJob.App("a", jobs, pods, 1), new DirectJob.App("b", 1, more, 2)),
                LaunchRequest.DEFAULT_ASSEMBLY_TIMEOUT,
                RankOrder.index,
                null);
        int expected = 0;
        for (int number = 0; number < jobs; number++) {
            for (int pod = 0; pod < pods; pod++) {
                assertThat(job.appOf(expected)).isZero();
                assertThat(job.ordinal(slot("a", number, pod))).isEqualTo(expected++);
            }
        }
        for (int pod = 0; pod < more; pod++) {
            assertThat(job.appOf(expected)).isEqualTo(1);
            assertThat(job.ordinal(slot("b", 0, pod))).isEqualTo(expected++);
        }
        assertThat(job.pods()).isEqualTo(expected);
        assertThat(job.ordinal(slot("a", jobs, 0))).isEqualTo(-1);
        assertThat(job.ordinal(slot("b", 0, more))).isEqualTo(-1);
        assertThat(job.ordinal(slot("c", 0, 0))).isEqualTo(-1);
    }

    @Test
    void anNspaceIsNeverLongerThanPmixAllows() {
        OwnerRef owner = new OwnerRef("batch/v1", "Job", "r".repeat(253), OWNER.uid());
        DirectJob job = new DirectJob("n".repeat(63), owner, List.of(), Duration.ofMinutes(1), RankOrder.index, null);

        assertThat(job.nspace(1234))
                .hasSize(255)
                .startsWith("n".repeat(63) + ".rrr")
                .endsWith("-0123abcd-1234");
    }

    private static @Nullable JobEnd end(String type, String status) {
        return IndexedJobs.KIND.end(
                OWNER,
                OwnerObjects.json(new JobBuilder()
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
                        .build()));
    }

    @Test
    void aJobHasEndedWhenItSaysSoAndAlreadyWhenItIsAboutToFail() {
        assertThat(IndexedJobs.KIND.end(OWNER, OwnerObjects.json(new Job()))).isNull();
        assertThat(end("Suspended", "True")).isNull();
        assertThat(end("Failed", "False")).isNull();
        assertThat(end("FailureTarget", "True")).isEqualTo(new JobEnd(false, "Job ring has failed: Because, of that"));
        assertThat(end("SuccessCriteriaMet", "True"))
                .isEqualTo(new JobEnd(true, "Job ring is complete: Because, of that"));
        assertThat(end("Complete", "True")).isEqualTo(new JobEnd(true, "Job ring is complete: Because, of that"));
    }

    @Test
    void aJobThatMakesNoPodAgainOfSomeIndexHasEndedForItsRanks() {
        JobEnd end = IndexedJobs.KIND.end(
                OWNER,
                OwnerObjects.json(new JobBuilder()
                        .withNewStatus()
                        .withFailedIndexes("1,3-5")
                        .endStatus()
                        .build()));
        assertThat(end)
                .isEqualTo(
                        new JobEnd(
                                false,
                                "Job ring makes no pod again of index 1,3-5 (status.failedIndexes), so that the job cannot be whole again"));
    }

    @Test
    void jobsOfAJobSetAreAskedForOnlyWhereTheyMayGiveUpAPodAlone() {
        OwnerObjects.Replicated alpha = new OwnerObjects.Replicated("alpha", 2, spec(3, 3, null, direct(1)));
        OwnerObjects.Replicated zeta = new OwnerObjects.Replicated("zeta", 1, spec(3, 3, null, direct(1)));
        DirectJob job = OwnerObjects.jobSet(OWNER, alpha, zeta);
        JsonNode jobSet = OwnerObjects.json(Map.of(
                "spec",
                Map.of(
                        "replicatedJobs",
                        List.of(
                                Map.of("name", "alpha", "template", Map.of("spec", Map.of("backoffLimitPerIndex", 0))),
                                Map.of("name", "zeta", "template", Map.of("spec", Map.of("backoffLimit", 0)))))));
        assertThat(JobSets.KIND.jobOf(jobSet, job, 4)).isEqualTo(OWNER.name() + "-alpha-1");
        assertThat(JobSets.KIND.jobOf(jobSet, job, 6)).isNull();
    }

    /** What follows on its end its owner decides, who may make it anew. */
    @Test
    void aJobOfAnotherOwnerMakesNoPodAgainOnlyWhileItGoesOn() {
        Job child = new JobBuilder()
                .withNewMetadata()
                .withName("ring-workers-1")
                .withUid("child-uid")
                .endMetadata()
                .withNewStatus()
                .withFailedIndexes("2")
                .endStatus()
                .build();
        assertThat(IndexedJobs.withoutSomeIndex(OwnerObjects.json(child)))
                .isEqualTo(
                        new JobEnd(
                                false,
                                "Job ring-workers-1 makes no pod again of index 2 (status.failedIndexes), so that the job cannot be whole again"));
        assertThat(IndexedJobs.withoutSomeIndex(OwnerObjects.json(new JobBuilder(child)
                        .editMetadata()
                        .withDeletionTimestamp("2026-01-01T00:00:00Z")
                        .endMetadata()
                        .build())))
                .isNull();
        assertThat(IndexedJobs.withoutSomeIndex(OwnerObjects.json(new JobBuilder(child)
                        .editStatus()
                        .addNewCondition()
                        .withType("Failed")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())))
                .isNull();
    }

    @Test
    void aJobWhoseDeadlineIsOverSaysThatItsTimeWas() {
        JobEnd end = IndexedJobs.KIND.end(
                OWNER,
                OwnerObjects.json(new JobBuilder()
                        .withNewStatus()
                        .addNewCondition()
                        .withType("Failed")
                        .withStatus("True")
                        .withReason("DeadlineExceeded")
                        .endCondition()
                        .endStatus()
                        .build()));
        assertThat(end).isEqualTo(new JobEnd(false, "Job ring has failed: DeadlineExceeded", true));
    }

    @Test
    void aJobLargerThanItMayBeIsRefusedAndNothingIsKeptOfItsSize() {
        DirectJob job = OwnerObjects.indexedJob(OWNER, spec(2_000_000_000, 2_000_000_000, "Indexed", direct(64)));

        assertThat(job.refusal())
                .isEqualTo("Job ring has 2000000000 pods, and a direct launch takes at most 16000: make"
                        + " fewer of them, and start more ranks in each");
        assertThat(job.pods()).isZero();
        assertThat(job.ranks()).isZero();
        assertThat(job.ordinal(slot(null, 0, 0))).isEqualTo(-1);
    }

    @Test
    void theSizeOfAJobSetIsAddedUpExactly() {
        OwnerObjects.Replicated most = new OwnerObjects.Replicated("a", 65_536, spec(65_536, 65_536, null, direct(1)));
        DirectJob wraps = OwnerObjects.jobSet(OWNER, most);
        DirectJob largest = OwnerObjects.jobSet(
                OWNER, new OwnerObjects.Replicated("a", 16, spec(1_000, 1_000, null, direct(1024))));

        assertThat(wraps.refusal()).as("2^32 pods are 0 in an int").contains("4294967296 pods");
        assertThat(largest.refusal()).isNull();
        assertThat(largest.pods()).isEqualTo(DirectJob.MAX_PODS);
        assertThat(largest.ranks()).isEqualTo(16_384_000);
    }

    @Test
    void templatesWithLessThanNoPodsDoNotMakeALargeJobLookSmall() {
        DirectJob job = OwnerObjects.jobSet(
                OWNER,
                new OwnerObjects.Replicated("large", 1, spec(2_000_000_000, 2_000_000_000, null, direct(1))),
                new OwnerObjects.Replicated("less", 1, spec(-2_000_000_000, 1, null, direct(1))));

        assertThat(job.pods()).isZero();
        assertThat(job.ordinal(slot("large", 0, 1_900_000_000))).isEqualTo(-1);
        assertThat(job.refusal())
                .isEqualTo("Job ring: less has less than no pods: set replicas and completions to 1 or more");
    }

    /** As large as the API server takes it. Each dependence for each of those that wait would be its square. */
    @Test
    void ofAJobSetInWhichAllDependOnAllBeforeThemNothingIsKept() {
        int jobs = 10_000;
        ObjectNode jobSet = JsonNodeFactory.instance.objectNode();
        ArrayNode replicated = jobSet.putObject("spec").putArray("replicatedJobs");
        for (int i = 0; i < jobs; i++) {
            ObjectNode job = replicated.addObject().put("name", "r" + i);
            job.putObject("template")
                    .putObject("spec")
                    .putObject("template")
                    .putObject("metadata")
                    .putObject("annotations")
                    .put("fabric-operator.dev/launch", "direct");
            if (i > 0) {
                job.putArray("dependsOn").addObject().put("name", "r" + (i - 1)).put("status", "Ready");
            }
        }

        DirectJob job = JobSets.KIND.job("space", OWNER, jobSet);

        assertThat(job.refusal()).startsWith("Job ring has 10000 templates that ask for a direct launch");
        assertThat(job.advice()).isEqualTo(DirectJob.Advice.NONE);
    }
}
