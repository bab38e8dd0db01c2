/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Host and device as a node description names them, for example {@code node042 mlx5_0}.
 *
 * <p>rdma-ndd(8) and the older openibd script write {@code <hostname> <device>} or {@code <hostname> HCA-<n>}. A device
 * whose host never did so describes itself by its product ({@code MT4129 ConnectX7 Mellanox Technologies}); hosts
 * without a name of their own call themselves {@code localhost} or {@code (none)}. Neither may become a host, or all
 * such devices would sit in one. A name that could as well be a device or a part number ({@code ib01}, {@code mt0012},
 * {@code 42}) is a host's where a device stands behind it, and nothing alone.
 *
 * <p>Every adapter of a dump passes through here: by hand, since regular expressions take longer than reading the dump.
 *
 * @param osName {@code null} where the description is the host's name alone
 */
public record HostName(String host, @Nullable String osName) {
    private static final int MAX_LENGTH = 253;
    private static final int MAX_PART = 15;
    private static final int MAX_PARTS = 4;

    /** In lower case. */
    private static final Set<String> NO_HOSTS = Set.of(
            "none",
            "unknown",
            "default",
            "hca",
            "mellanox",
            "nvidia",
            "voltaire",
            "qlogic",
            "intel",
            "hp",
            "hpe",
            "topspin",
            "cisco",
            "silverstorm",
            "pathscale",
            "cornelis",
            "ibm",
            "sun",
            "oracle",
            "dell",
            "xsigo",
            "aggregation");

    /** What products are called, whatever follows. */
    private static final String[] PRODUCTS = {
        "connectx", "connect-x", "connectib", "connect-ib", "infinihost", "infiniscale", "infiniband", "infinipath"
    };

    /** What drivers call their devices, with a number behind it. */
    private static final String[] DRIVERS = {"mlx4", "mlx5", "mthca", "hfi1", "qib", "ipath", "ib", "irdma"};

    public static @Nullable HostName of(@Nullable String description) {
        if (description == null) {
            return null;
        }
        String text = description.strip();
        int end = endOfWord(text, 0);
        String host = text.substring(0, end);
        String lower = host.toLowerCase(Locale.ROOT);
        if (!isName(host) || namesNoHost(lower)) {
            return null;
        }
        if (end == text.length()) {
            return isNumber(lower, 0) || isPartNumber(lower) || isDriversDevice(lower)
                    ? null
                    : new HostName(host, null);
        }
        int next = end;
        while (next < text.length() && isBlank(text.charAt(next))) {
            next++;
        }
        String device = text.substring(next, endOfWord(text, next));
        return isDevice(device) && !isProduct(device) ? new HostName(host, device) : null;
    }

    /** {@code [A-Za-z0-9]}, or between two of these up to 251 of {@code [A-Za-z0-9._-]}. */
    private static boolean isName(String text) {
        int length = text.length();
        if (length == 0 || length > MAX_LENGTH) {
            return false;
        }
        for (int i = 1; i < length - 1; i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return isAlphanumeric(text.charAt(0)) && isAlphanumeric(text.charAt(length - 1));
    }

    /** {@code HCA-\d{1,4}}, or {@code [a-z][a-z0-9]{1,14}(_[a-z0-9]{1,14}){0,3}} with a digit somewhere. */
    private static boolean isDevice(String text) {
        if (text.startsWith("HCA-")) {
            int digits = text.length() - "HCA-".length();
            return digits <= 4 && isNumber(text, "HCA-".length());
        }
        int parts = 1;
        int length = 0;
        boolean numbered = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            numbered |= isDigit(c);
            if (c == '_') {
                if (length < (parts == 1 ? 2 : 1) || ++parts > MAX_PARTS) {
                    return false;
                }
                length = 0;
            } else if (!(c >= 'a' && c <= 'z' || isDigit(c) && i > 0)
                    || ++length > (parts == 1 ? MAX_PART : MAX_PART - 1)) {
                return false;
            }
        }
        return numbered && length >= (parts == 1 ? 2 : 1);
    }

    private static boolean namesNoHost(String name) {
        return NO_HOSTS.contains(name)
                || isLocalHost(name)
                || name.startsWith("hca") && isNumber(name, name.startsWith("hca-") ? 4 : 3)
                || isProduct(name);
    }

    private static boolean isLocalHost(String name) {
        int end = "localhost".length();
        return name.startsWith("localhost")
                && (name.length() == end || name.charAt(end) == '.' || name.charAt(end) == '-' || isNumber(name, end));
    }

    /** {@code MT4129}, whatever follows. */
    private static boolean isPartNumber(String name) {
        return name.startsWith("mt") && name.length() >= 6 && isNumber(name.substring(2, 6), 0);
    }

    private static boolean isProduct(String name) {
        if (name.startsWith("connect") || name.startsWith("infini")) {
            for (String product : PRODUCTS) {
                if (name.startsWith(product)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isDriversDevice(String name) {
        for (String driver : DRIVERS) {
            if (name.startsWith(driver)) {
                int end = driver.length();
                if (isNumber(name, name.startsWith("_", end) ? end + 1 : end)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether there are digits and nothing else from {@code from} on. */
    private static boolean isNumber(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return from < text.length();
    }

    private static int endOfWord(String text, int from) {
        int end = from;
        while (end < text.length() && !isBlank(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c >= '\t' && c <= '\r';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isAlphanumeric(char c) {
        return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }
}
