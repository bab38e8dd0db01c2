/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.HostList.BadHostList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RanksByHostTest {
    @Test
    void ranksOfThousandsOfHostsFitIntoAWord() throws BadHostList {
        Map<String, Integer> ranks = new TreeMap<>();
        for (int i = 1; i <= 5000; i++) {
            ranks.put("n%04d".formatted(i), i == 7 ? 1 : 8);
        }
        String word = RanksByHost.format(ranks);
        assertThat(word).isEqualTo("1:n0007;8:n[0001-0006,0008-5000]");
        assertThat(RanksByHost.parse(word)).isEqualTo(ranks);
    }

    @Test
    void whatIsNoSuchWordIsRefusedAndSoIsOneThatStandsForTooManyHosts() {
        for (String wrong :
                List.of("", "n1", ":n1", "x:n1", "12345678:n1", "1:n[1", "1:n[1-16001]", "1:n[1-9000];2:m[1-9000]")) {
            assertThatThrownBy(() -> RanksByHost.parse(wrong)).as(wrong).isInstanceOf(BadHostList.class);
        }
    }
}
