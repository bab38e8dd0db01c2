/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What follows from objects that the API server has; that it is asked for the right ones is shown end to end. */
class JobOwnersTest {
    private static final OwnerRef JOB = new OwnerRef("batch/v1", "Job", "ring-workers-1", "job-uid");
    private static final OwnerRef JOB_SET = new OwnerRef("jobset.x-k8s.io/v1alpha2", "JobSet", "ring", "set-uid");

    private static Job job(Map<String, String> labels, @Nullable OwnerRef owner) {
        JobBuilder job = new JobBuilder()
                .withNewMetadata()
                .withNamespace("space")
                .withName(JOB.name())
                .withUid(JOB.uid())
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withCompletions(4)
                .withParallelism(4)
                .withCompletionMode("Indexed")
                .withNewSelector()
                .addToMatchLabels("batch.kubernetes.io/controller-uid", JOB.uid())
                .endSelector()
                .withNewTemplate()
                .endTemplate()
                .endSpec();
        return owner == null
                ? job.build()
                : job.editMetadata()
                        .addNewOwnerReference()
                        .withApiVersion(owner.apiVersion())
                        .withKind(owner.kind())
                        .withName(owner.name())
                        .withUid(owner.uid())
                        .withController(true)
                        .endOwnerReference()
                        .endMetadata()
                        .build();
    }

    private static PodFact pod(String index, Map<String, String> more) {
        Map<String, String> labels = new HashMap<>(more);
        labels.put("batch.kubernetes.io/job-completion-index", index);
        return PodFact.of(new PodBuilder()
                .withNewMetadata()
                .withNamespace("space")
                .withName("ring-workers-1-2-abcde")
                .withUid("pod-uid")
                .withLabels(labels)
                .endMetadata()
                .build());
    }

    private static @Nullable PodSlot slot(PodFact pod, Job job) {
        return IndexedJobs.KIND.podOwner(JOB, OwnerObjects.json(job)).places().slot(pod);
    }

    private static final Map<String, String> SELECTED = Map.of("batch.kubernetes.io/controller-uid", "job-uid");

    @Test
    void aPodOfAJobHasItsIndexThere() {
        assertThat(slot(pod("2", SELECTED), job(Map.of(), null)))
                .isEqualTo(new PodSlot(new JobKey("space", "job-uid"), JOB, null, 0, 2));
        assertThat(slot(pod("", SELECTED), job(Map.of(), null))).isNull();
        assertThat(slot(pod("-1", SELECTED), job(Map.of(), null))).isNull();
    }

    @Test
    void aPodThatTheJobDoesNotSelectBelongsToNone() {
        assertThat(slot(pod("2", Map.of()), job(Map.of(), null))).isNull();
        assertThat(slot(pod("2", Map.of("batch.kubernetes.io/controller-uid", "another")), job(Map.of(), null)))
                .isNull();
    }

    @Test
    void aPodOfAJobSetIsPlacedByWhatItsJobSaysWhateverItsOwnLabelsSay() {
        Job job = job(
                Map.of("jobset.sigs.k8s.io/replicatedjob-name", "workers", "jobset.sigs.k8s.io/job-index", "1"),
                JOB_SET);
        Map<String, String> lies = new HashMap<>(SELECTED);
        lies.put("jobset.sigs.k8s.io/jobset-name", "victim");
        lies.put("jobset.sigs.k8s.io/jobset-uid", "victim-uid");
        lies.put("jobset.sigs.k8s.io/replicatedjob-name", "driver");
        lies.put("jobset.sigs.k8s.io/job-index", "0");

        assertThat(slot(pod("2", lies), job))
                .isEqualTo(new PodSlot(new JobKey("space", "set-uid"), JOB_SET, "workers", 1, 2));
    }

    @Test
    void nothingIsKeptOfAPodThatItsAuthorCanMakeAsLongAsHeLikes() {
        Map<String, String> labels = new HashMap<>(SELECTED);
        for (int i = 0; i < 1000; i++) {
            labels.put("batch.kubernetes.io/made-up-" + i, "x");
        }
        PodFact many = pod("2", labels);
        assertThat(many.labels())
                .containsOnlyKeys("batch.kubernetes.io/job-completion-index", "batch.kubernetes.io/controller-uid");
        assertThat(slot(many, job(Map.of(), null))).isNotNull();

        PodFact lengthy = PodFact.of(new PodBuilder()
                .withNewMetadata()
                .withName("a")
                .addNewOwnerReference()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName("x".repeat(1_000_000))
                .withUid("job-uid")
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .build());
        assertThat(lengthy.controller()).isNull();
    }

    @Test
    void ofAJobsSelectorOnlyWhatKubernetesHasMadeIsKept() {
        Job job = job(Map.of(), null);
        job.getSpec().getSelector().getMatchLabels().put("batch.kubernetes.io/made-up", "x");
        assertThat(IndexedJobs.madeSelector(OwnerObjects.json(job))).isEqualTo(SELECTED);
    }
}
