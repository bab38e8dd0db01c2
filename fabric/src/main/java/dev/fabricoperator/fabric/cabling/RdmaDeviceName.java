/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.Locale;
import java.util.Set;

/**
 * What RDMA devices are called: by their drivers ({@code mlx5_0}), by rdma-core's udev rule ({@code ibP2p3s0f1v2}), by old
 * scripts ({@code HCA-1}).
 *
 * <p>rdma-core's stable names are the protocol's word and one of
 *
 * <ul>
 *   <li>{@code [P<domain>](p<bus>s<slot>|s<hot-plug slot>)[f<function>][v<virtual function>][S<sub-function>]},
 *   <li>{@code o<index on the board>},
 *   <li>{@code x<node GUID>}.
 * </ul>
 *
 * <p>By hand, as {@link HostName} is.
 *
 * @see "rdma-core, kernel-boot/rdma_rename.c: NAME_PCI, NAME_ONBOARD, NAME_GUID, NAME_KERNEL"
 */
final class RdmaDeviceName {
    private static final int MAX_DIGITS = 5;
    private static final int GUID_DIGITS = 16;
    private static final int MAX_PART = 15;
    private static final int MAX_PARTS = 4;

    /** With which stable names begin; {@code rdma} where a driver tells no protocol, as that of EFA does. */
    private static final String[] PROTOCOLS = {"ib", "roce", "iw", "opa", "usnic", "rdma"};

    /** What drivers call their devices, without the number behind it. */
    private static final Set<String> DRIVERS = Set.of(
            "mlx4",
            "mlx5",
            "mlx5_bond",
            "mthca",
            "ehca",
            "hfi1",
            "hfi2",
            "qib",
            "ipath",
            "irdma",
            "i40iw",
            "nes",
            "bnxt_re",
            "bng_re",
            "cxgb3",
            "cxgb4",
            "efa",
            "erdma",
            "hns",
            "ionic",
            "mana",
            "ocrdma",
            "qedr",
            "rxe",
            "siw",
            "usnic",
            "vmw_pvrdma");

    private RdmaDeviceName() {}

    /** Whether a name can be that of nothing but an RDMA device. */
    static boolean isKnown(String name) {
        return isDrivers(name) || isOrdinal(name) || isStable(name);
    }

    /** {@code mlx5_0}: as a driver calls its device. */
    static boolean isDrivers(String name) {
        int digits = startOfNumber(name);
        if (digits == name.length() || name.length() - digits > MAX_DIGITS) {
            return false;
        }
        int end = digits > 0 && name.charAt(digits - 1) == '_' ? digits - 1 : digits;
        return DRIVERS.contains(name.substring(0, end).toLowerCase(Locale.ROOT));
    }

    /** {@code HCA-1}: as the script of openibd counts them. */
    static boolean isOrdinal(String name) {
        int start = "HCA-".length();
        return name.startsWith("HCA-")
                && name.length() > start
                && name.length() - start <= MAX_DIGITS
                && startOfNumber(name) <= start;
    }

    private static boolean isStable(String name) {
        for (String protocol : PROTOCOLS) {
            if (name.startsWith(protocol) && isPlace(name, protocol.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isPlace(String name, int from) {
        if (from < name.length() && name.charAt(from) == 'x') {
            return isGuid(name, from + 1);
        }
        int at = numbered(name, from, 'o');
        if (at == from) {
            int domain = numbered(name, from, 'P');
            int bus = numbered(name, domain, 'p');
            at = numbered(name, bus, 's');
            if (at == bus) {
                return false;
            }
        }
        for (char letter : new char[] {'f', 'v', 'S'}) {
            at = numbered(name, at, letter);
        }
        return at == name.length();
    }

    private static boolean isGuid(String name, int from) {
        if (name.length() - from != GUID_DIGITS) {
            return false;
        }
        for (int i = from; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isDigit(c) && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    /** Behind {@code letter} and a number where they stand at {@code from}, else {@code from}. */
    private static int numbered(String name, int from, char letter) {
        if (from >= name.length() || name.charAt(from) != letter) {
            return from;
        }
        int end = from + 1;
        while (end < name.length() && isDigit(name.charAt(end))) {
            end++;
        }
        // The domain of a virtual root complex has 32 bits.
        return end > from + 1 && end - from <= 2 * MAX_DIGITS + 1 ? end : from;
    }

    /**
     * Whether a name can be one that a site chose: {@code [a-z][a-z0-9]{1,14}(_[a-z0-9]{1,14}){0,3}} with a digit
     * somewhere.
     */
    static boolean isPlausible(String name) {
        int parts = 1;
        int length = 0;
        boolean numbered = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
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

    /** Where the digits begin with which a name ends; its length where it ends with none. */
    static int startOfNumber(String name) {
        int start = name.length();
        while (start > 0 && isDigit(name.charAt(start - 1))) {
            start--;
        }
        return start;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
