/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.cli.cluster.PmixAnswer;
import dev.fabricoperator.cli.cluster.PmixAnswer.Info;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PmixCommandTest {
    @Test
    void aValueOfOthersStandsAboveThem() throws IOException {
        Info plane = new Info("PMIX_FABRIC_PLANE", "PMIX_STRING", "plane-0");
        Info shape = new Info("PMIX_FABRIC_SHAPE", "PMIX_UINT32", List.of(2L, 3L));
        List<PmixAnswer> answers = List.of(
                new PmixAnswer("PMIX_FABRIC_INDEX", "PMIX_SIZE", 3L, null),
                new PmixAnswer(
                        "PMIX_FABRIC_SHAPE",
                        "PMIX_INFO",
                        List.of(new Info("PMIX_FABRIC_SHAPE", "PMIX_INFO", List.of(plane, shape))),
                        null),
                new PmixAnswer("PMIX_X", null, null, "PMIX_ERR_NOT_FOUND"),
                new PmixAnswer("PMIX_FABRIC_PLANE", "PMIX_STRING", List.of("plane-0", "plane-1"), null));

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PmixCommand.table(answers).writeTo(out, false, 0);

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
                KEY                 TYPE          VALUE
                PMIX_FABRIC_INDEX   PMIX_SIZE     3
                PMIX_FABRIC_SHAPE   PMIX_INFO     PMIX_FABRIC_SHAPE
                                                    PMIX_FABRIC_PLANE plane-0
                                                    PMIX_FABRIC_SHAPE 2, 3
                PMIX_FABRIC_PLANE   PMIX_STRING   plane-0, plane-1
                """);
    }
}
