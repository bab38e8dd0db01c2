/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.LaunchApi;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LeaderWorkerSets: each group is a job, for as long as the LeaderWorkerSet is there, and each time that its pods are made anew an attempt. A StatefulSet makes the
 * leaders of all groups, and for each leader, which controls it, one more makes the workers of its group; what they call their pods is
 * {@code NAME-GROUP} and {@code NAME-GROUP-WORKER}.
 *
 * @see "sigs.k8s.io/lws v0.7.0, pkg/controllers/leaderworkerset_controller.go and pod_controller.go"
 */
final class LeaderWorkerSets implements OwnerKind {
    static final LeaderWorkerSets KIND = new LeaderWorkerSets();

    private static final String LEADER = "leader";
    private static final String WORKER = "worker";

    private LeaderWorkerSets() {}

    @Override
    public String group() {
        return "leaderworkerset.x-k8s.io";
    }

    @Override
    public String kind() {
        return "LeaderWorkerSet";
    }

    @Override
    public String plural() {
        return "leaderworkersets";
    }

    @Override
    public boolean isService() {
        return true;
    }

    @Override
    public String suffix() {
        return "lws";
    }

    /**
     * Of the pods of a StatefulSet that something controls.
     *
     * @param otherwise where that is nothing that a LeaderWorkerSet has made
     * @return {@code null} where the pod that is to control it does not exist
     */
    static @Nullable PodOwner podOwner(
            OwnerRef statefulSet, OwnerRef above, PodOwner otherwise, OwnerReader.Lookup others)
            throws IOException, InterruptedException {
        if (OwnerKind.of(above) == KIND) {
            // There is no second one of that name.
            return statefulSet.name().equals(above.name()) ? leaders(above) : otherwise;
        }
        if (!above.isPod()) {
            return otherwise;
        }
        JsonNode leader = others.get(above);
        if (leader == null) {
            return null;
        }
        OwnerRef leaders = OwnerRef.controller(leader);
        JsonNode leadersObject =
                leaders == null || OwnerKind.of(leaders) != StatefulSets.KIND ? null : others.get(leaders);
        OwnerRef set = leadersObject == null ? null : OwnerRef.controller(leadersObject);
        if (leaders == null
                || set == null
                || OwnerKind.of(set) != KIND
                || !leaders.name().equals(set.name())) {
            return otherwise;
        }
        int groupIndex = groupIndex(set, above.name());
        return groupIndex >= 0 && statefulSet.name().equals(above.name())
                ? workers(set.ofGroup(groupIndex))
                : otherwise;
    }

    private static PodOwner leaders(OwnerRef set) {
        return new PodOwner(set, pod -> {
            int groupIndex = groupIndex(set, pod.name());
            return groupIndex < 0 ? null : slot(pod, set.ofGroup(groupIndex), 0);
        });
    }

    private static PodOwner workers(OwnerRef group) {
        return new PodOwner(group, pod -> {
            int index = PodOwnerKind.indexBehind(group.jobName() + "-", pod.name());
            return index < 1 ? null : slot(pod, group, index);
        });
    }

    /** Of a leader, and of what has its name; -1 for a pod that is none. */
    private static int groupIndex(OwnerRef set, String pod) {
        return PodOwnerKind.indexBehind(set.name() + "-", pod);
    }

    /** An owner reference has no place for the group. */
    @Override
    public OwnerRef ofJobObject(OwnerRef owner, String object) {
        String behind = "-" + suffix();
        int groupIndex = groupIndex(
                owner, object.endsWith(behind) ? object.substring(0, object.length() - behind.length()) : object);
        return groupIndex < 0 ? owner : owner.ofGroup(groupIndex);
    }

    private static PodSlot slot(PodFact pod, OwnerRef group, int index) {
        return new PodSlot(group.jobKey(pod.namespace()), group, null, 0, index);
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        JsonNode spec = object.at("/spec/leaderWorkerTemplate");
        int size = spec.path("size").asInt(1);
        boolean hasLeaderTemplate = spec.path("leaderTemplate").isObject();
        JsonNode ofLeader = spec.path(hasLeaderTemplate ? "leaderTemplate" : "workerTemplate");
        PodTemplate leader = PodTemplate.of(ofLeader);
        PodTemplate worker = size > 1 ? PodTemplate.of(spec.path("workerTemplate")) : leader;
        List<DirectJob.App> apps = hasLeaderTemplate && size > 1
                ? List.of(
                        new DirectJob.App(LEADER, 1, 1, leader.request().ranksPerPod()),
                        new DirectJob.App(WORKER, 1, size - 1, worker.request().ranksPerPod(), 1))
                : List.of(new DirectJob.App(
                        owner.jobName(), 1, size, leader.request().ranksPerPod()));
        return new DirectJob(
                        namespace,
                        owner,
                        apps,
                        leader.request().assemblyTimeout(),
                        leader.request().rankOrder(),
                        refusal(owner, leader, worker),
                        new DirectJob.Advice(
                                List.of(),
                                whereReadyAfterStart(
                                        owner, object, PodTemplate.application(ofLeader, leader.request()))),
                        false)
                .asking(leader.request());
    }

    private static @Nullable String refusal(OwnerRef owner, PodTemplate leader, PodTemplate worker) {
        if (leader.problem() != null || worker.problem() != null) {
            return owner.words() + ": " + (leader.problem() != null ? leader.problem() : worker.problem());
        }
        return leader.direct() && worker.direct()
                ? null
                : owner.words() + " asks for a direct launch in its " + (leader.direct() ? LEADER : WORKER)
                        + "Template only, and a group is one job: set the annotation " + LaunchApi.LAUNCH
                        + " in leaderTemplate and workerTemplate";
    }

    private static @Nullable String whereReadyAfterStart(OwnerRef owner, JsonNode object, JsonNode ofRanks) {
        return PodTemplate.readyAfterStart(ofRanks)
                        && object.at("/spec/startupPolicy").asText().equals("LeaderReady")
                ? owner.words()
                        + " makes the workers of a group when its leader is ready, and here no rank starts before all"
                        + " pods are there: set spec.startupPolicy: LeaderCreated, or remove the probes"
                : null;
    }

    /** A group ends when there are to be fewer; when there are to be more again, it has another attempt. */
    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode object) {
        int groups = object.at("/spec/replicas").asInt(1);
        return owner.groupIndex() < groups
                ? null
                : new JobEnd(false, owner.words() + " has ended: spec.replicas is " + groups);
    }
}
