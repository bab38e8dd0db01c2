/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostOrderTest {
    @Test
    void linesFollowTheOrderOfHostsAndKeepTheirText() {
        assertThat(HostOrder.inOrder(
                        List.of("# of pi", "pi-worker-0.pi.ns.svc slots=2", "pi-worker-1.pi.ns.svc:4", "pi-worker-2"),
                        List.of("pi-worker-2", "pi-worker-0", "pi-worker-1")))
                .containsExactly("# of pi", "pi-worker-2", "pi-worker-0.pi.ns.svc slots=2", "pi-worker-1.pi.ns.svc:4");
    }

    @Test
    void aHostThatStandsTwiceKeepsBothLines() {
        assertThat(HostOrder.inOrder(List.of("a slots=1", "b", "a slots=2"), List.of("b", "a")))
                .containsExactly("b", "a slots=1", "a slots=2");
    }

    @ParameterizedTest
    @CsvSource({"a.b.svc slots=1,a", "'  a:4',a", "a,a", "a#near,a", "# a,''", "'',''", "'\ta\tslots=2',a"})
    void theHostOfALineIsTheFirstLabelOfItsName(String line, String host) {
        assertThat(HostOrder.host(line.replace("\\t", "\t"))).isEqualTo(host);
    }
}
