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
 * <p>rdma-ndd(8) and the older openibd script write {@code <hostname> <device>} or {@code <hostname> HCA-<n>}; sites put
 * other marks between the two, or the device first. A device whose host never did so describes itself by its product
 * ({@code MT4129 ConnectX7 Mellanox Technologies}); hosts without a name of their own call themselves {@code localhost} or
 * {@code (none)}. Neither may become a host, or all such devices would sit in one. A name that could as well be a device, a
 * maker or a part number ({@code ib01}, {@code sun}, {@code mt0012}, {@code 42}) is a host's where a device stands behind
 * it, and nothing alone.
 *
 * <p>Every adapter of a dump passes through here: by hand, since regular expressions take longer than reading the dump.
 *
 * @param osName {@code null} where the description is the host's name alone, or was cut within the device's
 */
public record HostName(String host, @Nullable String osName) {
    private static final int MAX_LENGTH = 253;

    /** NodeDescription has 64 bytes, the last of which Linux keeps zero. */
    private static final int FULL_DESCRIPTION = 63;

    /** Marks between host and device, of which no host's name has any; a device may stand before or behind them. */
    private static final String MARKS = ":/,;|=@";

    /** Marks that hosts' names have, too: behind them only what a driver or openibd's script calls a device counts. */
    private static final String MARKS_OF_NAMES = "-_.";

    /** In lower case. */
    private static final Set<String> MAKERS = Set.of(
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

    private static final Set<String> NOBODY = Set.of("none", "(none)", "unknown", "default");

    /** A host's name has 253 characters at most, a device's 63; a place is looked for at each character, with a copy of what is before and behind it. */
    private static final int LONGEST = 400;

    /** What products are called, whatever follows. */
    private static final String[] PRODUCTS = {
        "connectx", "connect-x", "connectib", "connect-ib", "infinihost", "infiniscale", "infiniband", "infinipath"
    };

    /** What numbers of a place have before them; {@code mlx5_0 rail0} names no host. */
    private static final Set<String> PLACES = Set.of(
            "rail", "port", "plane", "gpu", "nic", "ib", "eth", "net", "hca", "lane", "link", "slot", "card", "numa");

    public static @Nullable HostName of(@Nullable String description) {
        if (description == null || description.length() > LONGEST) {
            return null;
        }
        String text = description.strip();
        int end = endOfWord(text, 0);
        String first = text.substring(0, end);
        if (end == text.length()) {
            return ofWord(first);
        }
        int next = end;
        while (next < text.length() && isBlank(text.charAt(next))) {
            next++;
        }
        int behind = endOfWord(text, next);
        String device = plain(text, next, behind);
        String host = withoutMark(first);
        if (RdmaDeviceName.isKnown(device) && !RdmaDeviceName.isDrivers(host)) {
            return hostOf(host, device);
        }
        HostName joined = joined(first);
        if (joined != null) {
            return joined;
        }
        String lower = host.toLowerCase(Locale.ROOT);
        if (RdmaDeviceName.isDrivers(host) || RdmaDeviceName.isOrdinal(host)) {
            return behind == text.length() ? turned(host, text.substring(next)) : null;
        }
        if (!isName(host) || namesNobody(lower) || isProduct(lower) || namesMaker(lower)) {
            return null;
        }
        if (isNumbered(lower) && namesProduct(device)) {
            return new HostName(host, null);
        }
        if (RdmaDeviceName.isPlausible(device) && !isProduct(device)) {
            return new HostName(host, device);
        }
        // Sites write their own words for a device in any case: "node7 NIC0".
        boolean whole = behind == text.length() && behind - next == device.length();
        if (whole
                && isNumbered(lower)
                && RdmaDeviceName.isPlausible(device.toLowerCase(Locale.ROOT).replace('-', '_'))) {
            return new HostName(host, device);
        }
        boolean cut = text.length() >= FULL_DESCRIPTION && behind == text.length() && isWord(device);
        return cut ? new HostName(host, null) : null;
    }

    /**
     * Whether a description says no more than that nobody gave the device's host a name: it is the product's, or {@code
     * localhost}. What is neither this nor {@link #of a host} is in a form that is not understood.
     */
    public static boolean isNameless(@Nullable String description) {
        if (description == null || description.isBlank()) {
            return true;
        }
        String text = description.strip().toLowerCase(Locale.ROOT);
        int end = endOfWord(text, 0);
        for (int i = 0; i < end; i++) {
            if (MARKS.indexOf(text.charAt(i)) >= 0) {
                end = i;
            }
        }
        String first = text.substring(0, end);
        return namesNobody(first)
                || isPartNumber(first)
                || isProduct(first)
                || namesMaker(first) && end < text.length()
                || text.endsWith("mellanox technologies");
    }

    /** A description without blanks: host and device with a mark between them, or the host alone. */
    private static @Nullable HostName ofWord(String word) {
        HostName joined = joined(word);
        if (joined != null) {
            return joined;
        }
        String lower = word.toLowerCase(Locale.ROOT);
        boolean other = isNumber(lower, 0)
                || isPartNumber(lower)
                || isNetworkDevice(lower)
                || isProduct(lower)
                || namesMaker(lower)
                || namesNobody(lower)
                || RdmaDeviceName.isKnown(word);
        return isName(word) && !other ? new HostName(word, null) : null;
    }

    /** {@code gpu-a:mlx5_0}, {@code gpu-a-mlx5_0}, {@code mlx5_0@gpu-a}; {@code null} for what is not so. */
    private static @Nullable HostName joined(String word) {
        for (int i = 1; i < word.length() - 1; i++) {
            char c = word.charAt(i);
            String before = word.substring(0, i);
            if (MARKS.indexOf(c) >= 0) {
                String behind = word.substring(i + 1);
                String device = plain(word, i + 1, word.length());
                if (RdmaDeviceName.isKnown(device) && !RdmaDeviceName.isDrivers(before)) {
                    return hostOf(before, device);
                }
                if (RdmaDeviceName.isDrivers(before) || RdmaDeviceName.isOrdinal(before)) {
                    return turned(before, behind);
                }
            } else if (MARKS_OF_NAMES.indexOf(c) >= 0) {
                String device = plain(word, i + 1, word.length());
                boolean known =
                        RdmaDeviceName.isOrdinal(device) || RdmaDeviceName.isDrivers(device) && device.indexOf('_') > 0;
                if (known && isName(before)) {
                    return hostOf(before, device);
                }
            }
        }
        return null;
    }

    /** The host before a device that is known to be one. */
    private static @Nullable HostName hostOf(String host, String device) {
        String lower = host.toLowerCase(Locale.ROOT);
        boolean product = isProduct(lower) && RdmaDeviceName.isOrdinal(device);
        return isName(host.replace(':', '-')) && !namesNobody(lower) && !product ? new HostName(host, device) : null;
    }

    /** The host behind a device. */
    private static @Nullable HostName turned(String device, String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        boolean place = PLACES.contains(lower.substring(0, RdmaDeviceName.startOfNumber(lower)));
        boolean other = place
                || isNumber(lower, 0)
                || isPartNumber(lower)
                || isProduct(lower)
                || namesMaker(lower)
                || namesNobody(lower)
                || RdmaDeviceName.isKnown(host);
        return isName(host) && !other ? new HostName(host, device) : null;
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

    private static boolean namesNobody(String name) {
        int end = "localhost".length();
        return NOBODY.contains(name)
                || name.startsWith("localhost")
                        && (name.length() == end
                                || name.charAt(end) == '.'
                                || name.charAt(end) == '-'
                                || isNumber(name, end));
    }

    /** Also {@code hca1} and {@code hca-1}. */
    private static boolean namesMaker(String name) {
        return MAKERS.contains(name) || name.startsWith("hca") && isNumber(name, name.startsWith("hca-") ? 4 : 3);
    }

    /** {@code MT4129}, whatever follows. */
    private static boolean isPartNumber(String name) {
        return name.startsWith("mt") && name.length() >= 6 && isNumber(name.substring(2, 6), 0);
    }

    /** Whether a word behind a host's name is what the driver calls a device that nobody gave a name. */
    private static boolean namesProduct(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        return isPartNumber(lower) || isProduct(lower);
    }

    /** As hosts are called, and makers and products are not: a letter first, a number behind, and no place's name. */
    private static boolean isNumbered(String name) {
        String label = name.substring(0, name.indexOf('.') < 0 ? name.length() : name.indexOf('.'));
        int number = RdmaDeviceName.startOfNumber(label);
        return number > 0
                && number < label.length()
                && !isDigit(label.charAt(0))
                && !isPartNumber(name)
                && !isNetworkDevice(name)
                && !name.startsWith("bluefield")
                && !PLACES.contains(label.substring(0, number));
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

    /** {@code ib0}, as interfaces of IP over InfiniBand are called. */
    private static boolean isNetworkDevice(String name) {
        return name.startsWith("ib") && isNumber(name, name.startsWith("_", 2) ? 3 : 2);
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

    /** The word without what is around it and behind it: {@code mlx5_0} for {@code (mlx5_0)} and {@code mlx5_0/1}. */
    private static String plain(String text, int from, int to) {
        int start = from;
        while (start < to && !isAlphanumeric(text.charAt(start))) {
            start++;
        }
        int end = start;
        while (end < to && (isAlphanumeric(text.charAt(end)) || text.charAt(end) == '_' || text.charAt(end) == '-')) {
            end++;
        }
        return text.substring(start, end);
    }

    /** {@code gpu-a} for {@code gpu-a:}. */
    private static String withoutMark(String word) {
        int last = word.length() - 1;
        return last > 0 && MARKS.indexOf(word.charAt(last)) >= 0 ? word.substring(0, last) : word;
    }

    private static boolean isWord(String text) {
        return !text.isEmpty() && !isDigit(text.charAt(0));
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
