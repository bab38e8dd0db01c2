/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
    private static final NaturalOrder ORDER = NaturalOrder.INSTANCE;

    @Test
    void numbersCountAsNumbers() {
        assertThat(List.of("n10", "n9", "n09", "n1", "m2", "n1-b10", "n1-b2", "n", "n99999999999999999999").stream()
                        .sorted(ORDER))
                .containsExactly("m2", "n", "n1", "n1-b2", "n1-b10", "n09", "n9", "n10", "n99999999999999999999");
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("012ab").ofMaxLength(6);
    }

    @Property
    void itIsATotalOrder(@ForAll("names") String one, @ForAll("names") String two, @ForAll("names") String three) {
        assertThat(ORDER.compare(one, two) == 0).isEqualTo(one.equals(two));
        assertThat(Integer.signum(ORDER.compare(one, two))).isEqualTo(-Integer.signum(ORDER.compare(two, one)));
        if (ORDER.compare(one, two) < 0 && ORDER.compare(two, three) < 0) {
            assertThat(ORDER.compare(one, three)).isNegative();
        }
    }
}
