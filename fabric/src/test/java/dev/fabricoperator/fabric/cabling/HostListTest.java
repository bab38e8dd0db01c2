/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostListTest {
    /** Whatever devices and their authors call themselves. */
    @Test
    void aListOfAnyNamesExpandsToTheseNames() throws Exception {
        String letters = "n0123[],-\" a";
        Random random = new Random(41);
        for (int round = 0; round < 2000; round++) {
            TreeSet<String> names = new TreeSet<>();
            for (int name = 0; name < 6; name++) {
                StringBuilder text = new StringBuilder();
                for (int i = 1 + random.nextInt(5); i > 0; i--) {
                    text.append(letters.charAt(random.nextInt(letters.length())));
                }
                names.add(text.toString());
            }
            String list = HostList.compress(names);
            assertThat(new TreeSet<>(HostList.expand(list, 100))).as(list).isEqualTo(names);
        }
    }

    @Test
    void aNameWithBracketsOrCommasStandsInQuotes() throws Exception {
        assertThat(HostList.compress(List.of("n1", "n2", "a[1]", "b,c", "\"q")))
                .isEqualTo("\"\"\"q\",\"a[1]\",\"b,c\",n[1-2]");
        assertThat(HostList.expand(" \"a,b\" , n[1-2],\"c[1\"", 9)).containsExactly("a,b", "n1", "n2", "c[1");
        assertThat(HostList.words("n[1,2],\"a,b\",, c")).containsExactly("n[1,2]", "\"a,b\"", "c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"", "\"a", "\"a\"b", "\"a\"\"", "n1,\"", "n[1-2", "n]", "n[[1]]"})
    void aListThatIsNotWholeIsNone(String list) {
        assertThatThrownBy(() -> HostList.expand(list, 9)).isInstanceOf(HostList.BadHostList.class);
    }

    @Test
    void namesInQuotesCountAsOthers() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            names.add("a[" + i + "]");
        }
        assertThatThrownBy(() -> HostList.expand(HostList.compress(names), 9)).hasMessageContaining("too many");
    }
}
