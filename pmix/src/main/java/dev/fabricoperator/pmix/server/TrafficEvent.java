/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import java.util.List;

/**
 * What a job has sent since its ranks began, as far as one pod knows it, for one process.
 *
 * @param to whoever has asked, and nobody else
 * @param first of the ranks whose traffic it is, PMIX_EVENT_AFFECTED_PROCS; or all of the job
 * @param ranks how many they are, which follow one another
 * @param pods how many of the job's have told something
 * @param devicesKnown whether a device of these is counted, so that there are {@code sent} and {@code received}
 * @param sent bytes of all counted devices of these pods
 * @param tcpBytes what TCP connections have carried from these pods to others of the job
 * @param devices of this server's pod
 * @param text PMIX_EVENT_TEXT_MESSAGE
 */
public record TrafficEvent(
        Proc to,
        TrafficMonitor monitor,
        Proc first,
        int ranks,
        int pods,
        boolean devicesKnown,
        long sent,
        long received,
        long tcpBytes,
        List<DeviceTraffic> devices,
        String text) {
    /** UINT32. No header has a key for it. */
    public static final String PODS = "fabric-operator.pods";

    /** UINT64. No header has a key for it. */
    public static final String TCP_BYTES = "fabric-operator.tcp-bytes";

    /** UINT64; PMIX_NET_SENT_BYTES of libpmix 6.1. */
    public static final String SENT_BYTES = "pmix.net.sntb";

    /** UINT64; PMIX_NET_RECVD_BYTES. */
    public static final String RECEIVED_BYTES = "pmix.net.rcb";

    /** Array of INFO, one for each device; PMIX_NETWORK_RESOURCE_USAGE. */
    public static final String DEVICE = "pmix.net.res";

    public TrafficEvent {
        devices = List.copyOf(devices);
    }
}
