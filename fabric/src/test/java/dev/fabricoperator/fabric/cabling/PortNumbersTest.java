/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PortNumbersTest {
    @Test
    void aPortHasTheLastNumberInItsName() {
        assertThat(PortNumbers.of(List.of("swp1", "Eth1/12", "Eth1/13", "Ethernet0", "7")))
                .isEqualTo(Map.of("swp1", 1, "Eth1/12", 12, "Eth1/13", 13, "Ethernet0", 0, "7", 7));
    }

    @Test
    void portsOfABreakoutKeepTheirNumbersWhateverElseThereIs() {
        Map<String, Integer> few = PortNumbers.of(List.of("swp1s0", "swp2s0"));
        Map<String, Integer> more = PortNumbers.of(List.of("swp1s0", "swp1s1", "swp2s0", "swp2s1", "swp9"));
        assertThat(more).containsAllEntriesOf(few).containsEntry("swp9", 9);
        assertThat(more.values()).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({
        // An Arista with breakouts, a Junos virtual chassis, an IRF stack, cards of a chassis, a Catalyst, Huawei,
        // Cumulus.
        "Ethernet1 Ethernet2 Ethernet3/1 Ethernet49/1 Ethernet49/2, Ethernet1=1 Ethernet3/1=1217 Ethernet49/2=4162",
        "xe-0/0/1 xe-0/0/2 xe-1/0/1 xe-1/0/3, xe-0/0/1=1025 xe-1/0/1=5121 xe-1/0/3=5123",
        "Ethernet3/1/1 Ethernet3/2/1 Ethernet4/1/1, Ethernet3/1/1=13377 Ethernet4/1/1=17473",
        "Ethernet1/1 Ethernet1/2 Ethernet1/49/1 Ethernet1/49/2, Ethernet1/1=1 Ethernet1/49/2=4162",
        "GigabitEthernet1/0/1 GigabitEthernet1/0/2 GigabitEthernet1/0/3 TenGigabitEthernet1/1/1, "
                + "GigabitEthernet1/0/1=1 TenGigabitEthernet1/1/1=5185",
        "100GE1/0/1 100GE1/0/2 25GE1/0/7, 100GE1/0/1=1 100GE1/0/2=2 25GE1/0/7=7",
        "Ethernet1 Ethernet2 Management1, Ethernet1=1 Ethernet2=2",
        "swp1 swp2 swp3s0 swp3s1, swp1=1 swp3s0=1216 swp3s1=1217"
    })
    void aPortThatIsLostChangesNoOtherNumberOfItsStem(String names, String expected) {
        List<String> all = List.of(names.strip().split(" "));
        Map<String, Integer> numbers = PortNumbers.of(all);
        for (String each : expected.strip().split(" ")) {
            int equals = each.indexOf('=');
            assertThat(numbers).containsEntry(each.substring(0, equals), Integer.valueOf(each.substring(equals + 1)));
        }
        for (String lost : all) {
            List<String> rest = all.stream().filter(name -> !name.equals(lost)).toList();
            Map<String, Integer> now = PortNumbers.of(rest);
            // But where it was the last of its chassis or card; a name of another stem may get the number that is free
            // now.
            if (rest.stream().anyMatch(name -> container(name).equals(container(lost)))) {
                Map<String, Integer> ofTheStem = new HashMap<>(now);
                ofTheStem.keySet().removeIf(name -> !stem(name).equals(stem(lost)));
                assertThat(numbers).as("without " + lost).containsAllEntriesOf(ofTheStem);
            }
            now.forEach((name, number) ->
                    assertThat(PortNumbers.mayBe(name, number)).as(name).isTrue());
        }
    }

    private static String stem(String name) {
        return name.replaceFirst("(?<=\\D)\\d.*$", "");
    }

    private static String container(String name) {
        return name.replaceFirst("\\d+$", "");
    }

    @Test
    void whichStemHasANumberDoesNotDependOnHowManyPortsItHas() {
        Map<String, Integer> few = PortNumbers.of(List.of("et-0/0/1", "xe-0/0/1"));
        Map<String, Integer> more = PortNumbers.of(List.of("et-0/0/1", "xe-0/0/1", "xe-0/0/2", "xe-0/0/3"));
        assertThat(more).containsAllEntriesOf(few).containsEntry("et-0/0/1", 1).containsEntry("xe-0/0/2", 2);
        assertThat(PortNumbers.of(List.of("Management1", "eth1", "Ethernet1", "vlan1")))
                .containsEntry("Ethernet1", 1);
    }

    /** A letter of two chars behind a speed; a chassis of cards with more than 64 ports; numbers beyond any. */
    @ParameterizedTest
    @ValueSource(strings = {"1\ud835\udc00", "Ethernet3/65", "a1/2/3/4", "1.5\ud835", "x1/99999999999", "\ud835", ""})
    void anyNameHasANumberThatItMayHave(String name) {
        Map<String, Integer> numbers = PortNumbers.of(List.of(name, "Ethernet4/1", "up"));
        numbers.forEach((each, number) -> {
            assertThat(number).as(each).isBetween(0, PortNumbers.MAX);
            assertThat(PortNumbers.mayBe(each, number)).as(each).isTrue();
        });
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

    @Test
    void namesOfOneStemFitThePortsThatAreKnownWhateverElseThereIs() {
        assertThat(PortNumbers.fitting(List.of("docker0", "Ethernet0", "Ethernet4", "eth0", "lo"), Set.of(0, 4)))
                .isEqualTo(Map.of("Ethernet0", 0, "Ethernet4", 4));
        assertThat(PortNumbers.fitting(List.of("server01", "server02", "swp1", "swp2", "swp3"), Set.of(1, 2, 3)))
                .isEqualTo(Map.of("swp1", 1, "swp2", 2, "swp3", 3));
        assertThat(PortNumbers.fitting(
                        List.of("Ethernet1/1", "Ethernet1/2", "Ethernet101/1/1", "mgmt0", "port-channel1"),
                        Set.of(1, 2)))
                .isEqualTo(Map.of("Ethernet1/1", 1, "Ethernet1/2", 2));
        assertThat(PortNumbers.fitting(List.of("Ethernet3/1", "Ethernet4/1", "Management1"), Set.of(1217, 1281)))
                .isEqualTo(Map.of("Ethernet3/1", 1217, "Ethernet4/1", 1281));
    }

    @Test
    void namesFitNothingWhereMostPortsHaveNoneOrDifferentNamesFitAsWell() {
        assertThat(PortNumbers.fitting(List.of("server01"), Set.of(1, 2, 3))).isEmpty();
        assertThat(PortNumbers.fitting(List.of("xe1", "swp1"), Set.of(1))).isEmpty();
        assertThat(PortNumbers.fitting(List.of("swp1"), Set.of())).isEmpty();
        assertThat(PortNumbers.fitting(List.of(), Set.of(1))).isEmpty();
    }
}
