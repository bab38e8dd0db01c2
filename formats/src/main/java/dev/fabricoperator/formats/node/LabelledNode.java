/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.node;

import java.util.Map;

/**
 * A node with what it is labelled.
 *
 * @param line where it stands in a text, from 1
 * @param expected whether it is told that it has none of the labels: a node without a device of a fabric needs none
 */
public record LabelledNode(String name, Map<String, String> labels, int line, boolean expected) {
    public LabelledNode {
        labels = Map.copyOf(labels);
    }
}
