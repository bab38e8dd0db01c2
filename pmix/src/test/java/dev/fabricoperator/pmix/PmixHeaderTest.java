/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.protocol.pmix.DeviceTypeBits;
import dev.fabricoperator.protocol.pmix.FabricDeviceAttribute;
import dev.fabricoperator.protocol.pmix.LinkState;
import dev.fabricoperator.protocol.pmix.PmixKeys;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every key, type and constant that is used, against the header of the library that is served from. */
class PmixHeaderTest {
    private static final Pattern DEFINE = Pattern.compile(
            "#define\\s+(PMIX_\\w+)\\s+(\"[^\"]*\"|\\(?-?(?:0x[0-9a-fA-F]+|\\d+)\\)?|PMIX_\\w+)(?:\\s.*)?");

    private static Map<String, String> defines() throws IOException {
        Path headers = TrixieRoot.headers();
        Map<String, String> defines = new HashMap<>();
        for (String file : new String[] {"pmix_common.h", "pmix_deprecated.h"}) {
            for (String line : Files.readAllLines(headers.resolve(file))) {
                Matcher define = DEFINE.matcher(line);
                if (define.matches()) {
                    defines.putIfAbsent(define.group(1), define.group(2));
                }
            }
        }
        return defines;
    }

    /** Follows one name to another, as pmix_deprecated.h defines old names. */
    private static String resolve(Map<String, String> defines, String name) {
        String value = defines.getOrDefault(name, "not in the header");
        return value.startsWith("PMIX_") ? resolve(defines, value) : value;
    }

    private static Map<String, Object> constants(Class<?> type) throws IllegalAccessException {
        Map<String, Object> constants = new HashMap<>();
        for (Field field : type.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().startsWith("PMIX_")) {
                constants.put(field.getName(), field.get(null));
            }
        }
        assertThat(constants).as(type.getSimpleName()).isNotEmpty();
        return constants;
    }

    @Test
    void keysAreTheStringsOfTheHeader() throws IOException, IllegalAccessException {
        Map<String, String> defines = defines();
        constants(PmixKeys.class)
                .forEach((name, value) ->
                        assertThat(resolve(defines, name)).as(name).isEqualTo("\"" + value + "\""));
    }

    @Test
    void attributesOfADeviceAreTheStringsOfTheHeader() throws IOException {
        Map<String, String> defines = defines();
        for (FabricDeviceAttribute attribute : FabricDeviceAttribute.values()) {
            assertThat(resolve(defines, attribute.name()))
                    .as(attribute.name())
                    .isEqualTo("\"" + attribute.key() + "\"");
        }
    }

    @Test
    void statusesAreTheNumbersOfTheHeader() throws IOException, IllegalAccessException {
        Map<String, String> defines = defines();
        constants(PmixStatus.class)
                .forEach((name, value) ->
                        assertThat(resolve(defines, name)).as(name).isEqualTo(value.toString()));
    }

    @Test
    void typesAreTheNumbersOfTheHeader() throws IOException {
        Map<String, String> defines = defines();
        for (PmixType type : PmixType.values()) {
            assertThat(resolve(defines, "PMIX_" + type.name())).as(type.name()).isEqualTo("" + type.code());
        }
    }

    @Test
    void bitsAndStatesAreTheNumbersOfTheHeader() throws IOException, IllegalAccessException {
        Map<String, String> defines = defines();
        constants(DeviceTypeBits.class)
                .forEach((name, value) ->
                        assertThat(Long.decode(resolve(defines, name))).as(name).isEqualTo(value));
        for (LinkState state : LinkState.values()) {
            assertThat(resolve(defines, state.name())).as(state.name()).isEqualTo("" + state.code());
        }
    }
}
