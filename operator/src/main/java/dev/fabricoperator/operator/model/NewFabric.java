/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricSpec;

/** A Fabric object to create for devices that belong to none. */
public record NewFabric(String name, FabricSpec spec) {}
