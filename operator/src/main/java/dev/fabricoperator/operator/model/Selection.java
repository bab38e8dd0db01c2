/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.DeviceSelector;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.cluster.Subnets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whether a selector selects a device. What cannot be known now is neither yes nor no: nobody loses a fabric for it. */
enum Selection {
    Yes,
    Unknown,
    No;

    /** Every criterion that is given must hold. No criterion: {@link #Unknown}, for connectedness decides. */
    static Selection of(@Nullable DeviceSelector selector, DeviceFacts device, Map<String, NodeFacts> nodes) {
        if (selector == null || isEmpty(selector)) {
            return Unknown;
        }
        Selection result = Yes;
        if (!selector.families().isEmpty()) {
            result = result.and(selector.families().contains(device.family()));
        }
        if (!selector.vendors().isEmpty()) {
            String vendor = device.vendor();
            result = vendor == null
                    ? result.and(Unknown)
                    : result.and(selector.vendors().stream().anyMatch(vendor::equalsIgnoreCase));
        }
        if (!selector.subnetPrefixes().isEmpty()) {
            result = device.subnets().isEmpty()
                    ? result.and(Unknown)
                    : result.and(selector.subnetPrefixes().stream()
                            .anyMatch(s -> device.subnets().stream().anyMatch(d -> Subnets.covers(s, d))));
        }
        Map<String, String> labels = selector.matchLabels();
        if (labels != null && !labels.isEmpty()) {
            NodeFacts node = nodes.get(device.nodeName());
            result = node == null
                    ? result.and(Unknown)
                    : result.and(node.labels().entrySet().containsAll(labels.entrySet()));
        }
        return result;
    }

    static boolean isEmpty(@Nullable DeviceSelector selector) {
        return selector == null
                || (selector.families().isEmpty()
                        && selector.vendors().isEmpty()
                        && selector.subnetPrefixes().isEmpty()
                        && (selector.matchLabels() == null
                                || selector.matchLabels().isEmpty()));
    }

    private Selection and(boolean holds) {
        return and(holds ? Yes : No);
    }

    private Selection and(Selection other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
