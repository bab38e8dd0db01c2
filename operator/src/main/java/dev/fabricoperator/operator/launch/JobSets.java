/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.fabricoperator.crds.LaunchApi;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * JobSets: one nspace, each ReplicatedJob whose template asks for a direct launch an app.
 *
 * @see "sigs.k8s.io/jobset api/jobset/v1alpha2, labels of Jobs and spec.replicatedJobs"
 */
final class JobSets implements OwnerKind {
    static final JobSets KIND = new JobSets();

    static final String LABELS = "jobset.sigs.k8s.io/";
    /** On a Job: the ReplicatedJob that it is one of. */
    static final String APP_LABEL = LABELS + "replicatedjob-name";

    static final String JOB_INDEX_LABEL = LABELS + "job-index";
    /** On a Job and its pods. */
    static final String NAME_LABEL = LABELS + "jobset-name";

    private static final String READY = "Ready";

    private JobSets() {}

    @Override
    public String group() {
        return "jobset.x-k8s.io";
    }

    @Override
    public String kind() {
        return "JobSet";
    }

    @Override
    public String plural() {
        return "jobsets";
    }

    @Override
    public String suffix() {
        return "jobset";
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        List<DirectJob.App> apps = new ArrayList<>();
        PodTemplate first = null;
        String refusal = null;
        for (JsonNode job : object.at("/spec/replicatedJobs")) {
            JsonNode spec = job.at("/template/spec");
            PodTemplate template = PodTemplate.of(spec.path("template"));
            if (template.direct()) {
                first = first == null ? template : first;
                String name = job.path("name").asText();
                apps.add(new DirectJob.App(
                        name,
                        job.path("replicas").asInt(1),
                        IndexedJobs.completions(spec),
                        template.request().ranksPerPod()));
                // JobSet makes its Jobs indexed where nothing else is said.
                String mode = spec.path("completionMode").asText("Indexed");
                String reason = IndexedJobs.refusal("ReplicatedJob " + name, spec, mode, template);
                refusal = refusal == null ? reason : refusal;
            }
        }
        List<Dependence> dependences = dependences(
                object, apps.stream().map(DirectJob.App::name).collect(Collectors.toCollection(LinkedHashSet::new)));
        for (Dependence each : dependences) {
            refusal = refusal == null && !each.status().equals(READY) ? each.words(owner) : refusal;
        }
        if (first == null) {
            refusal = owner.words() + " has no template that asks for a direct launch";
        }
        LaunchRequest request = first == null ? LaunchRequest.DEFAULTS : first.request();
        return new DirectJob(
                        namespace,
                        owner,
                        apps,
                        request.assemblyTimeout(),
                        request.rankOrder(),
                        refusal,
                        advice(owner, object, dependences),
                        needsNotAll(object, apps))
                .asking(request);
    }

    private static boolean needsNotAll(JsonNode jobSet, List<DirectJob.App> apps) {
        JsonNode policy = jobSet.at("/spec/successPolicy");
        Set<String> targets = new HashSet<>();
        policy.path("targetReplicatedJobs").forEach(target -> targets.add(target.asText()));
        boolean some = !targets.isEmpty() && apps.stream().anyMatch(app -> !targets.contains(app.name()));
        boolean ofAJob = false;
        for (JsonNode job : jobSet.at("/spec/replicatedJobs")) {
            ofAJob |= IndexedJobs.needsNotAll(job.at("/template/spec"));
        }
        return some || ofAJob || policy.path("operator").asText().equals("Any");
    }

    /**
     * What a ReplicatedJob of the gang waits for that is of the gang, too, directly or by way of others that are not.
     *
     * @param status of the one that is waited for, as JobSet calls it
     */
    private record Dependence(String name, String other, String status) {
        String words(OwnerRef owner) {
            return owner.words() + " makes ReplicatedJob " + name + " when " + other + " is " + status
                    + ", and the ranks of both are one job, of which none runs before all pods are there: remove dependsOn, or"
                    + (status.equals(READY) ? " the probes of " + other + ", or" : "") + " the annotation "
                    + LaunchApi.LAUNCH + " from one of them";
        }
    }

    /**
     * Each dependence once, and all of them in one pass, for whoever can make a JobSet decides how many there are: of ReplicatedJobs and of their dependsOn.
     *
     * @see "JobSet, spec.replicatedJobs[].dependsOn"
     */
    private static List<Dependence> dependences(JsonNode jobSet, Set<String> direct) {
        Map<String, JsonNode> dependsOn = new HashMap<>();
        jobSet.at("/spec/replicatedJobs")
                .forEach(job -> dependsOn.put(job.path("name").asText(), job.path("dependsOn")));
        List<Dependence> found = new ArrayList<>();
        // By ReplicatedJob: one of the gang that waits for it, or itself.
        Map<String, String> waiting = new HashMap<>();
        direct.forEach(name -> waiting.put(name, name));
        Deque<String> asked = new ArrayDeque<>(direct);
        while (!asked.isEmpty()) {
            String through = asked.remove();
            String name = waiting.getOrDefault(through, through);
            for (JsonNode each : dependsOn.getOrDefault(through, MissingNode.getInstance())) {
                String other = each.path("name").asText();
                if (direct.contains(other)) {
                    found.add(new Dependence(name, other, each.path("status").asText()));
                }
                if (waiting.putIfAbsent(other, name) == null) {
                    asked.add(other);
                }
            }
        }
        return found;
    }

    private static DirectJob.Advice advice(OwnerRef owner, JsonNode jobSet, List<Dependence> dependences) {
        if (jobSet.at("/spec/startupPolicy/startupPolicyOrder").asText().equals("InOrder")
                && jobSet.at("/spec/replicatedJobs").size() > 1) {
            return new DirectJob.Advice(
                    List.of(),
                    owner.words()
                            + " starts its jobs one after the other, each when the one before is ready, and here none is"
                            + " ready before all have started: set spec.startupPolicy.startupPolicyOrder: AnyOrder, or remove the"
                            + " probes");
        }
        List<Dependence> ready =
                dependences.stream().filter(each -> each.status().equals(READY)).toList();
        return ready.isEmpty()
                ? DirectJob.Advice.NONE
                : new DirectJob.Advice(
                        List.of(),
                        ready.getFirst().words(owner),
                        ready.stream().map(Dependence::other).collect(Collectors.toSet()),
                        null);
    }

    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode jobSet) {
        String state = jobSet.at("/status/terminalState").asText();
        return state.isEmpty() ? null : new JobEnd("Completed".equals(state), owner.words() + " has ended: " + state);
    }

    /** @see "sigs.k8s.io/jobset pkg/util/placement, GenJobName" */
    @Override
    public @Nullable String jobOf(JsonNode jobSet, DirectJob job, int ordinal) {
        String app = job.apps().get(job.appOf(ordinal)).name();
        for (JsonNode each : jobSet.at("/spec/replicatedJobs")) {
            if (each.path("name").asText().equals(app)
                    && each.at("/template/spec").has("backoffLimitPerIndex")) {
                return job.owner().name() + "-" + app + "-" + job.jobIndex(ordinal);
            }
        }
        return null;
    }
}
