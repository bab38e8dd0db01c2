/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pictures of the documentation are what the command draws now. {@code make pictures} draws them anew. */
class PicturesIT {
    // One is no fabric: it is drawn by hand.
    private static final Path PICTURES = Program.FIXTURES.resolveSibling("docs").resolve("pictures");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            fat-tree       | sim/ft2-128/ibnetdiscover-after-fault.txt.gz            | node[0001-0020]
            rail-optimised | fabric/ib-ndr-dgx-topograph/ibnetdiscover.txt.gz        |
            torus          | sim/torus-6x6x6/ibnetdiscover-after-fault.txt.gz        |
            mesh           | models/kinds/mesh-4x5.ibnetdiscover.txt                 |
            hyperx         | models/kinds/hyperx-4x5.ibnetdiscover.txt               |
            dragonfly      | sim/df-a4p2h2/ibnetdiscover-after-fault.txt.gz          |
            dragonfly-plus | models/kinds/dragonfly-plus-5x4.ibnetdiscover.txt       |
            irregular      | models/kinds/irregular-14.ibnetdiscover.txt             |
            """)
    void everyPictureIsWhatTheCommandDraws(String name, String file, @Nullable String hosts) throws IOException {
        String path = Program.FIXTURES.resolve(file).toString();
        Program.Result result = hosts == null
                ? Program.run("map", "-o", "svg", path)
                : Program.run("map", "-o", "svg", path, "--hosts", hosts);
        assertThat(result.exitCode()).as(result.err()).isZero();
        Path picture = PICTURES.resolve(name + ".svg");
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(PICTURES);
            Files.writeString(picture, result.out());
        }
        assertThat(result.out()).isEqualTo(Files.readString(picture));
    }

    @Test
    void everyPictureIsShownOnAPage() throws IOException {
        StringBuilder pages = new StringBuilder();
        try (Stream<Path> pictures = Files.list(PICTURES);
                Stream<Path> documents = Files.list(PICTURES.getParent())) {
            for (Path page :
                    documents.filter(page -> page.toString().endsWith(".md")).toList()) {
                pages.append(Files.readString(page));
            }
            List<String> names = pictures.map(picture -> "(pictures/" + picture.getFileName() + ")")
                    .toList();
            assertThat(names).isNotEmpty().allMatch(name -> pages.indexOf(name) >= 0);
        }
    }
}
