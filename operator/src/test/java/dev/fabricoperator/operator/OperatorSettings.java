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
        return new SmallRyeConfigBuilder()
                .withConverter(Duration.class, 200, new DurationConverter())
                .withMapping(Settings.class)
                .build()
                .getConfigMapping(Settings.class);
    }
}
