/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of Volcano: one nspace, each task whose template asks for a direct launch an app. A pod's place stands in its name, by which
 * Volcano itself finds it: no two pods have one name at one time, and nobody can change it, as they can labels.
 *
 * @see "volcano.sh/volcano v1.14.1, pkg/controllers/job: job_controller_actions.go, job_controller_util.go, state/"
 */
final class VolcanoJobs implements PodOwnerKind {
    static final VolcanoJobs KIND = new VolcanoJobs();

    private static final Set<String> ENDED_WELL = Set.of("Completing", "Completed");
    /** One that is aborted can be resumed, and then makes pods for another attempt. */
    private static final Set<String> ENDED_BADLY = Set.of("Aborting", "Aborted", "Terminating", "Terminated", "Failed");

    /** Events that any pod's failure is, whatever its exit code. */
    private static final Set<String> FAILURES = Set.of("PodFailed", "*");

    private VolcanoJobs() {}

    @Override
    public String group() {
        return "batch.volcano.sh";
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
    public String words() {
        return "Volcano Job";
    }

    @Override
    public String suffix() {
        return "vcjob";
    }

    @Override
    public PodOwner podOwner(OwnerRef reference, JsonNode object) {
        return new PodOwner(reference, pod -> {
            Place place = Place.of(pod.name(), reference);
            return place == null
                    ? null
                    : new PodSlot(
                            new JobKey(pod.namespace(), reference.uid()), reference, place.task(), 0, place.index());
        });
    }

    /** Of a pod in its Job: JOB-TASK-INDEX. */
    private record Place(String task, int index) {
        static @Nullable Place of(String pod, OwnerRef job) {
            int first = job.name().length() + 1;
            int last = pod.lastIndexOf('-');
            if (!pod.startsWith(job.name() + "-") || last < first) {
                return null;
            }
            int index = PodOwnerKind.indexBehind(pod.substring(0, last + 1), pod);
            return index < 0 ? null : new Place(pod.substring(first, last), index);
        }
    }

    @Override
    public @Nullable String refusal(OwnerRef owner, JsonNode pod) {
        return Place.of(pod.at("/metadata/name").asText(), owner) != null
                ? null
                : "the pod has no place in " + owner.words() + ": it is called "
                        + pod.at("/metadata/name").asText("nothing") + ", and Volcano calls its pods JOB-TASK-INDEX";
    }

    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode object) {
        String phase = object.at("/status/state/phase").asText();
        boolean well = ENDED_WELL.contains(phase);
        String message = object.at("/status/state/message").asText();
        return well || ENDED_BADLY.contains(phase)
                ? new JobEnd(well, owner.words() + " has ended: " + phase + (message.isEmpty() ? "" : ", " + message))
                : null;
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        JsonNode spec = object.path("spec");
        List<DirectJob.App> apps = new ArrayList<>();
        PodTemplate first = null;
        String refusal = null;
        for (JsonNode task : spec.path("tasks")) {
            PodTemplate template = PodTemplate.of(task.path("template"));
            if (template.direct()) {
                first = first == null ? template : first;
                apps.add(new DirectJob.App(
                        task.path("name").asText(),
                        1,
                        task.path("replicas").asInt(),
                        template.request().ranksPerPod()));
                refusal = refusal == null ? refusal(owner, spec, task, template) : refusal;
            }
        }
        if (first == null) {
            refusal = owner.words() + " has no task whose template asks for a direct launch";
        } else if (refusal == null) {
            refusal = partOfAGang(owner, spec);
        }
        LaunchRequest request = first == null ? LaunchRequest.DEFAULTS : first.request();
        return new DirectJob(
                        namespace,
                        owner,
                        apps,
                        request.assemblyTimeout(),
                        request.rankOrder(),
                        refusal,
                        new DirectJob.Advice(warnings(owner, spec, apps), null),
                        needsNotAll(spec, apps))
                .asking(request);
    }

    private static boolean needsNotAll(JsonNode spec, List<DirectJob.App> apps) {
        JsonNode enough = spec.path("minSuccess");
        boolean some = enough.isNumber()
                && enough.asLong()
                        < apps.stream().mapToLong(DirectJob.App::podsPerJob).sum();
        for (JsonNode task : spec.path("tasks")) {
            for (JsonNode policy : task.path("policies")) {
                Set<String> events = new HashSet<>();
                policy.path("events").forEach(event -> events.add(event.asText()));
                events.add(policy.path("event").asText());
                some |= events.contains("TaskCompleted")
                        && policy.path("action").asText().equals("CompleteJob");
            }
        }
        return some;
    }

    private static List<String> warnings(OwnerRef owner, JsonNode spec, List<DirectJob.App> apps) {
        long pods = apps.stream().mapToLong(DirectJob.App::podsPerJob).sum();
        JsonNode enough = spec.path("minSuccess");
        return enough.isNumber() && enough.asLong() < pods
                ? List.of(owner.words() + " has minSuccess: as soon as " + enough.asLong()
                        + " of its pods have completed, Volcano"
                        + " ends the others, whose ranks may still run; leave it out")
                : List.of();
    }

    /** Why the ranks of a task cannot be started, or could not be ended. */
    private static @Nullable String refusal(OwnerRef owner, JsonNode spec, JsonNode task, PodTemplate template) {
        String words = "task " + task.path("name").asText() + " of " + owner.words();
        if (template.problem() != null) {
            return words + ": " + template.problem();
        }
        if (task.has("dependsOn")) {
            return words + " has dependsOn, so that its pods are made later than others, and Volcano places a gang"
                    + " when all its pods are made: remove dependsOn";
        }
        return switch (task.at("/template/spec/restartPolicy").asText()) {
            case "OnFailure" -> null;
            case "Never" ->
                actsOnFailure(spec) || actsOnFailure(task)
                        ? null
                        : words
                                + " says nothing of pods that fail, and then Volcano leaves the others running, whose ranks"
                                + " would wait for ever: add {event: PodFailed, action: RestartJob} to spec.policies, or"
                                + " action: TerminateJob where nothing is to be tried again";
            default ->
                words + " has restartPolicy: Always, by which containers begin again after they have ended well:"
                        + " set restartPolicy: Never";
        };
    }

    private static boolean actsOnFailure(JsonNode of) {
        for (JsonNode policy : of.path("policies")) {
            Stream<JsonNode> events = Stream.concat(
                    Stream.of(policy.path("event")), policy.path("events").valueStream());
            if (events.anyMatch(event -> FAILURES.contains(event.asText()))) {
                return true;
            }
        }
        return false;
    }

    /** Why Volcano may place some of the pods that are launched directly without the others. */
    private static @Nullable String partOfAGang(OwnerRef owner, JsonNode spec) {
        long all = 0;
        long ofTasks = 0;
        boolean whole = true;
        for (JsonNode task : spec.path("tasks")) {
            long replicas = task.path("replicas").asLong();
            long least = least(task, replicas);
            all += replicas;
            ofTasks += least;
            whole &= least >= replicas || !LaunchRequest.isDirect(LaunchRequest.annotations(task.path("template")));
        }
        long least = spec.path("minAvailable").asLong();
        // What tasks say counts only where the Job asks for as many as they do together.
        return least >= all || (whole && least >= ofTasks)
                ? null
                : owner.words()
                        + " can begin with some of its pods, and all ranks of a job run at one time: minAvailable is "
                        + least + ", and " + all + " pods are made; set spec.minAvailable to " + all
                        + ", and leave out minAvailable of tasks that are launched directly";
    }

    private static long least(JsonNode task, long replicas) {
        JsonNode partitions = task.path("partitionPolicy");
        long ofPartitions = partitions.path("minPartitions").asLong()
                * partitions.path("partitionSize").asLong();
        return task.path("minAvailable").asLong(ofPartitions == 0 ? replicas : ofPartitions);
    }
}
