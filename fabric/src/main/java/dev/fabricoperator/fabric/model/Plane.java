/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

/**
 * One plane of a fabric.
 *
 * @param devices managed devices on it
 * @param switches switches that belong to it alone
 * @see "PMIx Standard, PMIX_FABRIC_PLANE"
 */
public record Plane(String id, int devices, int switches) {}
