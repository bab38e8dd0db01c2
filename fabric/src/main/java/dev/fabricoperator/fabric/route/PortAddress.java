/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.route;

import org.jspecify.annotations.Nullable;

/**
 * What packets to a device are addressed by.
 *
 * @param portGuid 16 lower-case hex digits
 * @param lid base LID, as the map of the fabric says it
 */
public record PortAddress(
        @Nullable String portGuid, @Nullable Integer lid) {}
