/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.JobPlacementStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One directly launched job: how it stands, where it is, what that costs, and why it waits.
 *
 * @param summary as {@code kubectl fabric jobs} has it
 * @param costOverBest mean pair cost divided by the best one's; {@code null} where one of them is not known
 * @param missing the first of the pods that have not come
 * @param waitingSince when the first pod of the attempt came
 * @param next what to do, {@code null} where there is nothing
 * @param nodes ascending; empty where pods may not be read
 * @param switches by plane, most ranks first; a host is at one switch on each of its planes
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobReport(
        JobSummary summary,
        @Nullable Double costOverBest,
        @Nullable String waitingSince,
        List<String> missing,
        @Nullable String next,
        List<OnNode> nodes,
        List<AtSwitch> switches) {
    private static final int HUNDREDTHS = 100;

    /**
     * Pods of one node.
     *
     * @param ranks that the launchers of these pods start
     * @param switches ids, by plane
     */
    public record OnNode(String node, int ranks, List<String> pods, List<String> switches) {}

    /** Ranks whose nodes have a device at a switch. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AtSwitch(
            @Nullable String plane, String id, @Nullable String name, int ranks, List<String> nodes) {}

    /**
     * @param pods {@code null} where they may not be read
     * @param devices of the nodes that the pods are on
     * @param names of switches, by id
     */
    static JobReport of(
            FabricJob job, @Nullable List<JobPods.Placed> pods, List<FabricDevice> devices, Map<String, String> names) {
        JobSummary summary = JobSummary.of(job);
        FabricJobStatus status = job.getStatus();
        JobPlacementStatus placement = summary.placement();
        Double mean = placement == null ? null : placement.meanCost();
        Double best = placement == null ? null : placement.bestMeanCost();
        Map<String, List<JobPods.Placed>> byNode = new TreeMap<>();
        for (JobPods.Placed pod : pods == null ? List.<JobPods.Placed>of() : pods) {
            if (pod.node() != null) {
                byNode.computeIfAbsent(pod.node(), node -> new ArrayList<>()).add(pod);
            }
        }
        Map<String, SortedSet<SwitchKey>> switchesOf = new TreeMap<>();
        for (FabricDevice device : devices) {
            FabricDeviceStatus place = device.getStatus();
            if (place != null
                    && place.switchId() != null
                    && (summary.fabric() == null || summary.fabric().equals(place.fabric()))) {
                switchesOf
                        .computeIfAbsent(
                                Objects.requireNonNullElse(device.getSpec().nodeName(), ""), node -> new TreeSet<>())
                        .add(new SwitchKey(Objects.requireNonNullElse(place.plane(), ""), place.switchId()));
            }
        }
        List<OnNode> nodes = new ArrayList<>();
        Map<SwitchKey, List<OnNode>> bySwitch = new TreeMap<>();
        byNode.forEach((node, placed) -> {
            List<SwitchKey> at = List.copyOf(switchesOf.getOrDefault(node, new TreeSet<>()));
            OnNode one = new OnNode(
                    node,
                    placed.stream().mapToInt(JobPods.Placed::ranks).sum(),
                    placed.stream().map(JobPods.Placed::pod).sorted().toList(),
                    at.stream().map(SwitchKey::id).distinct().toList());
            nodes.add(one);
            at.forEach(
                    key -> bySwitch.computeIfAbsent(key, k -> new ArrayList<>()).add(one));
        });
        List<AtSwitch> switches = new ArrayList<>();
        bySwitch.forEach((key, on) -> switches.add(new AtSwitch(
                key.plane().isEmpty() ? null : key.plane(),
                key.id(),
                names.get(key.id()),
                on.stream().mapToInt(OnNode::ranks).sum(),
                on.stream().map(OnNode::node).toList())));
        switches.sort(Comparator.comparing((AtSwitch one) -> Objects.requireNonNullElse(one.plane(), ""))
                .thenComparingInt(one -> -one.ranks())
                .thenComparing(AtSwitch::id));
        return new JobReport(
                summary,
                mean == null || best == null || best == 0
                        ? null
                        : Math.round(mean / best * HUNDREDTHS) / (double) HUNDREDTHS,
                status == null ? null : status.waitingSince(),
                status == null ? List.of() : status.missing(),
                next(job, summary),
                nodes,
                switches);
    }

    private record SwitchKey(String plane, String id) implements Comparable<SwitchKey> {
        private static final Comparator<SwitchKey> ORDER =
                Comparator.comparing(SwitchKey::plane).thenComparing(SwitchKey::id);

        @Override
        public int compareTo(SwitchKey other) {
            return ORDER.compare(this, other);
        }
    }

    /** Ids of all switches that devices are at. */
    static TreeSet<String> switchIds(List<FabricDevice> devices) {
        TreeSet<String> ids = new TreeSet<>();
        for (FabricDevice device : devices) {
            FabricDeviceStatus place = device.getStatus();
            if (place != null && place.switchId() != null) {
                ids.add(place.switchId());
            }
        }
        return ids;
    }

    private static @Nullable String next(FabricJob job, JobSummary summary) {
        String namespace = summary.namespace();
        String ofPods = "kubectl get pods -n " + namespace + " -o wide";
        if (summary.phase() == null) {
            return "no server of the operator has seen a pod of it: kubectl fabric status";
        }
        String reason = job.getStatus().conditions().stream()
                .filter(condition -> condition.type().equals("Whole"))
                .map(Condition::reason)
                .findFirst()
                .orElse("");
        if (reason.equals("CannotBeLaunched")) {
            return "change what the message names in the job's template, and create it again";
        }
        if (reason.equals("HostsNotPrepared")) {
            return "the Fabric asks for prepared hosts (spec.hostPreparation.device): look at the preparer on the nodes of"
                    + " these pods; " + ofPods;
        }
        if (summary.phase() == JobPhase.Assembling) {
            return "are the missing pods there and scheduled? " + ofPods
                    + "; what was injected into one: kubectl fabric" + " explain POD -n " + namespace;
        }
        if (summary.phase() == JobPhase.TimedOut) {
            return "pods did not come in time: is there room for all of them at once? " + ofPods
                    + "; the annotation fabric-operator.dev/assembly-timeout gives them longer";
        }
        return summary.phase() == JobPhase.Failed ? "kubectl logs of the pod that the message names" : null;
    }
}
