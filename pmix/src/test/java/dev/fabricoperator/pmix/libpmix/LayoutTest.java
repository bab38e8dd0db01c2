/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every size and offset, against what the C compiler says of the installed header. */
class LayoutTest {
    @Test
    void sizesAndOffsetsAreThoseOfTheCompiler() throws IllegalAccessException {
        Map<String, Integer> ours = new TreeMap<>();
        for (Field field : Layout.class.getDeclaredFields()) {
            if (!field.getName().equals("MODULE_ROOM")) {
                ours.put(field.getName(), field.getInt(null));
            }
        }
        try (TrixieRoot root = TrixieRoot.open()) {
            Map<String, Integer> compiled =
                    root.run(10, root.compile("gcc", "pmix/src/test/c/layout.c")).lines().stream()
                            .map(line -> line.split(" "))
                            .collect(Collectors.toMap(words -> words[0], words -> Integer.valueOf(words[1])));
            assertThat(Layout.MODULE_ROOM).isGreaterThanOrEqualTo(compiled.remove("MODULE_SIZE"));
            assertThat(new TreeMap<>(compiled)).isEqualTo(ours);
        }
    }
}
