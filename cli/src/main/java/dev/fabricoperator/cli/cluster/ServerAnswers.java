/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.cluster.QueryServer.NotServedException;
import dev.fabricoperator.cli.cluster.QueryServer.RefusedException;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.map.RanksByHost;
import dev.fabricoperator.view.answer.DeviceIds;
import dev.fabricoperator.view.question.Devices;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.SwitchFinder;
import dev.fabricoperator.view.question.UnansweredException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks the operator's query API: an answer costs one request to each fabric that may give it, all at one time, however large they are. */
final class ServerAnswers implements FabricAnswers {
    /** Servers and proxies take a request line of 8 KiB. */
    private static final int LONGEST_QUESTION = 7000;

    private final QueryServer server;
    private final List<KnownFabric> fabrics;

    /** @param fabrics the default one first */
    ServerAnswers(QueryServer server, List<KnownFabric> fabrics) {
        this.server = server;
        this.fabrics = List.copyOf(fabrics);
    }

    private KnownFabric choose(@Nullable String name) throws Failure {
        try {
            return Devices.chosen(fabrics, KnownFabric::name, name);
        } catch (UnansweredException e) {
            throw Failure.wrongUsage(e.getMessage());
        }
    }

    /** What no fabric tells by itself, such as how far devices of two are apart, is answered from the objects. */
    @Override
    public <A> A ask(Question<A> question) throws Failure, IOException {
        boolean ofDevices = !question.ids().isEmpty();
        List<KnownFabric> asked = ofDevices && question.fabric() == null ? fabrics : List.of(choose(question.fabric()));
        String below = bounded(question.path());
        List<QueryServer.Pending> pending =
                asked.stream().map(fabric -> server.ask(fabric.name(), below)).toList();
        List<A> answers = new ArrayList<>();
        Map<String, RefusedException> refusals = new HashMap<>();
        boolean missing = true;
        for (QueryServer.Pending each : pending) {
            try {
                answers.add(each.as(question.type()));
            } catch (RefusedException e) {
                if (e.isOfOlderServer()) {
                    throw new NotServedException("");
                }
                missing &= e.isNotFound();
                refusals.put(e.getMessage(), e);
            }
        }
        if (answers.isEmpty() && refusals.size() == 1 && asked.size() == (ofDevices ? fabrics.size() : 1)) {
            throw refusals.values().iterator().next();
        }
        if (!missing) {
            // What one fabric has several of is not the one of another.
            throw new NotServedException("");
        }
        return joined(question, answers, asked.size());
    }

    private static <A> A joined(Question<A> question, List<A> answers, int asked) throws NotServedException {
        boolean several = answers.size() > 1;
        // Each fabric takes an id for that of one device, and a list for one of its own.
        boolean apart = question.ids().stream()
                .anyMatch(id -> several && DeviceIds.isOfOne(id) || answers.size() < asked && SwitchFinder.isList(id));
        A joined = answers.isEmpty() || apart ? null : answers.getFirst();
        for (int next = 1; joined != null && next < answers.size(); next++) {
            joined = question.joined(joined, answers.get(next));
        }
        if (joined == null) {
            throw new NotServedException("");
        }
        return joined;
    }

    /** A question that fits into a request line; longer ones are answered from the objects. */
    private static String bounded(String below) throws NotServedException {
        if (below.length() > LONGEST_QUESTION) {
            throw new NotServedException("");
        }
        return below;
    }

    @Override
    public Matrix matrix(@Nullable String fabric) throws Failure, IOException {
        KnownFabric chosen = choose(fabric);
        KnownFabric.Served served = chosen.served();
        if (served == null) {
            throw new NotServedException("");
        }
        return new ServerMatrix(server, chosen.name(), served.vertices(), served.generation(), served.digest());
    }

    /** From the statuses, of which the operator writes the first findings only. */
    @Override
    public List<Findings> findings(@Nullable String fabric) throws Failure, IOException {
        List<Findings> answers = new ArrayList<>();
        for (KnownFabric one : fabric == null ? fabrics : List.of(choose(fabric))) {
            KnownFabric.Served served = one.served();
            if (served == null || !served.whole()) {
                throw new NotServedException("");
            }
            answers.add(new Findings(
                    one.name(),
                    served.generation(),
                    served.kind(),
                    served.switches(),
                    served.devices(),
                    served.hosts(),
                    served.findings(),
                    served.unresolved(),
                    served.exemptHosts()));
        }
        return List.copyOf(answers);
    }

    @Override
    public String slurm(SlurmRequest request) throws Failure, IOException {
        String plane = request.plane();
        String below = "topology?format=" + (request.yaml() ? "yaml" : "slurm") + "&plugin=" + request.plugin()
                + (request.everySwitch() ? "&everySwitch=true" : "")
                + (request.switchNames() ? "&switchNames=true" : "")
                + (request.names() == SlurmNodeNames.Form.FULL ? "" : "&names=" + request.names())
                + (request.version().equals(SlurmVersion.OLDEST) ? "" : "&slurmVersion=" + request.version())
                + (plane == null ? "" : "&plane=" + QueryServer.encoded(plane));
        return new String(server.ask(choose(request.fabric()).name(), below).bytes(), StandardCharsets.UTF_8);
    }

    @Override
    public String map(MapRequest request) throws Failure, IOException {
        if (request.traffic() != null) {
            // What a job sends is more than fits into a request.
            throw new NotServedException("");
        }
        String below = "ui?download=true&format=" + request.form()
                + (request.job() == null ? "" : "&job=" + QueryServer.encoded(request.job()))
                + (request.ranks().isEmpty()
                        ? ""
                        : "&ranks=" + QueryServer.encoded(RanksByHost.format(request.ranks())));
        try {
            return new String(
                    server.ask(choose(request.fabric()).name(), bounded(below)).bytes(), StandardCharsets.UTF_8);
        } catch (RefusedException e) {
            // An older operator draws less, and hosts that are not on the fabric are told of when all is known.
            throw new NotServedException("");
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
