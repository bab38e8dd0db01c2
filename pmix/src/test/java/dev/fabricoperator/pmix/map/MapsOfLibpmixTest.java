/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.map;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.TrixieRoot.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maps that libpmix 5.0.7 makes in each of its forms are read here; maps that are written here are read by it. */
class MapsOfLibpmixTest {
    private static final String[] PREFIXES = {"node", "gpu-", "rack1n", "a.b-", "pod", "x"};

    private TrixieRoot root;
    private String program;

    @BeforeEach
    void open() {
        root = TrixieRoot.open();
        program = root.compile(
                "gcc", "pmix/src/test/c/maps.c", "-I/usr/lib/x86_64-linux-gnu/pmix2/include/pmix", "-lpmix");
    }

    @AfterEach
    void close() {
        if (root != null) {
            root.close();
        }
    }

    /** Names with counters, padded or not, some with a suffix, in runs and out of order. */
    private static List<String> names(Random random, int most) {
        List<String> names = new ArrayList<>();
        int count = 1 + random.nextInt(most);
        while (names.size() < count) {
            String prefix = PREFIXES[random.nextInt(PREFIXES.length)];
            String format = random.nextBoolean() ? "%s%d" : "%s%03d";
            String suffix = random.nextInt(4) == 0 ? "s" : "";
            int first = random.nextInt(200);
            for (int i = 0; i <= random.nextInt(8); i++) {
                String name = String.format(format, prefix, first + i) + suffix;
                if (!names.contains(name)) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    private static List<int[]> ranks(Random random, int most) {
        List<int[]> nodes = new ArrayList<>();
        int next = 0;
        for (int node = random.nextInt(most); node >= 0; node--) {
            int first = next;
            next += 1 + random.nextInt(9);
            nodes.add(IntStream.range(first, next).toArray());
        }
        return nodes;
    }

    private static String text(List<int[]> ranks, String separator) {
        return ranks.stream()
                .map(node -> Arrays.stream(node).mapToObj(Integer::toString).collect(Collectors.joining(",")))
                .collect(Collectors.joining(separator));
    }

    private List<String> ask(String form, List<String> questions) throws IOException {
        Files.writeString(root.scratch("questions"), String.join("\n", questions) + "\n");
        Result result = root.run(60, "sh", "-c", "PMIX_MCA_preg=" + form + " " + program + " < /scratch/questions");
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines()).hasSameSizeAs(questions);
        return result.lines();
    }

    /** Debian's libpmix 5.0.7 makes {@code raw:} by itself and {@code pmix[...]} when told to; it packs no map. */
    @ParameterizedTest
    @ValueSource(strings = {"raw", "native"})
    void mapsThatTheLibraryMakesAreReadAsItReadsThemItself(String form) throws IOException {
        Random random = new Random(5);
        List<String> questions = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            int most = i % 5 == 0 ? 1000 : 30;
            questions.add("nodes " + String.join(",", names(random, most)));
            questions.add("ranks " + text(ranks(random, most), ";"));
        }
        List<byte[]> maps =
                ask(form, questions).stream().map(HexFormat.of()::parseHex).toList();
        List<String> parse = new ArrayList<>();
        List<String> ours = new ArrayList<>();
        for (int i = 0; i < maps.size(); i++) {
            boolean nodes = i % 2 == 0;
            byte[] map = maps.get(i);
            parse.add((nodes ? "parse-nodes " : "parse-ranks ") + new String(map, StandardCharsets.UTF_8));
            ours.add(nodes ? String.join("|", MapReader.nodes(map)) : text(MapReader.ranks(map), "|"));
        }
        assertThat(parse).anyMatch(line -> line.contains(form.equals("raw") ? " raw:" : " pmix["));
        assertThat(ask("", parse)).isEqualTo(ours);
    }

    @Test
    void mapsThatAreWrittenHereAreReadByTheLibraryInOneOrder() throws IOException {
        Random random = new Random(6);
        List<String> questions = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            List<String> names = names(random, 200);
            MapWriter writer = new MapWriter();
            List<int[]> ranks = new ArrayList<>();
            int next = 0;
            for (String name : names) {
                int count = 1 + random.nextInt(6);
                writer.add(name, next, count);
                ranks.add(IntStream.range(next, next + count).toArray());
                next += count;
            }
            questions.add("parse-nodes " + writer.nodeMap());
            expected.add(String.join("|", names));
            questions.add("parse-ranks " + writer.processMap());
            expected.add(text(ranks, "|"));
            assertThat(MapReader.nodes(writer.nodeMap().getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(names);
        }
        assertThat(ask("", questions)).isEqualTo(expected);
    }
}
