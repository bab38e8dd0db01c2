/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Jobs of Kubernetes with {@code completionMode: Indexed}. */
final class IndexedJobs {
    private static final String LABELS = "batch.kubernetes.io/";
    static final String INDEX_LABEL = LABELS + "job-completion-index";
    /** Those of a Job's pods that Kubernetes itself makes; a pod can have thousands of others that begin alike. */
    static final Set<String> MADE_LABELS = Set.of(INDEX_LABEL, LABELS + "controller-uid", LABELS + "job-name");

    private static final Set<String> FAILING = Set.of("FailureTarget", "Failed");

    private IndexedJobs() {}

    /** Those labels of the selector that Kubernetes itself made; of a {@code manualSelector} there are none. */
    static Map<String, String> madeSelector(Job job) {
        Map<String, String> made = new HashMap<>();
        LabelSelector selector = job.getSpec().getSelector();
        if (selector != null && selector.getMatchLabels() != null) {
            selector.getMatchLabels().forEach((name, value) -> {
                if (MADE_LABELS.contains(name)) {
                    made.put(name, value);
                }
            });
        }
        return Map.copyOf(made);
    }

    /** Its pods are ended when it is about to fail, which it says before it has failed. */
    static @Nullable JobEnd end(Job job) {
        if (job.getStatus() == null || job.getStatus().getConditions() == null) {
            return null;
        }
        for (JobCondition condition : job.getStatus().getConditions()) {
            boolean failed = FAILING.contains(condition.getType());
            if ("True".equals(condition.getStatus()) && (failed || "Complete".equals(condition.getType()))) {
                String words = "Job " + job.getMetadata().getName() + (failed ? " has failed: " : " is complete: ")
                        + condition.getReason()
                        + (condition.getMessage() == null ? "" : ", " + condition.getMessage());
                return new JobEnd(!failed, words);
            }
        }
        return null;
    }

    static DirectJob job(String namespace, OwnerRef owner, JobSpec spec) {
        Template template = Template.of(spec);
        return new DirectJob(
                namespace,
                owner,
                List.of(new DirectJob.App(
                        owner.name(), 1, completions(spec), template.request().ranksPerPod())),
                template.request().assemblyTimeout(),
                template.request().rankOrder(),
                refusal("Job " + owner.name(), spec, template));
    }

    /**
     * A pod template.
     *
     * @param direct whether it asks for a direct launch
     * @param request defaults where nothing is asked for or {@code problem} is not {@code null}
     * @param problem why its annotations cannot be used
     */
    record Template(
            boolean direct, LaunchRequest request, @Nullable String problem) {
        static Template of(JobSpec spec) {
            Map<String, String> annotations = annotations(spec);
            boolean direct = LaunchRequest.isDirect(annotations);
            try {
                LaunchRequest request = LaunchRequest.of(annotations);
                return new Template(direct, request == null ? LaunchRequest.DEFAULTS : request, null);
            } catch (LaunchRequest.InvalidAnnotationException e) {
                return new Template(direct, LaunchRequest.DEFAULTS, e.getMessage());
            }
        }
    }

    static Map<String, String> annotations(JobSpec spec) {
        var metadata = spec.getTemplate() == null ? null : spec.getTemplate().getMetadata();
        return metadata == null ? Map.of() : Objects.requireNonNullElse(metadata.getAnnotations(), Map.of());
    }

    static int completions(JobSpec spec) {
        return Objects.requireNonNullElse(spec.getCompletions(), parallelism(spec));
    }

    private static int parallelism(JobSpec spec) {
        return Objects.requireNonNullElse(spec.getParallelism(), 1);
    }

    /** Why ranks of such a Job can never be there all at once, {@code null} where they can. */
    static @Nullable String refusal(String words, JobSpec spec, Template template) {
        if (template.problem() != null) {
            return words + ": " + template.problem();
        }
        if (!"Indexed".equals(spec.getCompletionMode())) {
            return words + " has no stable indices: set completionMode: Indexed";
        }
        if (parallelism(spec) < completions(spec)) {
            return words + " never has all its pods at once: parallelism is " + parallelism(spec) + " and completions "
                    + completions(spec) + "; set parallelism to " + completions(spec);
        }
        return null;
    }

    static int number(@Nullable String text) {
        try {
            return text == null ? -1 : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
