/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import org.jspecify.annotations.Nullable;

/**
 * What a device is called.
 *
 * @param name of its object
 * @param id node GUID, else deviceId: what stands for it in costs
 * @param nodeName {@code null} for a device of a dump
 * @param port number of its port, from 1
 */
public record NamedDevice(String name, String id, @Nullable String nodeName, String hostname, int port) {}
