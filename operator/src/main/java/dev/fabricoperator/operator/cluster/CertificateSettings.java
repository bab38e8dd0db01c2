/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;

/** Settings of the operator's certificates; as environment variables {@code FABRIC_OPERATOR_CERTIFICATE_DIRECTORY} and so on. */
@ConfigMapping(prefix = "fabric-operator.certificate")
public interface CertificateSettings {
    /** {@code tls.crt}, {@code tls.key} and {@code ca.crt} for all listeners; without them the serving Secret is read. */
    @WithDefault("/etc/fabric-operator/tls")
    Path directory();

    /** Holds the authorities with their keys; only the controller reads it. */
    @WithDefault("fabric-operator-authority")
    String authoritySecret();

    /** Holds {@code tls.crt}, {@code tls.key} and {@code ca.crt}. */
    @WithDefault("fabric-operator-serving")
    String servingSecret();

    /** How often the controller looks whether something is due, and a server at its directory. */
    @WithDefault("10s")
    Duration interval();

    /** An authority is followed by another after two thirds of this time. */
    @WithDefault("3650d")
    Duration authorityValidity();

    /** How long the next authority is made known before it signs: programs that are told once whom to trust should have ended by then. */
    @WithDefault("90d")
    Duration handover();

    /** A serving certificate is replaced after two thirds of this time. */
    @WithDefault("90d")
    Duration servingValidity();
}
