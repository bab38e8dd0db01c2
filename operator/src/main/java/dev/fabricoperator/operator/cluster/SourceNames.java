/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.NodeDevices;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32;

/** Names of topology sources, as they stand in the label {@code fabric-operator.dev/source}. */
public final class SourceNames {
    private static final String NODE_LABELS = "node-labels";
    private static final int MAXIMUM_LABEL = 63;
    private static final int HASH_LENGTH = 8;

    private SourceNames() {}

    /**
     * The source that a Fabric's spec names: the ConfigMap's or upload's name, one made from the file's path or the appliance's
     * address, one made from the keys of nodes' labels and which devices they place, or {@code lldp} for what agents report.
     */
    public static String of(TopologySource source) {
        ObjectRef configMap = source.configMapRef();
        if (configMap != null) {
            return label(configMap.name());
        }
        String url = source.url();
        if (source.type() == SourceType.NodeLabels) {
            NodeLabelSource labels = source.nodeLabels();
            if (labels == null) {
                return NODE_LABELS;
            }
            // Other ends of cables are another source: changing them is no loss of the former.
            String name = labels.devices() == NodeDevices.all ? NODE_LABELS + "/all" : NODE_LABELS;
            return label(labels.keys().isEmpty() ? name : name + "." + String.join(",", labels.keys()));
        }
        if (url == null) {
            return source.type().name();
        }
        // Type ufm is the only one with an authority.
        return label(
                url.startsWith("https:")
                        ? "ufm." + url.replaceFirst("^https:/*", "").replaceFirst("/+$", "")
                        : "file." + url.replaceFirst("^file:/*", ""));
    }

    /** {@code text} as a label value: 63 characters at most; what was longer or not in DNS form ends in a hash. */
    public static String label(String text) {
        if (text.length() <= MAXIMUM_LABEL && text.matches("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")) {
            return text;
        }
        String form = ObjectNames.dns(text);
        if (form.length() <= MAXIMUM_LABEL) {
            return form;
        }
        CRC32 hash = new CRC32();
        hash.update(text.getBytes(StandardCharsets.UTF_8));
        return form.substring(0, MAXIMUM_LABEL - HASH_LENGTH - 1).replaceAll("[-.]+$", "") + "-"
                + HexFormat.of().toHexDigits((int) hash.getValue());
    }
}
