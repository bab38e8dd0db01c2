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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every size and offset, against what the C compiler says of the installed header. */
class LayoutTest {
    private static TrixieRoot root;

    @BeforeAll
    static void open() {
        root = TrixieRoot.openWithOthers();
    }

    @AfterAll
    static void close() {
        if (root != null) {
            root.close();
        }
    }

    @Test
    void sizesAndOffsetsAreThoseOfTheCompiler() throws IllegalAccessException {
        assertLayout(root.compile("gcc", "pmix/src/test/c/layout.c"));
    }

    /** Releases whose libpmix is a client of pmixd, or its library. */
    @ParameterizedTest
    @ValueSource(strings = {"bookworm", "sid"})
    void otherReleasesOfLibpmixHaveTheSame(String suite) throws IllegalAccessException {
        assertLayout(root.compileFor(suite, "pmix/src/test/c/layout.c").split(" ")[2]);
    }

    private static void assertLayout(String program) throws IllegalAccessException {
        Map<String, Integer> ours = new TreeMap<>();
        for (Field field : Layout.class.getDeclaredFields()) {
            if (!field.getName().equals("MODULE_ROOM")) {
                ours.put(field.getName(), field.getInt(null));
            }
        }
        Map<String, Integer> compiled = root.run(10, program).lines().stream()
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(words -> words[0], words -> Integer.valueOf(words[1])));
        assertThat(Layout.MODULE_ROOM).isGreaterThanOrEqualTo(compiled.remove("MODULE_SIZE"));
        assertThat(new TreeMap<>(compiled)).isEqualTo(ours);
    }
}
