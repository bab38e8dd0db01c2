/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

import org.jspecify.annotations.Nullable;

/**
 * The far end of a device's cable.
 *
 * @param id node GUID, else lower-case MAC or chassis id, else a name
 * @param port the far port as printed on it
 * @param source who says so, for example {@code lldp}
 */
public record Neighbor(String id, @Nullable String port, String source) {}
