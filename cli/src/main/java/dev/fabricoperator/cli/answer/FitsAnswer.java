/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.job.FreeHosts;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.view.answer.TiersAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a gang of pods fits now, one on each node.
 *
 * @param tier the highest that it may take; {@code null} for the whole fabric
 * @param fits whether it fits within that
 * @param nodes of the fabric that something reaches
 * @param free of these
 * @param tiers from the lowest to the whole
 * @param placement {@code null} where it does not fit
 * @param assumed what the answer rests on, in sentences
 */
@JsonPropertyOrder({"fabric", "generation", "pods", "tier", "fits", "nodes", "free", "tiers", "placement", "assumed"})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FitsAnswer(
        String fabric,
        long generation,
        int pods,
        @Nullable String tier,
        boolean fits,
        int nodes,
        int free,
        List<TierRoom> tiers,
        @Nullable Placement placement,
        List<String> assumed) {
    /** Costs of more nodes, each with each, are more than one answer holds. */
    private static final int MOST_NODES_WITH_COSTS = 2048;

    /** Names that one request holds: asked otherwise, all objects of the fabric would be read for a figure beside the answer. */
    private static final int MOST_CHARACTERS = 6_000;

    /**
     * What a tier has room for.
     *
     * @param parts how many leaves, pods and so on there are
     * @param largest gang that fits without leaving one part
     * @param where the part with room for that
     * @param lacking what keeps the pods that are asked about out of the part that lacks fewest nodes for them; {@code null} where they fit, or where no part has so many
     *     nodes
     */
    @JsonPropertyOrder({"tier", "name", "parts", "largest", "where", "fits", "lacking"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record TierRoom(
            int tier,
            String name,
            int parts,
            int largest,
            String where,
            boolean fits,
            @Nullable Lacking lacking) {}

    /**
     * @param nodes how many are missing
     * @param where the part
     * @param heldBy jobs with pods there, the one with most nodes first
     * @param cordoned nodes there that are Ready, and on which nothing is scheduled
     */
    @JsonPropertyOrder({"nodes", "where", "heldBy", "cordoned", "notReady"})
    public record Lacking(int nodes, String where, List<Holder> heldBy, int cordoned, int notReady) {}

    /** @param job as {@code namespace/name} */
    @JsonPropertyOrder({"job", "nodes"})
    public record Holder(String job, int nodes) {}

    /**
     * @param where the part that all nodes are in
     * @param mean cost of two of the nodes, {@code null} where it was not computed, or nothing reaches one of them; 0 of one node
     * @param worst likewise
     */
    @JsonPropertyOrder({"where", "nodes", "mean", "worst"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Placement(
            String where,
            List<String> nodes,
            @Nullable Double mean,
            @Nullable Integer worst) {}

    /**
     * @param tier name or number of the highest tier that the pods may take; {@code null} for the whole
     * @param answers who says what the placement costs
     */
    public static FitsAnswer of(
            TiersAnswer tree, NodeUse use, int pods, @Nullable String tier, FabricAnswers answers, List<String> assumed)
            throws Failure, IOException {
        List<TierTree.Vertex> vertices =
                tree.vertices().stream().map(TiersAnswer.Vertex::inTree).toList();
        if (vertices.isEmpty()) {
            throw Failure.failed(
                    "fabric " + tree.fabric() + " has no switch that is known, so nothing tells which nodes are near;"
                            + " 'kubectl fabric check' says what is missing",
                    null);
        }
        Set<String> nodes = new HashSet<>();
        vertices.forEach(vertex -> nodes.addAll(vertex.hosts()));
        Set<String> free = nodes.stream().filter(use::isFree).collect(Collectors.toSet());
        FreeHosts room = new FreeHosts(vertices, free);
        List<FreeHosts.Tier> tiers = room.tiers();
        int highest = tier == null ? Integer.MAX_VALUE : number(tree.fabric(), tiers, tier);
        TierTree.Vertex taken = room.room(pods, highest);
        return new FitsAnswer(
                tree.fabric(),
                tree.generation(),
                pods,
                tier,
                taken != null,
                nodes.size(),
                free.size(),
                tiers.stream().map(one -> room(one, room, use, pods)).toList(),
                taken == null ? null : placement(tree.fabric(), taken.name(), room.taken(taken, pods), answers),
                assumed);
    }

    private static int number(String fabric, List<FreeHosts.Tier> tiers, String asked) throws Failure {
        for (FreeHosts.Tier one : tiers) {
            if (one.name().equals(asked) || Integer.toString(one.tier()).equals(asked)) {
                return one.tier();
            }
        }
        throw Failure.wrongUsage("fabric " + fabric + " has no tier '" + asked + "'; there is "
                + tiers.stream().map(FreeHosts.Tier::name).collect(Collectors.joining(", ")));
    }

    private static TierRoom room(FreeHosts.Tier tier, FreeHosts room, NodeUse use, int pods) {
        boolean fits = tier.largest() >= pods;
        TierTree.Vertex nearest = fits ? null : room.nearestToRoom(tier.tier(), pods);
        return new TierRoom(
                tier.tier(),
                tier.name(),
                tier.parts(),
                tier.largest(),
                tier.roomiest().name(),
                fits,
                nearest == null ? null : lacking(nearest.name(), room, use, pods));
    }

    private static Lacking lacking(String vertex, FreeHosts room, NodeUse use, int pods) {
        SortedMap<String, Integer> nodesOfJob = new TreeMap<>();
        int cordoned = 0;
        int notReady = 0;
        for (String node : room.hosts(vertex)) {
            if (!use.isReady(node)) {
                notReady++;
            } else if (use.cordoned().contains(node)) {
                cordoned++;
            } else {
                use.jobsOf().getOrDefault(node, Set.of()).forEach(job -> nodesOfJob.merge(job, 1, Integer::sum));
            }
        }
        List<Holder> heldBy = new ArrayList<>();
        nodesOfJob.forEach((job, nodes) -> heldBy.add(new Holder(job, nodes)));
        heldBy.sort(Comparator.comparingInt(Holder::nodes).reversed());
        return new Lacking(pods - room.free(vertex).size(), vertex, heldBy, cordoned, notReady);
    }

    private static Placement placement(String fabric, String where, List<String> nodes, FabricAnswers answers)
            throws Failure, IOException {
        if (nodes.size() == 1) {
            return new Placement(where, nodes, 0.0, 0);
        }
        int characters = nodes.stream().mapToInt(node -> node.length() + 1).sum();
        if (nodes.size() > MOST_NODES_WITH_COSTS || characters > MOST_CHARACTERS) {
            return new Placement(where, nodes, null, null);
        }
        List<List<Integer>> costs =
                answers.ask(new Question.Hosts(fabric, nodes)).costs();
        long sum = 0;
        int worst = 0;
        for (int from = 0; from < nodes.size() - 1; from++) {
            List<Integer> row = costs.get(from);
            for (int to = from + 1; to < nodes.size(); to++) {
                sum += row.get(to);
                worst = Math.max(worst, row.get(to));
            }
        }
        long pairs = (long) nodes.size() * (nodes.size() - 1) / 2;
        return worst == CostMatrix.UNREACHABLE
                ? new Placement(where, nodes, null, null)
                : new Placement(where, nodes, (double) sum / pairs, worst);
    }
}
