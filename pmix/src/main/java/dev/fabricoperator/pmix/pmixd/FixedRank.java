/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one rank of a pod whose container starts by its image's own command: its environment was written before the pod was
 * made, so that all in it is fixed, also over attempts.
 *
 * @param port on 127.0.0.1 where the rank looks for its server
 * @param nspace PMIX_NAMESPACE of the rank
 * @param rank PMIX_RANK
 * @param uid of its process
 * @param gid of its process
 */
record FixedRank(int port, String nspace, int rank, int uid, int gid) {
    /** PMIX_SERVER_NSPACE of such a server; the pod's name is not known when the rank's environment is written. */
    static final String SERVER = "pmixd";

    private static final HexFormat MAC = HexFormat.ofDelimiter(":");

    /**
     * @return {@code null} for a pod with a launcher
     * @throws IllegalArgumentException where only a part is set, or no number
     */
    static @Nullable FixedRank from(Map<String, String> environment) {
        String port = environment.get("FABRIC_RANK_PORT");
        if (port == null) {
            return null;
        }
        String nspace = environment.get("FABRIC_RANK_NAMESPACE");
        if (nspace == null) {
            throw new IllegalArgumentException("the variable FABRIC_RANK_NAMESPACE is not set");
        }
        return new FixedRank(
                number(port),
                nspace,
                number(environment.get("FABRIC_RANK")),
                number(environment.get("FABRIC_RANK_UID")),
                number(environment.get("FABRIC_RANK_GID")));
    }

    private static int number(@Nullable String text) {
        try {
            return Integer.parseUnsignedInt(String.valueOf(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a variable FABRIC_RANK... is no number: " + text, e);
        }
    }

    /**
     * What a launcher would tell, as far as it shows from here: the network is the pod's, CPUs and devices of a container that
     * has not started are not known.
     */
    LauncherFacts facts() throws SocketException {
        List<LauncherFacts.Interface> interfaces = new ArrayList<>();
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (each.isUp() && !each.isLoopback()) {
                byte[] mac = each.getHardwareAddress();
                interfaces.add(new LauncherFacts.Interface(
                        each.getName(),
                        mac == null ? null : MAC.formatHex(mac),
                        null,
                        each.inetAddresses().map(FixedRank::text).toList()));
            }
        }
        return new LauncherFacts(
                uid, gid, "", "", 1, false, true, false, List.of(), List.of(), interfaces, List.of(), null, null, 0, 0);
    }

    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }
}
