/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MapIT {
    private static final String DAMAGED =
            FIXTURES.resolve("sim/ft2-128/ibnetdiscover-after-fault.txt.gz").toString();

    @Test
    void aFileIsDrawnWithTheHostsOfAJobAndWithWhatIsWrong() {
        Program.Result result = Program.run("map", DAMAGED, "--hosts", "node[0001-0020]");
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out())
                .startsWith("infiniband-0: FatTree 8x16\n11 switches, 127 devices, 127 hosts, ")
                .contains(
                        "job on node[0001-0020]: 20 ranks on 20 hosts\n",
                        "leaf-01: ",
                        "MissingUplink: leaf-08 port 18 to spine-01 port 16: 1 of 2 links");
    }

    @ParameterizedTest
    @CsvSource({"svg, <?xml version, </svg>", "html, <!DOCTYPE html>, </html>", "dot, graph fabric {, }"})
    void everyFormIsAWholeDocument(String form, String begin, String end) {
        Program.Result result = Program.run("map", "-o", form, DAMAGED);
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).startsWith(begin).endsWith(end + "\n").contains("leaf-08");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            map job                  | the job's name is missing
            map job ring --hosts n1  | --hosts goes with no job
            map --hosts n[1- FILE    | --hosts n[1-:
            map --hosts zzz FILE     | fabric infiniband-0 has none of the hosts 'zzz'
            map -o pdf FILE          | expected one of [text, svg, html, dot]
            map --fabric x FILE      | no fabric 'x'
            """)
    void wrongUsageEndsWithTwoAndSaysWhatIsWrong(String words, String message) {
        Program.Result result = Program.run(words.replace("FILE", DAMAGED).split(" "));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("error: ").contains(message);
    }
}
