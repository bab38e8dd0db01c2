/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExemptHostsTest {
    private static ExemptHosts of(String... lists) {
        ExemptHosts hosts = ExemptHosts.of(List.of(lists));
        assertThat(hosts.problems()).isEmpty();
        return hosts;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                login[1-2]      | login2               | true
                login[1-2]      | login3               | false
                login1          | LOGIN1.example.org   | true
                login1.other    | login1.example.org   | false
                stor*           | storage-mds01        | true
                *-mds*          | storage-mds01        | true
                *-mds           | storage-mds01        | false
                a*a             | a                    | false
                a*a             | aa                   | true
                a*b*b           | ab                   | false
                a*bc*c          | abc                  | false
                *               | anything             | true
                s[1-2]*.site    | s2-x.site            | true
                """)
    void aHostIsExemptByItsNameInAListOrByAPattern(String list, String host, boolean exempt) {
        assertThat(of("nothing", list).contains(host)).isEqualTo(exempt);
    }

    @Test
    void aListThatIsNoneIsToldAndTheOthersCount() {
        ExemptHosts hosts = ExemptHosts.of(List.of("n[1-", "ok", "x[0-99999999]", "p[0-2000]*"));
        assertThat(hosts.contains("ok")).isTrue();
        assertThat(hosts.problems())
                .hasSize(3)
                .satisfiesExactly(
                        one -> assertThat(one).startsWith("'n[1-': "),
                        one -> assertThat(one).startsWith("'x[0-99999999]': "),
                        one -> assertThat(one).contains("more than 1024 names with *"));
    }
}
