/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^\\s*```.*?^\\s*```|`[^`\n]*`");
    private static final Pattern SCHEME = Pattern.compile("[a-z]+:.*");
    private static final int MAX_PAGE_BYTES = 15_000;
    private static final Path ROOT = ProjectRoot.find();

    @Test
    void everyLinkOfAPageLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        List<Path> pages = pages();
        for (Path page : pages) {
            Matcher link = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll("x"));
            while (link.find()) {
                String target = link.group(1);
                if (!SCHEME.matcher(target).matches() && !leadsSomewhere(page, target)) {
                    broken.add(ROOT.relativize(page) + ": " + target);
                }
            }
        }
        assertThat(pages).hasSizeGreaterThan(20);
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageStandsInTheNavigationOfTheSite() throws IOException {
        List<String> linked = new ArrayList<>();
        for (JsonNode section :
                new ObjectMapper().readTree(ROOT.resolve("site/sidebar.json").toFile())) {
            section.get("items")
                    .forEach(item -> linked.add(item.get("link").asText().substring(1) + ".md"));
        }
        linked.replaceAll(page -> page.equals(".md") ? "index.md" : page);
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            assertThat(linked)
                    .containsExactlyInAnyOrderElementsOf(pages.filter(LinksTest::isPage)
                            .map(page -> page.getFileName().toString())
                            .toList());
        }
    }

    /** The reference is generated, and looked things up in; every other page answers one reader. */
    @Test
    void noPageIsTooLongToBeRead() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages()) {
            if (ROOT.resolve("docs").equals(page.getParent())
                    && !page.endsWith("reference.md")
                    && Files.size(page) > MAX_PAGE_BYTES) {
                tooLong.add(ROOT.relativize(page) + ": " + Files.size(page) + " bytes");
            }
        }
        assertThat(tooLong).isEmpty();
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String place : List.of("docs", "charts")) {
            try (Stream<Path> found = Files.walk(ROOT.resolve(place))) {
                found.filter(LinksTest::isPage).forEach(pages::add);
            }
        }
        try (Stream<Path> found = Files.list(ROOT)) {
            found.filter(LinksTest::isPage).forEach(pages::add);
        }
        return pages;
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    private static boolean leadsSomewhere(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        // Hosts of repositories show nothing behind a symbolic link.
        return Files.exists(file)
                && file.toRealPath().equals(ROOT.toRealPath().resolve(ROOT.relativize(file)))
                && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
    }

    /** Of a page's headings, as hosts of repositories and the site's generator name them. */
    private static List<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "")
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .strip()
                        .replace(' ', '-'))
                .toList();
    }
}
