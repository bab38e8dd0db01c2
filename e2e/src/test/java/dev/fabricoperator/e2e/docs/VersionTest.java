/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VersionTest {
    @TempDir
    private Path repository;

    @BeforeEach
    void commit() throws IOException {
        git("init", "--quiet");
        Files.writeString(repository.resolve("pom.xml"), "    <version>0.1.0-SNAPSHOT</version>\n");
        git("add", "pom.xml");
        commit("one");
    }

    private void commit(String message) {
        git("commit", "--quiet", "--allow-empty", "-m", message);
    }

    private String git(String... arguments) {
        List<String> words = new ArrayList<>(List.of("-C", repository.toString(), "-c", "user.name=test"));
        words.addAll(List.of("-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"));
        words.addAll(List.of(arguments));
        return new Command(List.of("git"), Map.of("GIT_CONFIG_GLOBAL", "/dev/null"))
                .run(words.toArray(String[]::new))
                .strip();
    }

    private String version() {
        return version(repository);
    }

    private String version(Path directory) {
        String script = ProjectRoot.find().resolve("scripts/version.sh").toString();
        return new Command(List.of("bash", script), Map.of())
                .run(directory.toString())
                .strip();
    }

    @Test
    void atATagTheVersionIsTheTags() {
        git("tag", "v1.2.3");
        assertThat(version()).isEqualTo("1.2.3");
    }

    @Test
    void behindATagItIsADevelopmentOfTheNextOne() {
        git("tag", "v1.2.3");
        commit("two");
        assertThat(version()).isEqualTo("1.2.4-dev.1.g" + git("rev-parse", "--short", "HEAD"));
    }

    @Test
    void behindAPreReleaseItComesAfterThat() {
        git("tag", "v1.2.3-rc.1");
        commit("two");
        assertThat(version()).isEqualTo("1.2.3-rc.1.dev.1.g" + git("rev-parse", "--short", "HEAD"));
    }

    @Test
    void withoutATagItIsThePoms() {
        assertThat(version()).isEqualTo("0.1.0-dev.g" + git("rev-parse", "--short", "HEAD"));
    }

    @Test
    void anExportInAnotherRepositoryHasThePomsVersion() throws IOException {
        git("tag", "v9.9.9");
        Path export = Files.createDirectory(repository.resolve("export"));
        Files.copy(repository.resolve("pom.xml"), export.resolve("pom.xml"));
        assertThat(version(export)).isEqualTo("0.1.0-dev");
    }

    @Test
    void whatIsNotCommittedShows() throws IOException {
        git("tag", "v1.2.3");
        Files.writeString(repository.resolve("pom.xml"), "changed");
        assertThat(version()).isEqualTo("1.2.3-dirty");
    }
}
