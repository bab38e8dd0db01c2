/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.cluster.FabricJobs;
import dev.fabricoperator.cli.cluster.Traffic;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.formats.map.MapForm;
import dev.fabricoperator.formats.map.MapTraffic;
import dev.fabricoperator.formats.map.RanksByHost;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code map}: a fabric drawn, with a job on it. */
@Command(
        name = "map",
        customSynopsis = {
            "kubectl fabric map [-o=FORMAT] [--fabric=NAME] [--hosts=LIST] [[KIND:]FILE...]",
            "       kubectl fabric map job NAME [-n=NAMESPACE] [--traffic] [-o=FORMAT] [--fabric=NAME] [[KIND:]FILE...]%n"
        },
        description = {
            "Draw a fabric: trees by level, tori and the like by coordinates, dragonflies by groups.",
            "Ranks of a job and what somebody should look at are marked; of large trees the rest is counted, not drawn.",
            "html is one page that asks for nothing, with a search and what is known of each switch."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric map                        # of the cluster, as text",
            "  kubectl fabric map -o html > fabric.html",
            "  kubectl fabric map job ring -n lab -o svg > ring.svg",
            "  kubectl fabric map job ring -n lab --traffic -o svg > ring.svg",
            "  kubectl fabric map fabric.txt.gz --hosts 'node[0001-0016]' -o html > place.html",
            "  kubectl fabric map fabric.txt.gz -o dot | dot -Tpdf > fabric.pdf"
        })
final class MapCommand implements Callable<Integer> {
    private static final String JOB = "job";

    @Parameters(
            arity = "0..*",
            paramLabel = SourceArgument.LABEL,
            description =
                    SourceArgument.INSTEAD_OF_CLUSTER + " Before them 'job NAME', for a FabricJob of the cluster.")
    List<String> words = List.of();

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default text.")
    MapForm form = MapForm.text;

    @Option(
            names = "--hosts",
            paramLabel = "LIST",
            description =
                    "Hosts that a job could be on, as 'n[1-3],m08': they are marked as one with a rank on each is.")
    @Nullable
    String hosts;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Of the job; default is that of the kubeconfig's context.")
    @Nullable
    String namespace;

    @Option(
            names = "--traffic",
            description =
                    "What the job has sent: links as wide as their bytes, and only switches that it uses. See 'traffic job'.")
    boolean traffic;

    @Mixin
    FabricOptions fabric = new FabricOptions();

    /** Ranks by host, with the name that the map gives them. */
    private record Asked(
            String name,
            @Nullable String fabric,
            Map<String, Integer> ranks,
            @Nullable Map<String, MapTraffic> traffic) {}

    @Override
    public Integer call() throws IOException, Failure {
        boolean ofJob = !words.isEmpty() && words.getFirst().equals(JOB);
        if (ofJob && words.size() < 2) {
            throw Failure.wrongUsage("the job's name is missing: map job NAME");
        }
        if (ofJob && hosts != null) {
            throw Failure.wrongUsage("--hosts goes with no job: one is drawn where it is");
        }
        if (traffic && !ofJob) {
            throw Failure.wrongUsage("--traffic is that of a job: map job NAME --traffic");
        }
        List<SourceArgument> files = words.subList(ofJob ? 2 : 0, words.size()).stream()
                .map(SourceArgument::parse)
                .toList();
        Asked asked = ofJob ? ofJob(words.get(1)) : hosts == null ? null : ofHosts(hosts);
        String name = fabric.name == null && asked != null && files.isEmpty() ? asked.fabric() : fabric.name;
        try (FabricAnswers answers = fabric.answersWithWarnings(files)) {
            StandardOutput.print(answers.map(new FabricAnswers.MapRequest(
                    name,
                    form,
                    asked == null ? null : asked.name(),
                    asked == null ? Map.of() : asked.ranks(),
                    ofJob,
                    asked == null ? null : asked.traffic())));
        }
        return 0;
    }

    private Asked ofJob(String name) throws Failure, IOException {
        PrintWriter err = Objects.requireNonNull(fabric.spec).commandLine().getErr();
        try (FabricJobs jobs = FabricJobs.in(fabric.cluster.context, fabric.cluster.kubeconfig)) {
            String of = Objects.requireNonNullElseGet(namespace, jobs::currentNamespace);
            FabricJobs.Ranks placed = jobs.ranks(of, name, err);
            return new Asked(
                    of + "/" + name,
                    placed.fabric(),
                    placed.byNode(),
                    traffic
                            ? Traffic.drawnOfJob(fabric.cluster.context, fabric.cluster.kubeconfig, of, name, err)
                            : null);
        }
    }

    private static Asked ofHosts(String list) throws Failure {
        Map<String, Integer> ranks = new LinkedHashMap<>();
        try {
            HostList.expand(list, RanksByHost.MOST_HOSTS).forEach(host -> ranks.put(host, 1));
        } catch (HostList.BadHostList e) {
            throw Failure.wrongUsage("--hosts " + list + ": " + e.getMessage());
        }
        if (ranks.isEmpty()) {
            throw Failure.wrongUsage("--hosts names none");
        }
        return new Asked("on " + list, null, ranks, null);
    }
}
