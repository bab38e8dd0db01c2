/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Host and device as a node description names them, for example {@code node042 mlx5_0}.
 *
 * <p>rdma-ndd(8) and the older openibd script write {@code <hostname> <device>} or {@code <hostname> HCA-<n>}. A device
 * whose host never did so describes itself by its product ({@code MT4129 ConnectX7 Mellanox Technologies}); hosts
 * without a name of their own call themselves {@code localhost} or {@code (none)}. Neither may become a host, or all
 * such devices would sit in one.
 *
 * @param osName {@code null} where the description is the host's name alone
 */
public record HostName(String host, @Nullable String osName) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");
    private static final Pattern DEVICE = Pattern.compile("HCA-\\d{1,4}|[a-z][a-z0-9]{1,14}(?:_[a-z0-9]{1,14}){0,3}");
    private static final Pattern NO_HOST = Pattern.compile(
            "(?i)localhost(?:[.-].*)?|localhost\\d*|none|unknown|default|\\d+|MT\\d{4,6}.*|Connect-?(?:X|IB).*"
                    + "|Infini(?:Host|Scale|Band|Path).*|HCA(?:-?\\d+)?|Mellanox|NVIDIA|Voltaire|QLogic|Intel|HPE?"
                    + "|Topspin|Cisco|SilverStorm|PathScale|Cornelis|IBM|Sun|Oracle|Dell|Xsigo|Aggregation"
                    + "|(?:mlx[45]|mthca|hfi1|qib|ipath|ib|irdma)_?\\d+");

    public static @Nullable HostName of(@Nullable String description) {
        if (description == null) {
            return null;
        }
        String[] words = description.strip().split("\\s+", 3);
        String host = words[0];
        if (!NAME.matcher(host).matches() || NO_HOST.matcher(host).matches()) {
            return null;
        }
        if (words.length == 1) {
            return new HostName(host, null);
        }
        Matcher device = DEVICE.matcher(words[1]);
        boolean numbered = words[1].chars().anyMatch(Character::isDigit);
        return device.matches() && numbered ? new HostName(host, words[1]) : null;
    }
}
