/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.cli.input.SourceKind;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.formats.TopologyFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A format of topology sources stands in several lists; one that is forgotten would fall back to something else without a word. CONTRIBUTING.md, "Adding a format", names them. */
class FormatsTest {
    private static final List<String> FORMATS =
            Stream.of(TopologyFormat.values()).map(Enum::name).toList();

    @Test
    void aFabricCanNameEveryFormatAsASource() {
        assertThat(SourceType.values()).extracting(Enum::name).containsExactlyInAnyOrderElementsOf(FORMATS);
    }

    @Test
    void theCommandTakesFilesOfEveryFormatOfObjectsAndOfForwardingTables() {
        assertThat(SourceKind.values())
                .extracting(Enum::name)
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                FORMATS.stream(), Stream.of(SourceKind.fabricswitches.name(), SourceKind.lfts.name()))
                        .toList());
    }

    @Test
    void everyFormatHasAPlaceInTheDocuments() throws IOException {
        Path docs = ProjectRoot.find().resolve("docs");
        for (String page : List.of("topology-sources.md", "cli.md")) {
            assertThat(Files.readString(docs.resolve(page))).as(page).contains(FORMATS);
        }
    }
}
