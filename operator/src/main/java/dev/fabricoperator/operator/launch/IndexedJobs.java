/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of Kubernetes with {@code completionMode: Indexed}. The job is that Job, or the JobSet that controls it. A Job that an MPIJob controls
 * makes the pod of its launcher, and needs no index.
 */
final class IndexedJobs implements PodOwnerKind {
    static final IndexedJobs KIND = new IndexedJobs();

    static final String API_VERSION = "batch/v1";

    private static final String LABELS = "batch.kubernetes.io/";
    static final String INDEX_LABEL = LABELS + "job-completion-index";
    /** Those of a Job's pods that Kubernetes itself makes; a pod can have thousands of others that begin alike. */
    static final Set<String> MADE_LABELS = Set.of(INDEX_LABEL, LABELS + "controller-uid", LABELS + "job-name");

    /** Annotations of Kueue's partial admission. */
    private static final String KUEUE_LEAST = "kueue.x-k8s.io/job-min-parallelism";

    private static final String KUEUE_EQUAL = "kueue.x-k8s.io/job-completions-equal-parallelism";

    private static final Set<String> FAILING = Set.of("FailureTarget", "Failed");
    private static final Set<String> SUCCEEDING = Set.of("SuccessCriteriaMet", "Complete");

    /** Characters. */
    private static final int MOST_INDEXES_SHOWN = 40;

    private IndexedJobs() {}

    @Override
    public String group() {
        return "batch";
    }

    @Override
    public String kind() {
        return "Job";
    }

    @Override
    public String plural() {
        return "jobs";
    }

    @Override
    public boolean makesCompletedPodsAgain() {
        return false;
    }

    @Override
    public String suffix() {
        return "job";
    }

    @Override
    public PodOwner podOwner(OwnerRef reference, JsonNode object) {
        Map<String, String> selector = madeSelector(object);
        OwnerRef above = OwnerRef.controller(object);
        if (above != null && OwnerKind.of(above) == MpiJobs.KIND && MpiJobs.isLauncher(reference, above)) {
            return new PodOwner(
                    above, pod -> isOf(selector, pod) ? MpiJobs.launcherSlot(pod.namespace(), above) : null);
        }
        if (above == null || OwnerKind.of(above) != JobSets.KIND) {
            return new PodOwner(reference, pod -> slot(pod, selector, reference, null, 0));
        }
        JsonNode labels = object.at("/metadata/labels");
        String app = labels.path(JobSets.APP_LABEL).asText();
        int jobIndex = number(labels.path(JobSets.JOB_INDEX_LABEL).textValue());
        return new PodOwner(above, pod -> slot(pod, selector, above, app, jobIndex));
    }

    private static @Nullable PodSlot slot(
            PodFact pod, Map<String, String> selector, OwnerRef owner, @Nullable String app, int jobIndex) {
        int index = number(pod.labels().get(INDEX_LABEL));
        return index < 0 || !isOf(selector, pod)
                ? null
                : new PodSlot(new JobKey(pod.namespace(), owner.uid()), owner, app, jobIndex, index);
    }

    private static boolean isOf(Map<String, String> selector, PodFact pod) {
        return pod.labels().entrySet().containsAll(selector.entrySet());
    }

    @Override
    public @Nullable String refusal(OwnerRef owner, JsonNode pod) {
        return pod.at("/metadata/annotations").path(INDEX_LABEL).isTextual()
                ? null
                : "the pods of " + owner.words() + " have no stable index: set spec.completionMode: Indexed";
    }

    @Override
    public @Nullable String fixedRank(JsonNode pod) {
        return pod.at("/metadata/labels").has(JobSets.NAME_LABEL)
                ? null
                : pod.at("/metadata/annotations").path(INDEX_LABEL).textValue();
    }

    /** Those labels of the selector that Kubernetes itself made; of a {@code manualSelector} there are none. */
    static Map<String, String> madeSelector(JsonNode job) {
        Map<String, String> made = new HashMap<>();
        for (String name : MADE_LABELS) {
            JsonNode value = job.at("/spec/selector/matchLabels").path(name);
            if (value.isTextual()) {
                made.put(name, value.textValue());
            }
        }
        return Map.copyOf(made);
    }

    /** Its pods are ended when it is about to fail or to be complete, which it says before it is: it is so when the last of them has ended. */
    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode object) {
        JsonNode condition = endCondition(object);
        if (condition == null) {
            return withoutSomeIndex(owner, object);
        }
        boolean failed = FAILING.contains(condition.path("type").asText());
        String message = condition.path("message").asText();
        String words = owner.words()
                + (failed ? " has failed: " : " is complete: ")
                + condition.path("reason").asText()
                + (message.isEmpty() ? "" : ", " + message);
        return new JobEnd(
                !failed,
                words,
                "DeadlineExceeded".equals(condition.path("reason").asText()));
    }

    private static @Nullable JsonNode endCondition(JsonNode job) {
        for (JsonNode condition : job.at("/status/conditions")) {
            String type = condition.path("type").asText();
            if ("True".equals(condition.path("status").asText())
                    && (FAILING.contains(type) || SUCCEEDING.contains(type))) {
                return condition;
            }
        }
        return null;
    }

    /** Of a Job that another owner has made, which decides what follows when the Job has ended, or is being made anew: why not all its pods will come any more. */
    static @Nullable JobEnd withoutSomeIndex(JsonNode job) {
        return endCondition(job) != null || job.at("/metadata").has("deletionTimestamp")
                ? null
                : withoutSomeIndex(
                        new OwnerRef(
                                API_VERSION,
                                KIND.kind(),
                                job.at("/metadata/name").asText(),
                                job.at("/metadata/uid").asText()),
                        job);
    }

    /** With {@code backoffLimitPerIndex} it goes on with the others when an index has failed too often, which ranks of one job cannot. */
    private static @Nullable JobEnd withoutSomeIndex(OwnerRef owner, JsonNode object) {
        String failed = object.at("/status/failedIndexes").asText();
        if (failed.isEmpty()) {
            return null;
        }
        String shown = failed.length() > MOST_INDEXES_SHOWN ? failed.substring(0, MOST_INDEXES_SHOWN) + "..." : failed;
        return new JobEnd(
                false,
                owner.words() + " makes no pod again of index " + shown
                        + " (status.failedIndexes), so that the job cannot be whole again");
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        JsonNode spec = object.path("spec");
        PodTemplate template = PodTemplate.of(spec.path("template"));
        return new DirectJob(
                        namespace,
                        owner,
                        List.of(new DirectJob.App(
                                owner.name(),
                                1,
                                completions(spec),
                                template.request().ranksPerPod())),
                        template.request().assemblyTimeout(),
                        template.request().rankOrder(),
                        refusal(owner, object, template),
                        new DirectJob.Advice(warnings(owner.words(), spec), null),
                        needsNotAll(spec))
                .asking(template.request());
    }

    private static @Nullable String refusal(OwnerRef owner, JsonNode job, PodTemplate template) {
        JsonNode spec = job.path("spec");
        String refusal =
                refusal(owner.words(), spec, spec.path("completionMode").asText(), template);
        JsonNode annotations = job.at("/metadata/annotations");
        // Kueue has lowered parallelism, and would again what its author raises.
        return refusal != null
                        && parallelism(spec) < completions(spec)
                        && annotations.has(KUEUE_LEAST)
                        && !annotations.path(KUEUE_EQUAL).asText().equals("true")
                ? owner.words() + " has the annotation " + KUEUE_LEAST
                        + ", by which Kueue has admitted it with parallelism "
                        + parallelism(spec) + ", and completions are still " + completions(spec)
                        + ", of which all must run at once: make it again with the annotation " + KUEUE_EQUAL
                        + ": \"true\", by which Kueue lowers both, or without " + KUEUE_LEAST
                : refusal;
    }

    /** @param spec of a Job */
    static boolean needsNotAll(JsonNode spec) {
        return !spec.at("/successPolicy/rules").isEmpty();
    }

    private static List<String> warnings(String words, JsonNode spec) {
        String limit = spec.has("backoffLimitPerIndex") ? "backoffLimitPerIndex" : "backoffLimit";
        return spec.path(limit).asInt(1) == 0
                ? List.of(words + " allows no retry: a single pod that is lost ends it; set spec." + limit
                        + " to 1 or more")
                : List.of();
    }

    static int completions(JsonNode spec) {
        return spec.path("completions").asInt(parallelism(spec));
    }

    private static int parallelism(JsonNode spec) {
        return spec.path("parallelism").asInt(1);
    }

    /** Why ranks of such a Job can never be there all at once, {@code null} where they can. */
    static @Nullable String refusal(String words, JsonNode spec, String completionMode, PodTemplate template) {
        if (template.problem() != null) {
            return words + ": " + template.problem();
        }
        if (!completionMode.equals("Indexed")) {
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
