/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an answer can be written as. */
public enum Format {
    json("application/json"),
    /** Unsigned 16 bit, little-endian, row after row. */
    binary("application/octet-stream"),
    /** NumPy's file format; the same numbers behind a header. */
    npy("application/x-npy"),
    /** Slurm's topology.conf. */
    slurm("text/plain"),
    /** Slurm's topology.yaml. */
    yaml("application/yaml"),
    html("text/html"),
    svg("image/svg+xml"),
    text("text/plain"),
    /** Graphviz'. */
    dot("text/vnd.graphviz");

    private static final int MAXIMUM_RANGES = 32;

    private final String mediaType;

    Format(String mediaType) {
        this.mediaType = mediaType;
    }

    public String mediaType() {
        return mediaType;
    }

    /**
     * The format that a request wants: its parameter {@code format}, else the best of its Accept header, of two equally
     * good ones the first.
     *
     * @param offered what there is, the default first in order of declaration
     * @see "RFC 9110, section 12.5.1"
     */
    static Format chosen(@Nullable String parameter, @Nullable String accept, Set<Format> offered)
            throws StatusException {
        if (parameter != null) {
            for (Format format : offered) {
                if (format.name().equals(parameter)) {
                    return format;
                }
            }
            throw StatusException.badParam("format", "format '" + parameter + "' is none of " + offered);
        }
        Format first = EnumSet.copyOf(offered).iterator().next();
        if (accept == null || accept.isBlank()) {
            return first;
        }
        Format best = null;
        double bestQuality = 0;
        for (String range : accept.split(",", MAXIMUM_RANGES + 1)) {
            String[] parts = range.toLowerCase(Locale.ROOT).split(";", -1);
            double quality = quality(parts);
            Format found = quality > bestQuality ? matching(parts[0].strip(), offered, first) : null;
            if (found != null) {
                best = found;
                bestQuality = quality;
            }
        }
        if (best == null) {
            throw StatusException.notAcceptable("none of " + accept + " is offered here, but " + offered);
        }
        return best;
    }

    private static @Nullable Format matching(String range, Set<Format> offered, Format first) {
        if (range.equals("*/*")) {
            return first;
        }
        for (Format format : offered) {
            String family = format.mediaType.substring(0, format.mediaType.indexOf('/') + 1);
            if (range.equals(format.mediaType) || range.equals(family + "*")) {
                return format;
            }
        }
        return null;
    }

    private static double quality(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            String part = parts[i].strip();
            if (part.startsWith("q=")) {
                try {
                    return Double.parseDouble(part.substring(2));
                } catch (NumberFormatException e) {
                    // What is no number wishes for nothing.
                    return 0;
                }
            }
        }
        return 1;
    }
}
