/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each claim of {@code docs/fabric-manager.md} has a test of the kind that its word promises. */
class ClaimsTest {
    private static final Path ROOT = ProjectRoot.find();
    private static final String NOT_TRIED = "not tried";

    /** What stands in the source of a test of each kind: the programs or nodes without which it would show less. */
    private static final Map<String, Pattern> EVIDENCE = Map.of(
            "seen on traffic", Pattern.compile("e2e\\.node\\.|RealNodes|\\bveth\\b"),
            "programmed and read back", Pattern.compile("(?i)\\bopensm\\b"),
            "played", Pattern.compile(""));

    private record Claim(String words, String word, String test) {}

    @Test
    void everyClaimHasATestOfTheKindThatItsWordPromises() throws IOException {
        List<Claim> claims = claims();
        List<String> wrong = new ArrayList<>();
        Map<String, String> sources = testSources();
        for (Claim claim : claims) {
            String problem = problem(claim, sources);
            if (!problem.isEmpty()) {
                wrong.add(claim.words() + ": " + problem);
            }
        }
        assertThat(claims).hasSizeGreaterThan(10);
        assertThat(wrong).isEmpty();
    }

    @Test
    void aClaimWithoutATestOrWithAWeakerOneIsFound() throws IOException {
        Map<String, String> sources = testSources();
        String played = "`PortHealthTest.aLinkThatFlapsIsSaidOnceAndIsOverOnce`";
        assertThat(problem(new Claim("x", "played", played), sources)).isEmpty();
        assertThat(problem(new Claim("x", "played", ""), sources)).contains("no test");
        assertThat(problem(new Claim("x", "played", "`PortHealthTest.gone`"), sources))
                .contains("no such test");
        assertThat(problem(new Claim("x", "seen on traffic", played), sources)).contains("weaker");
        assertThat(problem(new Claim("x", "programmed and read back", played), sources))
                .contains("weaker");
        assertThat(problem(new Claim("x", "proven", played), sources)).contains("none of the four words");
        assertThat(problem(new Claim("x", NOT_TRIED, played), sources)).contains("has a test");
    }

    private static String problem(Claim claim, Map<String, String> sources) {
        if (claim.word().equals(NOT_TRIED)) {
            return claim.test().isEmpty() ? "" : "not tried, and has a test";
        }
        Pattern evidence = EVIDENCE.get(claim.word());
        if (evidence == null) {
            return "\"" + claim.word() + "\" is none of the four words";
        }
        String[] parts = claim.test().replace("`", "").split("\\.");
        if (parts.length != 2) {
            return "no test, as `Class.method`";
        }
        String source = sources.getOrDefault(parts[0], "");
        boolean isThere = Pattern.compile("@(Parameterized)?Test\\b[^;{]*\\bvoid " + Pattern.quote(parts[1]) + "\\(")
                .matcher(source)
                .find();
        if (!isThere) {
            return "no such test: " + claim.test();
        }
        return evidence.matcher(source).find()
                ? ""
                : claim.test() + " is of a weaker kind than \"" + claim.word() + "\"";
    }

    /** Rows of the page's table of four columns. */
    private static List<Claim> claims() throws IOException {
        List<Claim> claims = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/fabric-manager.md"))) {
            List<String> cells =
                    Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
            boolean isRow = cells.size() == 6
                    && !cells.get(1).equals("claim")
                    && !cells.get(1).startsWith("-");
            if (isRow) {
                claims.add(new Claim(cells.get(1), cells.get(3), cells.get(4)));
            }
        }
        return claims;
    }

    /** By the name of the class. */
    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path tests : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(tests)) {
                    for (Path file : files.filter(one -> one.toString().endsWith("Test.java"))
                            .toList()) {
                        sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
                    }
                }
            }
        }
        return sources;
    }
}
