/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.fabric.traffic.Impairment;
import java.util.List;

/**
 * A port of a switch whose link may be about to fail, as its source sees it.
 *
 * @param signs not empty
 */
public record ImpairedPort(String switchId, int port, List<Impairment> signs) {}
