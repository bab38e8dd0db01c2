/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrainsTest {
    private static Drains drains(@Nullable String annotation) {
        return Drains.of(List.of(new SwitchStatement.WholeObject(
                "object", "", null, new Switch("s1", null, null, null, null, "", List.of()), annotation, null)));
    }

    @Test
    void withoutTheAnnotationNothingIsDrained() {
        assertThat(drains(null).switches()).isEmpty();
        assertThat(drains(null).ports()).isEmpty();
        assertThat(drains(null).mistakes()).isEmpty();
    }

    @Test
    void allDrainsTheSwitch() {
        assertThat(drains(" all ").switches()).containsExactly("s1");
    }

    @Test
    void numbersDrainPorts() {
        assertThat(drains("3, 17,3").ports()).containsExactlyInAnyOrder(new PortPeer("s1", 3), new PortPeer("s1", 17));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "1,,2", "0", "-1", "65536", "All", "1;2", "99999999999999999999", "all,1", "é"})
    void anythingElseDrainsNothingAndIsNamed(String text) {
        Drains drains = drains(text);
        assertThat(drains.ports()).isEmpty();
        assertThat(drains.switches()).isEmpty();
        assertThat(drains.mistakes()).containsEntry("s1", text);
    }

    @Test
    void aHugeAnnotationIsNamedInShort() {
        assertThat(drains("1,".repeat(100_000)).mistakes().get("s1")).hasSize(67);
    }
}
