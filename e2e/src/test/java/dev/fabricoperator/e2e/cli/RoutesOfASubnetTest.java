/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.answer.LocalAnswers;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.fabric.query.Path.Basis;
import dev.fabricoperator.view.answer.PathAnswer;
import dev.fabricoperator.view.question.Question;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The way that {@code kubectl fabric path} finds in forwarding tables is the one that {@code ibtracert} finds by asking the switches: on ibsim, with tables
 * that OpenSM's routing engines made, and that dump_fts and OpenSM itself wrote.
 */
class RoutesOfASubnetTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PAIRS = 50;
    private static final int PAIRS_OF_A_LONG_RUN = 200;
    private static final long SEED = 42;
    private static final Pattern ADAPTER_PORT = Pattern.compile("(?m)^\\[\\d+\\]\\((\\p{XDigit}{1,16})\\)");
    private static final Pattern ADAPTER = Pattern.compile("\"H-(\\p{XDigit}{16})\"");

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource("ft2-128, updn, 0")
    void aPathIsWhatIbtracertFinds(String fabric, String engine, int lmc) throws Exception {
        compare(fabric, engine, lmc, PAIRS);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "rail-32x8, minhop, 0",
        "ft3-k18, ftree, 0",
        "torus-6x6x6, dor, 0",
        "df-a4p2h2, dfsssp, 0",
        "ft2-128, minhop, 2",
        "ft2-128, updn, 0"
    })
    void aPathIsWhatIbtracertFindsInLargeSubnetsOfEveryKind(String fabric, String engine, int lmc) throws Exception {
        compare(fabric, engine, lmc, PAIRS_OF_A_LONG_RUN);
    }

    private void compare(String fabric, String engine, int lmc, int count) throws Exception {
        String dump = dump(fabric);
        Matcher adapters = ADAPTER.matcher(dump);
        assertThat(adapters.find()).isTrue();
        String host = adapters.group(1);
        // What opensm calls 0x43: errors, information, and its routing written into files.
        try (SimulatedSubnet subnet =
                SimulatedSubnet.routed(directory, dump, host, "-R", engine, "-l", String.valueOf(lmc), "-D", "0x43")) {
            Path map = Files.writeString(directory.resolve("map.txt"), subnet.run(host, "ibnetdiscover"));
            Path dumped = Files.writeString(directory.resolve("lfts.txt"), subnet.run(host, "dump_fts"));
            List<List<String>> pairs = pairs(Files.readString(map), count);
            try (FabricAnswers byDump = answers(map, dumped);
                    FabricAnswers byOpenSm = answers(map, directory.resolve("opensm.fdbs"))) {
                for (List<String> pair : pairs) {
                    String from = pair.getFirst();
                    String to = pair.getLast();
                    List<String> traced = subnet.trace(host, from, to);
                    assertThat(traced).isNotEmpty();
                    assertThat(hops(byDump.ask(new Question.Way(from, to))))
                            .as("%s to %s", from, to)
                            .isEqualTo(traced);
                    assertThat(hops(byOpenSm.ask(new Question.Way(from, to))))
                            .as("%s to %s", from, to)
                            .isEqualTo(traced);
                }
            }
            theProgramSaysIt(map, dumped, pairs.getFirst(), subnet, host);
        }
    }

    private void theProgramSaysIt(Path map, Path tables, List<String> pair, SimulatedSubnet subnet, String host)
            throws IOException {
        CommandLineProgram.Result result = new CommandLineProgram(directory)
                .run(List.of("path", pair.getFirst(), pair.getLast(), map.toString(), tables.toString(), "-o", "json"));
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.err()).isEmpty();
        JsonNode path = JSON.readTree(result.out());
        assertThat(path.path("basis").asText()).isEqualTo("routes");
        List<String> hops = new ArrayList<>();
        path.path("steps")
                .forEach(step -> hops.add(
                        step.path("switch").asText() + ":" + step.path("inPort").asInt() + ":"
                                + step.path("outPort").asInt()));
        assertThat(hops).isEqualTo(subnet.trace(host, pair.getFirst(), pair.getLast()));
    }

    private static FabricAnswers answers(Path map, Path tables) throws Exception {
        FabricSet read =
                FabricSet.read(List.of(SourceArgument.parse(map.toString()), SourceArgument.parse(tables.toString())));
        assertThat(read.routeProblems()).isEmpty();
        return new LocalAnswers(read);
    }

    /** Port GUIDs. */
    private static List<List<String>> pairs(String map, int count) {
        List<String> ports = new ArrayList<>();
        Matcher matcher = ADAPTER_PORT.matcher(map);
        while (matcher.find()) {
            ports.add("0".repeat(16 - matcher.group(1).length()) + matcher.group(1));
        }
        Collections.sort(ports);
        Random random = new Random(SEED);
        List<List<String>> pairs = new ArrayList<>();
        while (pairs.size() < count) {
            String from = ports.get(random.nextInt(ports.size()));
            String to = ports.get(random.nextInt(ports.size()));
            if (!from.equals(to)) {
                pairs.add(List.of(from, to));
            }
        }
        return pairs;
    }

    /** {@code switch:in:out} of each step. */
    private static List<String> hops(PathAnswer path) {
        assertThat(path.basis()).as(path.basisReason()).isEqualTo(Basis.routes);
        return path.steps().stream()
                .map(step -> step.switchId() + ":" + step.inPort() + ":" + step.outPort())
                .toList();
    }

    private static String dump(String fabric) throws IOException {
        return Dumps.read(ProjectRoot.find()
                        .resolve("fixtures/sim")
                        .resolve(fabric)
                        .resolve("ibnetdiscover.txt.gz"))
                .text();
    }
}
