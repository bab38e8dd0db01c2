/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.answer.FitsAnswer;
import dev.fabricoperator.cli.answer.NodeUse;
import dev.fabricoperator.cli.cluster.ClusterAnswers;
import dev.fabricoperator.cli.cluster.NodeUseReader;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.view.answer.TiersAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fits}: where a gang of pods has room now. */
@Command(
        name = "fits",
        description = {
            "Show where a gang of pods fits now, one pod on each node, and what keeps it out.",
            "The largest gang of each tier of the fabric, and where --pods would go. Nothing is reserved.",
            "A node is free that is Ready and not cordoned and has no pod of a job. What pods ask for, taints",
            "and selectors are not looked at. All nodes of files are free."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric fits --pods 64",
            "  kubectl fabric fits --pods 16 --tier leaf     # behind one leaf switch",
            "  kubectl fabric fits --pods 16 -o name         # the nodes that it would get",
            "  kubectl fabric fits --pods 64 fabric.txt.gz   # before anything is on it"
        })
final class FitsCommand extends FabricCommand {
    private static final int SHOWN_HOLDERS = 3;

    @Option(
            names = "--pods",
            required = true,
            paramLabel = "N",
            description = "Pods of the gang, each on a node of its own.")
    int pods;

    @Option(
            names = "--tier",
            paramLabel = "TIER",
            description = "Highest tier that the gang may take, as 'leaf' or 1; default is the whole fabric.")
    @Nullable
    String tier;

    @Option(names = "--on", paramLabel = "FABRIC", description = "The same as --fabric.")
    @Nullable
    String on;

    @Parameters(paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        if (pods < 1) {
            throw Failure.wrongUsage("--pods is a number from 1, not " + pods);
        }
        if (on != null && fabric.name != null) {
            throw Failure.wrongUsage("--on and --fabric mean the same: give one of them");
        }
        FitsAnswer answer;
        try (FabricAnswers answers = fabric.answers(files)) {
            // Both on their way at one time.
            NodeUseReader reading = answers instanceof ClusterAnswers cluster ? cluster.readNodeUse() : null;
            TiersAnswer tiers = answers.ask(new Question.Tiers(on == null ? fabric.name : on));
            NodeUse use = reading == null ? NodeUse.none(nodes(tiers)) : reading.read();
            answer = FitsAnswer.of(tiers, use, pods, tier, answers, assumed(reading != null, tiers.unplaced()));
        }
        output.print(
                answer,
                () -> tables(answer, output.format == OutputFormat.wide),
                () -> answer.placement() == null ? List.<String>of().stream() : answer.placement().nodes().stream());
        return 0;
    }

    private static Set<String> nodes(TiersAnswer tiers) {
        Set<String> nodes = new HashSet<>();
        tiers.vertices().forEach(vertex -> nodes.addAll(vertex.nodes()));
        return nodes;
    }

    /** @param unplaced nodes that nothing reaches, so that they are not among those of the fabric */
    static List<String> assumed(boolean cluster, List<String> unplaced) {
        List<String> assumed = new ArrayList<>();
        assumed.add("one pod on each node; what pods ask for, taints and selectors are not looked at");
        assumed.add(
                cluster
                        ? "a node is free that is Ready and not cordoned and has no pod of a Job, JobSet, LeaderWorkerSet, MPIJob, Volcano Job or direct launch"
                        : "nothing is on any node of the files");
        if (!unplaced.isEmpty()) {
            assumed.add((unplaced.size() == 1 ? "1 node is" : unplaced.size() + " nodes are")
                    + " left out, since nothing in the fabric leads there: " + CellFormat.hosts(unplaced, false));
        }
        return assumed;
    }

    private List<TextTable> tables(FitsAnswer answer, boolean wide) {
        TextTable table =
                new TextTable("TIER", "PARTS", "LARGEST", "WHERE", "FITS", "WHAT KEEPS IT OUT").endingInSentence();
        for (FitsAnswer.TierRoom one : answer.tiers()) {
            table.row(
                    one.name(),
                    one.parts(),
                    one.largest(),
                    one.where(),
                    one.fits() ? "yes" : "no",
                    one.fits() ? null : CellFormat.sentence(lacking(one.lacking(), answer.pods(), wide), wide));
        }
        List<TextTable> tables = new ArrayList<>();
        tables.add(table);
        tables.add(TextTable.sentence(sentence(answer, wide)));
        tables.addAll(CellFormat.notes(answer.assumed()));
        return tables;
    }

    private static String lacking(FitsAnswer.@Nullable Lacking lacking, int pods, boolean wide) {
        if (lacking == null) {
            return "no part has " + pods + " nodes";
        }
        List<String> reasons = new ArrayList<>();
        List<FitsAnswer.Holder> holders = lacking.heldBy();
        holders.stream()
                .limit(wide ? holders.size() : SHOWN_HOLDERS)
                .forEach(holder -> reasons.add(holder.job() + " has " + holder.nodes()));
        if (!wide && holders.size() > SHOWN_HOLDERS) {
            reasons.add((holders.size() - SHOWN_HOLDERS) + " more jobs");
        }
        if (lacking.cordoned() > 0) {
            reasons.add(lacking.cordoned() + " cordoned");
        }
        if (lacking.notReady() > 0) {
            reasons.add(lacking.notReady() + " not Ready");
        }
        return lacking.nodes() + " missing in " + lacking.where() + ": " + String.join(", ", reasons);
    }

    private static String sentence(FitsAnswer answer, boolean wide) {
        String asked = answer.pods() + (answer.pods() == 1 ? " pod" : " pods");
        String of = answer.free() + " of " + answer.nodes() + " nodes of fabric " + answer.fabric() + " are free";
        FitsAnswer.Placement placement = answer.placement();
        if (placement == null) {
            return asked + (answer.pods() == 1 ? " does" : " do") + " not fit"
                    + (answer.tier() == null ? "" : " below one " + answer.tier()) + " now; " + of + ".";
        }
        String cost = placement.mean() == null
                ? ""
                : String.format(Locale.ROOT, ", mean pair cost %.2f, worst %d", placement.mean(), placement.worst());
        return asked + (answer.pods() == 1 ? " fits" : " fit") + " in " + placement.where() + ": "
                + CellFormat.hosts(placement.nodes(), wide) + cost + "; " + of + ".";
    }
}
