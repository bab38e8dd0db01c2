/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import dev.fabricoperator.protocol.pmix.PmixType;

/**
 * One member of PMIX_FABRIC_DEVICE.
 *
 * @param key the attribute's string in OpenPMIx
 * @param value a String for STRING, a Long for every number
 */
public record DeviceAttribute(String key, PmixType type, Object value) {}
