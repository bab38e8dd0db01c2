/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HelpIT {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "discover",
                "topology",
                "cost",
                "path",
                "groups",
                "peers",
                "export",
                "geometry",
                "check",
                "links",
                "diff",
                "map",
                "fits",
                "status",
                "jobs",
                "job",
                "levels",
                "traffic",
                "explain",
                "pmix",
                "watch",
                "refresh",
                "upload",
                "completion"
            })
    void helpOfEveryCommandIsAsReviewed(String command) throws IOException {
        Program.Result result = Program.run(command, "--help");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo(golden("help-" + command + ".txt"));
        assertThat(result.out().lines()).as("fits a terminal").allMatch(line -> line.length() <= 100);
    }

    @Test
    void helpOfTheProgramIsAsReviewed() throws IOException {
        assertThat(Program.run("--help").out()).isEqualTo(golden("help.txt"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    frobnicate                | unknown command 'frobnicate'
                    topology ufx:fabric.txt   | unknown kind 'ufx'; known: ibnetdiscover
                    topology ibnetdiscover:   | no path behind 'ibnetdiscover:'
                    upload ufm:links.json                         | the operator reads no upload of kind 'ufm'; it reads ibnetdiscover
                    upload fabricswitches:fsw.yaml                | the operator reads no upload of kind 'fabricswitches'
                    diff a b c                                    | two files can be compared, not 3
                    watch --count 0                               | --count is 0; it is 1 at least
                    watch --count x                               | 'x' is not a whole number
                    topology ibnetdiscover:- ibnetdiscover:-      | standard input ('-') can be named once only
                    topology ibnetdiscover:x -o xml               | expected one of [table, wide, json, yaml, name]
                    topology ibnetdiscover:x --colour             | unknown option
                    cost ibnetdiscover:x                          | what to show is missing: --from and --to
                    cost ibnetdiscover:x --from a                 | missing required argument(s): --to=ID
                    cost ibnetdiscover:x --row a --out b          | mutually exclusive
                    diff                                          | missing required parameter
                    path a                                        | 'a': needed are FROM and TO, and files may follow
                    peers                                         | needed is DEVICE, and files may follow
                    geometry a --view sideways                    | expected one of [logical, physical]
                    jobs a b                                      | unmatched argument at index 2: 'b'
                    jobs ring -A                                  | --all-namespaces goes with no NAME
                    jobs -A -n lab                                | --all-namespaces goes with no --namespace
                    job                                           | missing required parameter: 'NAME'
                    status now                                    | unmatched argument at index 1: 'now'
                    completion fish                               | expected one of [bash, zsh, kubectl]
                    """)
    void wrongUsageEndsWithTwoAndSaysWhatIsWrong(String words, String message) {
        Program.Result result = Program.run(words == null ? new String[0] : words.split(" "));

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("error: ").contains(message).doesNotContain("\tat ");
    }

    @Test
    void helpAndVersionAreWordsToo() throws IOException {
        for (String[] words : new String[][] {{}, {"help"}}) {
            Program.Result help = Program.run(words);
            assertThat(help.exitCode()).as(help.err()).isZero();
            assertThat(help.out()).isEqualTo(golden("help.txt"));
        }
        assertThat(Program.run("help", "path").out()).isEqualTo(golden("help-path.txt"));
        assertThat(Program.run("version").out())
                .isEqualTo(Program.run("--version").out())
                .startsWith("kubectl-fabric ");
    }

    @Test
    void aNameThatIsEmptyIsSaidSo() {
        assertThat(Program.run("topology", "").err())
                .isEqualTo("error: a file's name is empty; '-' is standard input\n");
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = HelpIT.class.getResourceAsStream("/golden/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
