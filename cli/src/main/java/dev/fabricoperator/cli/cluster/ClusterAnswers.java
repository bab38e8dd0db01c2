/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.answer.LocalAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.view.question.Question;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The fabrics of a cluster: asked of its operator where that answers, else computed from all objects.
 *
 * @see "docs/adr/0010, Commands ask the operator, and compute where they cannot"
 */
public final class ClusterAnswers implements FabricAnswers {
    private static final String FABRICS =
            "/apis/" + FabricApi.GROUP + "/" + FabricApi.VERSION + "/fabrics?limit=" + Pages.SIZE;

    private final Config config;
    private final PrintWriter err;
    private @Nullable HttpClient http;
    private @Nullable ServerAnswers server;
    private @Nullable LocalAnswers local;

    private ClusterAnswers(Config config, PrintWriter err) {
        this.config = config;
        this.err = err;
    }

    /**
     * @param fromObjects whether the operator is not to be asked
     * @param err gets warnings, and the progress of what takes longer than two seconds
     */
    public static ClusterAnswers open(
            @Nullable String context, @Nullable File kubeconfig, boolean fromObjects, PrintWriter err) throws Failure {
        ClusterAnswers answers = new ClusterAnswers(Connection.config(context, kubeconfig, "name files"), err);
        try {
            if (!fromObjects) {
                answers.findServer();
            }
            return answers;
        } catch (Failure | RuntimeException e) {
            answers.close();
            throw e;
        }
    }

    /**
     * The two questions that come first are asked side by side, by a client that knows no kinds: to load those takes longer than
     * both.
     */
    private void findServer() throws Failure {
        HttpClient opened = new ClusterHttp().newBuilder(config).build();
        http = opened;
        AggregatedWay aggregated = new AggregatedWay(opened, config.getMasterUrl());
        CompletableFuture<QueryServer.Reply> installed = aggregated.get(QueryServer.ROOT);
        List<KnownFabric> fabrics = fabrics(aggregated.get(FABRICS));
        int status =
                installed.handle((reply, e) -> e == null ? reply.status() : 0).join();
        if (status != HttpURLConnection.HTTP_NOT_FOUND) {
            server = new ServerAnswers(new QueryServer(aggregated), fabrics);
        }
    }

    private List<KnownFabric> fabrics(CompletableFuture<QueryServer.Reply> asked) throws Failure {
        String address = config.getMasterUrl();
        QueryServer.Reply reply;
        try {
            reply = asked.join();
        } catch (CompletionException e) {
            throw Connection.refused(address, 0, Connection.rootMessage(e), e, ClusterFabrics.NEEDED);
        }
        try {
            JsonNode read = QueryServer.JSON.readTree(reply.body());
            if (reply.status() != HttpURLConnection.HTTP_OK) {
                throw Connection.refused(
                        address, reply.status(), read.path("message").asText(), null, ClusterFabrics.NEEDED);
            }
            List<KnownFabric> fabrics = KnownFabric.listed(read);
            if (fabrics.isEmpty()) {
                throw ClusterFabrics.noFabric(address);
            }
            return fabrics;
        } catch (IOException e) {
            String text = "HTTP status " + reply.status() + ": " + new String(reply.body(), StandardCharsets.UTF_8);
            throw Connection.refused(address, reply.status(), text.strip(), e, ClusterFabrics.NEEDED);
        }
    }

    /** Begins to read which nodes are in use; by the API server alone, whatever the operator may tell of the fabric. */
    public NodeUseReader readNodeUse() {
        HttpClient opened = Objects.requireNonNullElseGet(
                http, () -> new ClusterHttp().newBuilder(config).build());
        http = opened;
        return new NodeUseReader(opened, config.getMasterUrl());
    }

    @FunctionalInterface
    private interface Request<T> {
        T ask(FabricAnswers answers) throws Failure, IOException;
    }

    private <T> T answered(Request<T> question) throws Failure, IOException {
        ServerAnswers asked = server;
        if (asked != null) {
            try {
                return question.ask(asked);
            } catch (QueryServer.RefusedException e) {
                throw Failure.wrongUsage(e.getMessage());
            } catch (QueryServer.NotServedException e) {
                leave(e);
            }
        }
        return question.ask(local());
    }

    private void leave(QueryServer.NotServedException e) {
        server = null;
        String reason = String.valueOf(e.getMessage());
        if (!reason.isEmpty()) {
            err.println("warning: " + reason + "; computing from all objects of the cluster");
            err.flush();
        }
    }

    private LocalAnswers local() throws Failure {
        LocalAnswers made = local;
        if (made == null) {
            try (KubernetesClient client = Connection.open(config)) {
                made = new LocalAnswers(new ClusterFabrics(client, err).read());
            }
            local = made;
        }
        return made;
    }

    @Override
    public <A> A ask(Question<A> question) throws Failure, IOException {
        return answered(answers -> answers.ask(question));
    }

    @Override
    public Matrix matrix(@Nullable String fabric) throws Failure, IOException {
        return answered(answers -> answers.matrix(fabric));
    }

    @Override
    public List<Findings> findings(@Nullable String fabric) throws Failure, IOException {
        return answered(answers -> answers.findings(fabric));
    }

    @Override
    public String slurm(SlurmRequest request) throws Failure, IOException {
        return answered(answers -> answers.slurm(request));
    }

    @Override
    public String map(MapRequest request) throws Failure, IOException {
        return answered(answers -> answers.map(request));
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        if (http != null) {
            http.close();
        }
    }
}
