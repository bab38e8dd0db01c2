/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * What communication costs between two devices.
 *
 * @param from node GUID, else deviceId
 * @param to as {@code from}
 * @param fromDevice name of its object
 * @param toDevice as {@code fromDevice}
 */
@JsonPropertyOrder({"from", "to", "generation", "cost", "fromDevice", "toDevice"})
public record PairAnswer(String from, String to, long generation, int cost, String fromDevice, String toDevice) {
    public static PairAnswer of(NamedDevice from, NamedDevice to, long generation, int cost) {
        return new PairAnswer(from.id(), to.id(), generation, cost, from.name(), to.name());
    }
}
