/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExpectedOutputTest {
    private static final String PRINTED = """
            NAME    SIZE   AGE
            other   3      1s
            ring    4      9s
            done: 4 ranks on node-1
            """;

    @Test
    void rowsAreComparedByColumnAndTheirAgeIsNot() {
        assertThat(ExpectedOutput.missing(List.of("NAME   SIZE   AGE", "ring   4   2m"), PRINTED))
                .isEmpty();
        assertThat(ExpectedOutput.missing(List.of("NAME   SIZE   AGE", "ring   5   9s"), PRINTED))
                .containsExactly("ring   5   9s");
    }

    @Test
    void aLineThatIsNotPrintedIsMissingAndDotsStandForAnything() {
        assertThat(ExpectedOutput.missing(List.of("done: ... ranks on node-..."), PRINTED))
                .isEmpty();
        assertThat(ExpectedOutput.missing(List.of("done: 5 ranks on ..."), PRINTED))
                .containsExactly("done: 5 ranks on ...");
    }

    @Test
    void linesInAnotherOrderAreMissing() {
        assertThat(ExpectedOutput.missing(List.of("done: ...", "other   3   ..."), PRINTED))
                .containsExactly("other   3   ...");
    }
}
