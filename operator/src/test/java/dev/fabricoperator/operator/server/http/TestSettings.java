/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.server.admission.AdmissionSettings;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;

/** Settings with their defaults, and some of them otherwise. */
final class TestSettings {
    private TestSettings() {}

    static ListenerSettings of(Map<String, String> changed) {
        SmallRyeConfigBuilder builder = new SmallRyeConfigBuilder()
                .addDiscoveredConverters()
                .withConverter(java.time.Duration.class, 200, new io.quarkus.runtime.configuration.DurationConverter())
                .withMapping(AdmissionSettings.class);
        changed.forEach((name, value) -> builder.withDefaultValue("fabric-operator.admission.listener." + name, value));
        return builder.build().getConfigMapping(AdmissionSettings.class).listener();
    }
}
