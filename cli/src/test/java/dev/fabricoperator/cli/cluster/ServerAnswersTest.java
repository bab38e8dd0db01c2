/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.cli.answer.FabricAnswers.MapRequest;
import dev.fabricoperator.cli.cluster.QueryServer.NotServedException;
import dev.fabricoperator.cli.cluster.QueryServer.Reply;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.formats.map.MapForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ServerAnswersTest {
    private final List<String> asked = new ArrayList<>();

    private ServerAnswers answers(int status, String body) {
        return new ServerAnswers(
                new QueryServer(new QueryServer.Way() {
                    @Override
                    public CompletableFuture<Reply> get(String path) {
                        asked.add(path);
                        return CompletableFuture.completedFuture(
                                new Reply(status, body.getBytes(StandardCharsets.UTF_8)));
                    }

                    @Override
                    public void close() {
                        // Nothing is open.
                    }
                }),
                List.of(new KnownFabric(new KnownFabric.Rank(false, 0, 0, "ib"), List.of(), null)));
    }

    private static MapRequest job(Map<String, Integer> ranks) {
        return new MapRequest(null, MapForm.svg, "lab/ring", ranks, true, null);
    }

    @Test
    void theOperatorDrawsAJobWhoseRanksAreNamed() throws IOException, Failure {
        try (ServerAnswers answers = answers(200, "drawn")) {
            assertThat(answers.map(job(Map.of("n1", 2, "n2", 2, "m8", 1)))).isEqualTo("drawn");
            assertThat(answers.map(new MapRequest("ib", MapForm.text, null, Map.of(), true, null)))
                    .isEqualTo("drawn");
        }
        assertThat(asked)
                .containsExactly(
                        QueryServer.ROOT
                                + "/fabrics/ib/ui?download=true&format=svg&job=lab%2Fring&ranks=1%3Am8%3B2%3An%5B1-2%5D",
                        QueryServer.ROOT + "/fabrics/ib/ui?download=true&format=text");
    }

    @Test
    void whatDoesNotFitIntoARequestOrAnOlderOperatorDoesNotDrawIsDrawnFromAllObjects() {
        Map<String, Integer> scattered = new TreeMap<>();
        for (int i = 0; i < 5000; i += 2) {
            scattered.put("node-" + i + "-x", 1);
        }
        try (ServerAnswers answers = answers(200, "drawn")) {
            assertThatThrownBy(() -> answers.map(job(scattered))).isInstanceOf(NotServedException.class);
            assertThat(asked).isEmpty();
        }
        try (ServerAnswers answers = answers(
                400,
                "{\"message\":\"format 'text' is none of\",\"details\":{\"group\":\"query.fabric-operator.dev\"}}")) {
            assertThatThrownBy(() -> answers.map(job(Map.of("n1", 1)))).isInstanceOf(NotServedException.class);
        }
    }
}
