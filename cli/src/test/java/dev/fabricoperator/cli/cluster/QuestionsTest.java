/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.answer.LocalAnswers;
import dev.fabricoperator.cli.cluster.QueryServer.NotServedException;
import dev.fabricoperator.cli.cluster.QueryServer.RefusedException;
import dev.fabricoperator.cli.cluster.QueryServer.Reply;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.view.answer.FabricView;
import dev.fabricoperator.view.question.DeviceFinder;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.UnansweredException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server that holds what files show answers as the files do. That the operator's server reads the requests so is told by the tests
 * of the command line against it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QuestionsTest {
    private static final Path FIXTURES = Path.of(System.getProperty("fixtures"));

    /** {@code infiniband-0}, of 128 hosts. */
    private static final String TREE = "sim/ft2-128/ibnetdiscover.txt.gz";

    /** {@code infiniband-1}, of 12 devices. */
    private static final String SMALL = "fabric/ib-mixed-lab-nvidia/ibnetdiscover.txt";

    private static final String OF_TREE = "node0001/mlx5_0";

    private FabricSet tree;
    private FabricSet both;
    private final List<String> asked = new ArrayList<>();

    @BeforeAll
    void read() throws Failure {
        tree = FabricSet.read(
                List.of(SourceArgument.parse(FIXTURES.resolve(TREE).toString())));
        both = FabricSet.read(Stream.of(TREE, SMALL)
                .map(file -> SourceArgument.parse(FIXTURES.resolve(file).toString()))
                .toList());
    }

    static List<Question<?>> questions() {
        return List.of(
                new Question.Groups(null, null),
                new Question.Groups("infiniband-0", "0"),
                new Question.Tiers(null),
                new Question.Peers(OF_TREE),
                new Question.Peers("node[0001-0100]"),
                new Question.Peers("leaf-01"),
                new Question.Place("node0001", View.physical, null),
                new Question.Place("leaf-08:16", View.logical, "0"),
                new Question.Pair(OF_TREE, "node0128/mlx5_0"),
                new Question.Pair("leaf-01", "node[0120-0128]"),
                new Question.Way("node0001", "leaf-08:16"),
                new Question.Row(OF_TREE),
                new Question.Block(List.of("node[0001-0003]", "leaf-08"), List.of("node0009", OF_TREE)),
                new Question.Hosts(null, List.of("node0001", "leaf-08", "node0127")),
                new Question.Nodes(null, "node0001", "node0127", null),
                new Question.ToGroup(OF_TREE, 3, null));
    }

    /** Answers one question, which is asked as its path says; a fabric answers by itself. */
    private ServerAnswers server(FabricSet found, Question<?> question) {
        List<FabricView> fabrics = found.asked().fabrics();
        List<KnownFabric> known = fabrics.stream()
                .map(one -> new KnownFabric(new KnownFabric.Rank(false, 0, one.index(), one.name()), List.of(), null))
                .toList();
        asked.clear();
        return new ServerAnswers(
                new QueryServer(new QueryServer.Way() {
                    @Override
                    public CompletableFuture<Reply> get(String path) {
                        asked.add(path);
                        for (FabricView fabric : fabrics) {
                            if (path.equals(QueryServer.ROOT + "/fabrics/" + fabric.name() + "/" + question.path())) {
                                return CompletableFuture.completedFuture(reply(fabric, question));
                            }
                        }
                        throw new AssertionError(path);
                    }

                    @Override
                    public void close() {
                        // Nothing is open.
                    }
                }),
                known);
    }

    private static Reply reply(FabricView fabric, Question<?> question) {
        try {
            Object answer = question.answer(new DeviceFinder(List.of(fabric), fabric.switches(), 2048, false));
            return new Reply(200, QueryServer.JSON.writeValueAsBytes(answer));
        } catch (UnansweredException e) {
            String status = "{\"message\":\"" + e.getMessage()
                    + "\",\"details\":{\"group\":\"query.fabric-operator.dev\",\"causes\":[{\"field\":\"" + e.field()
                    + "\"}]}}";
            return new Reply(
                    switch (e.why()) {
                        case WRONG -> 400;
                        case MISSING -> 404;
                        case TOO_LARGE -> 413;
                    },
                    status.getBytes(StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode said(FabricAnswers answers, Question<?> question) throws Failure, IOException {
        return QueryServer.JSON.valueToTree(answers.ask(question));
    }

    @ParameterizedTest
    @MethodSource("questions")
    void aQuestionIsOneRequestAndIsAnsweredAsFilesAnswerIt(Question<?> question) throws Failure, IOException {
        try (ServerAnswers server = server(tree, question);
                LocalAnswers local = new LocalAnswers(tree)) {
            assertThat(said(server, question)).isEqualTo(said(local, question)).isNotEmpty();
        }
        assertThat(asked).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("questions")
    void everyFabricThatMayKnowADeviceIsAskedOnce(Question<?> question) throws Failure, IOException {
        boolean isListed = question.ids().stream().anyMatch(id -> id.contains("["));
        try (ServerAnswers server = server(both, question);
                LocalAnswers local = new LocalAnswers(both)) {
            if (isListed) {
                // Who is asked about a list knows its own alone.
                assertThatThrownBy(() -> server.ask(question)).isInstanceOf(NotServedException.class);
            } else {
                assertThat(said(server, question)).isEqualTo(said(local, question));
            }
        }
        assertThat(asked).hasSize(question.ids().isEmpty() ? 1 : 2).doesNotHaveDuplicates();
    }

    @Test
    void whatNoFabricKnowsIsRefusedInTheWordsOfTheFabrics() {
        Question<?> question = new Question.Way("node0001", "node9999");
        try (ServerAnswers server = server(tree, question)) {
            assertThatThrownBy(() -> server.ask(question))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage("no device has the id 'node9999'; 'kubectl fabric topology -o wide' lists the devices");
        }
    }

    @Test
    void whatOnlyAllFabricsTogetherTellIsAskedOfTheObjects() {
        String other = both.devices().getLast().name();
        for (Question<?> question : List.of(
                new Question.Pair(OF_TREE, other),
                new Question.Way(OF_TREE, other),
                new Question.Block(List.of(OF_TREE), List.of(other)))) {
            try (ServerAnswers server = server(both, question)) {
                assertThatThrownBy(() -> server.ask(question))
                        .as("%s", question)
                        .isInstanceOf(NotServedException.class)
                        .hasMessage("");
            }
        }
    }

    @Test
    void moreThanAServerTakesOnIsAskedOfTheObjects() {
        Question<?> question = new Question.Peers("node[0001-9999]");
        try (ServerAnswers server = server(tree, question)) {
            assertThatThrownBy(() -> server.ask(question))
                    .isInstanceOf(NotServedException.class)
                    .hasMessage("");
        }
    }
}
