/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;

/** The settings that hold where nobody sets any. */
public final class OperatorSettings {
    private OperatorSettings() {}

    public static Settings usual() {
        return build(new SmallRyeConfigBuilder());
    }

    /** As usual but for one of them, whose name is without the prefix. */
    public static Settings with(String name, String value) {
        return build(new SmallRyeConfigBuilder().withDefaultValue("fabric-operator." + name, value));
    }

    private static Settings build(SmallRyeConfigBuilder builder) {
        return builder.withConverter(Duration.class, 200, new DurationConverter())
                .withMapping(Settings.class)
                .build()
                .getConfigMapping(Settings.class);
    }
}
