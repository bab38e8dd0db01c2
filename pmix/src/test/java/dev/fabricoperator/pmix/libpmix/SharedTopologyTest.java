/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.TrixieRoot.Result;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SharedTopologyTest {
    private static TrixieRoot root;
    private static String program;

    @BeforeAll
    static void compile() {
        root = TrixieRoot.open();
        program = root.compile("gcc", "pmix/src/test/c/topology.c", "-D_GNU_SOURCE", "-lpmix", "-lhwloc");
    }

    @AfterAll
    static void close() {
        if (root != null) {
            root.close();
        }
    }

    private static List<String> lines(String ranks) {
        Result result = HostProgram.run(root, List.of("1", ranks, "0", program));
        assertThat(result.exitCode()).as(result.text()).isZero();
        return result.lines();
    }

    @Test
    void ranksHaveWhatHwlocWouldReadAndReadNothing() {
        assertThat(lines(2 + HostProgram.SHARED))
                .contains("opened: none", "given: yes", "same: yes")
                .doesNotContain("opened: some", "given: no", "same: no");
    }

    @Test
    void ranksReadItThemselvesWhereNoneIsShared() {
        assertThat(lines("2"))
                .contains("opened: some", "given: no", "same: yes")
                .doesNotContain("given: yes");
    }
}
