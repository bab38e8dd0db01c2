/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.map;

/**
 * Something to look at, as it is marked on a map.
 *
 * @param type such as {@code PortDown}
 * @param object as in {@link dev.fabricoperator.fabric.finding.Finding}; empty for the whole fabric
 */
public record Remark(String type, String object, String message) {}
