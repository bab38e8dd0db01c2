/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortNumbersTest {
    @Test
    void aPortHasTheLastNumberInItsName() {
        assertThat(PortNumbers.of(List.of("swp1", "Ethernet1/12", "Ethernet0", "7")))
                .isEqualTo(Map.of("swp1", 1, "Ethernet1/12", 12, "Ethernet0", 0, "7", 7));
    }

    @Test
    void portsOfABreakoutKeepTheirNumbersWhateverElseThereIs() {
        Map<String, Integer> few = PortNumbers.of(List.of("swp1s0", "swp2s0"));
        Map<String, Integer> more = PortNumbers.of(List.of("swp1s0", "swp1s1", "swp2s0", "swp2s1", "swp9"));
        assertThat(more).containsAllEntriesOf(few).containsEntry("swp9", 9);
        assertThat(more.values()).doesNotHaveDuplicates();
    }

    @Test
    void namesThatShareAllNumbersOrHaveNoneAreStillToldApart() {
        Map<String, Integer> numbers =
                PortNumbers.of(List.of("a1", "b1", "mgmt", "up", "x99999999999", "port1024", "c1s0", "d1s0"));
        assertThat(numbers.values()).hasSize(8).doesNotHaveDuplicates().allMatch(n -> n >= 0 && n <= PortNumbers.MAX);
        assertThat(numbers).containsEntry("port1024", 1024);
    }

    @Test
    void numbersThatOthersHaveAreNotGivenAgain() {
        assertThat(PortNumbers.of(List.of("x5", "Ethernet1/6", "mgmt"), Set.of(5, 1024)))
                .isEqualTo(Map.of("x5", 1025, "Ethernet1/6", 6, "mgmt", 1026));
    }

    @Test
    void aNameMayHaveEachNumberThatItGetsBesideAnyOthers() {
        assertThat(PortNumbers.mayBe("Ethernet1/5", 5)).isTrue();
        assertThat(PortNumbers.mayBe("Ethernet1/5", 1093)).isTrue();
        assertThat(PortNumbers.mayBe("mgmt", 1025)).isTrue();
        assertThat(PortNumbers.mayBe("Ethernet1/5", 6)).isFalse();
        assertThat(PortNumbers.mayBe("mgmt", 6)).isFalse();
    }
}
