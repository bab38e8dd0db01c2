/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptRenderingTest {
    @Test
    void theSameIsDrawnOnce() {
        KeptRendering kept = new KeptRendering();
        List<String> drawn = new ArrayList<>();
        for (String key : List.of("a", "a", "b", "b", "a")) {
            byte[] bytes = kept.of(key, () -> {
                drawn.add(key);
                return key.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            });
            assertThat(bytes).asString().isEqualTo(key);
        }
        assertThat(drawn).containsExactly("a", "b", "a");
    }
}
