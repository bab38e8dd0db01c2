/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.fabric.device.Family;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The subnets that a device is in.
 *
 * <p>InfiniBand and Omni-Path: the subnet prefix, the upper half of the port's first GID, 16 lower-case hex digits. Others:
 * the IP networks of the interface in CIDR form, of those addresses that were given with a prefix length. A network of
 * four addresses or less is a cable, not a subnet that tells fabrics apart, and so is a link-local address.
 */
public final class Subnets {
    private static final int GID_BYTES = 16;
    private static final int PREFIX_BYTES = 8;
    /** A cable between two routers has a /30 or /31 (RFC 3021), or a /126 or /127 (RFC 6164). */
    private static final int SMALLEST_HOST_BITS = 3;

    private Subnets() {}

    static List<String> of(Family family, List<String> gids, List<String> ipAddresses) {
        if (family == Family.InfiniBand || family == Family.OmniPath) {
            return gids.stream()
                    .flatMap(gid -> Stream.ofNullable(prefixOfGid(gid)))
                    .findFirst()
                    .map(prefix -> List.of(prefix.intern()))
                    .orElse(List.of());
        }
        return ipAddresses.stream()
                .flatMap(address -> Stream.ofNullable(network(address)))
                .distinct()
                .sorted()
                .map(String::intern)
                .toList();
    }

    /** Whether a selector's subnet names one of the subnets, or an IP network that holds one. */
    public static boolean covers(String selected, String subnet) {
        if (selected.equals(subnet)) {
            return true;
        }
        Cidr outer = Cidr.parse(selected);
        Cidr inner = Cidr.parse(subnet);
        return outer != null && inner != null && outer.holds(inner);
    }

    private static @Nullable String prefixOfGid(String gid) {
        byte[] bytes = addressBytes(gid);
        return bytes == null || bytes.length != GID_BYTES
                ? null
                : HexFormat.of().formatHex(bytes, 0, PREFIX_BYTES);
    }

    private static @Nullable String network(String address) {
        Cidr cidr = Cidr.parse(address);
        return cidr == null || cidr.isCable() || cidr.isLinkLocal() ? null : cidr.toString();
    }

    /** Of a literal only: a name would be looked up, and none has a colon or consists of digits and dots. */
    private static byte @Nullable [] addressBytes(String literal) {
        if (literal.isEmpty() || !literal.chars().allMatch(c -> Character.digit(c, 16) >= 0 || c == ':' || c == '.')) {
            return null;
        }
        if (literal.indexOf(':') < 0 && !Character.isDigit(literal.charAt(literal.length() - 1))) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(literal).getAddress();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private record Cidr(byte[] address, int length) {
        static @Nullable Cidr parse(String text) {
            int slash = text.indexOf('/');
            byte[] bytes = slash < 0 ? null : addressBytes(text.substring(0, slash));
            if (bytes == null) {
                return null;
            }
            try {
                int length = Integer.parseInt(text.substring(slash + 1));
                return length < 0 || length > bytes.length * 8 ? null : new Cidr(masked(bytes, length), length);
            } catch (NumberFormatException e) {
                return null;
            }
        }

        boolean holds(Cidr inner) {
            return inner.address.length == address.length
                    && inner.length >= length
                    && Arrays.equals(masked(inner.address, length), address);
        }

        boolean isCable() {
            return address.length * 8 - length < SMALLEST_HOST_BITS;
        }

        boolean isLinkLocal() {
            return address.length == GID_BYTES
                    ? (address[0] & 0xff) == 0xfe && (address[1] & 0xc0) == 0x80
                    : (address[0] & 0xff) == 169 && (address[1] & 0xff) == 254;
        }

        private static byte[] masked(byte[] bytes, int length) {
            byte[] result = bytes.clone();
            for (int bit = length; bit < bytes.length * 8; bit++) {
                result[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
            }
            return result;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Cidr that && length == that.length && Arrays.equals(address, that.address);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(address) * 31 + length;
        }

        @Override
        public String toString() {
            try {
                return InetAddress.getByAddress(address).getHostAddress() + "/" + length;
            } catch (UnknownHostException e) {
                throw new IllegalStateException("an address of " + address.length + " bytes", e);
            }
        }
    }
}
