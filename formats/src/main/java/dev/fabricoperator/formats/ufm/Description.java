/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.HostName;
import dev.fabricoperator.formats.ufm.UfmObjects.End;
import dev.fabricoperator.formats.ufm.UfmObjects.Kind;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the description of a node at a cable's end tells.
 *
 * <p>UFM writes {@code <switch>:<label>} for a switch's port, a director's label having slashes ({@code L01/U1/5}), and
 * {@code <host> <device>} for an adapter's. An adapter whose host gave it no name describes its product.
 *
 * @param text without the label
 * @param host {@code null} where it names none
 * @param unit of a director, {@code L01/U1}; {@code null} for a switch of one node
 */
record Description(
        Kind kind,
        @Nullable String text,
        @Nullable HostName host,
        @Nullable String unit) {
    static final String AGGREGATION = "Aggregation Node";
    private static final Pattern PRODUCT = Pattern.compile(
            "(?i)MT\\d{4,6}\\b.*|.*\\bConnect-?(?:X|IB).*|.*\\bHCA\\b.*|.*\\bInfiniHost\\b.*|Mellanox Technologies");

    /** {@code HCA-2/1}, {@code mlx5_10/1}: the port of a device. */
    private static final Pattern DEVICE_LABEL = Pattern.compile("([A-Za-z][A-Za-z0-9_-]{0,30})/\\d{1,3}");

    /** {@code L01/U1/5} */
    private static final Pattern UNIT_LABEL = Pattern.compile("([A-Z]\\d{1,2}/U\\d{1,2})/\\d{1,3}");

    static Description of(End end) {
        return of(end.description(), end.label(), end.port().number());
    }

    static Description of(@Nullable String description, @Nullable String label, int number) {
        boolean deviceLabel = label != null && DEVICE_LABEL.matcher(label).matches();
        if (description == null) {
            return new Description(deviceLabel ? Kind.DEVICE : Kind.UNKNOWN, null, null, null);
        }
        int colon = description.lastIndexOf(':');
        String suffix = colon < 0 ? "" : description.substring(colon + 1);
        boolean labelled = !suffix.isEmpty()
                && (suffix.equals(label) || suffix.equals(Integer.toString(number)) || isUnit(suffix));
        String text = labelled ? description.substring(0, colon).strip() : description;
        if (text.endsWith(AGGREGATION)) {
            return new Description(Kind.AGGREGATION, text, null, null);
        }
        HostName host = HostName.of(text);
        boolean device = deviceLabel || host != null && host.osName() != null;
        if (device || !labelled && PRODUCT.matcher(text).matches()) {
            return new Description(Kind.DEVICE, text, withLabel(host, label), null);
        }
        if (labelled) {
            return new Description(Kind.SWITCH, text, null, isUnit(suffix) ? unit(suffix) : null);
        }
        return new Description(Kind.UNKNOWN, text, host, null);
    }

    /** A host that gave its device no name: UFM counts its adapters. */
    private static @Nullable HostName withLabel(@Nullable HostName host, @Nullable String label) {
        int slash = label == null || !DEVICE_LABEL.matcher(label).matches() ? -1 : label.indexOf('/');
        if (host == null || label == null || host.osName() != null || slash < 0) {
            return host;
        }
        return new HostName(host.host(), label.substring(0, slash));
    }

    private static boolean isUnit(String label) {
        return UNIT_LABEL.matcher(label).matches();
    }

    private static String unit(String label) {
        return label.substring(0, label.lastIndexOf('/'));
    }
}
