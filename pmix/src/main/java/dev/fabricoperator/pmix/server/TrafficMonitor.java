/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

/**
 * What a process asks for by PMIx_Process_monitor.
 *
 * @param id PMIX_MONITOR_ID, empty for none; with it the process cancels what it has asked for
 * @param code of the events that report
 * @param seconds from one report to the next, 1 at least
 * @see "pmix_common.h of libpmix 6.1; the header of 5.0.7 has neither key"
 */
public record TrafficMonitor(String id, int code, int seconds) {
    /** PMIX_MONITOR_NET_RESOURCE_USAGE. */
    public static final String KEY = "pmix.monitor.netresuse";

    /** PMIX_MONITOR_RESOURCE_RATE. */
    public static final String RATE = "pmix.monitor.resrate";
}
