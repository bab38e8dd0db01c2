/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.counters;

import org.jspecify.annotations.Nullable;

/**
 * How an exporter calls what ports count.
 *
 * @param sent counter of what a port has sent
 * @param received the same of what it has received, {@code null} where none says it
 * @param waits counter of times that a port could not send, each for as long as 8 octets take; {@code null} where none says it
 * @param discards counter of packets that it threw away, {@code null} where none says it
 * @param octets that one of {@code sent} and of {@code received} stands for
 * @param switchLabel whose value is a switch's id or name, {@code null} where all is of one switch
 * @param ofSwitch id or name of that one
 * @param portLabel whose value is the port's name or number
 */
public record CounterNames(
        String sent,
        @Nullable String received,
        @Nullable String waits,
        @Nullable String discards,
        int octets,
        @Nullable String switchLabel,
        @Nullable String ofSwitch,
        String portLabel) {
    private static final int WORD = 4;

    /**
     * Of treydock's infiniband_exporter: what a port has sent is in octets.
     *
     * @see "github.com/treydock/infiniband_exporter, collectors/switch.go and its test"
     */
    public static final CounterNames TREYDOCK_INFINIBAND = new CounterNames(
            "infiniband_switch_port_transmit_data_bytes_total",
            "infiniband_switch_port_receive_data_bytes_total",
            "infiniband_switch_port_transmit_wait_total",
            "infiniband_switch_port_transmit_discards_total",
            1,
            "guid",
            null,
            "port");

    /**
     * Of guilbaults' infiniband-exporter: in words of four octets.
     *
     * @see "github.com/guilbaults/infiniband-exporter, README.md, Metrics"
     */
    public static final CounterNames GUILBAULTS_INFINIBAND = new CounterNames(
            "infiniband_portxmitdata_total",
            "infiniband_portrcvdata_total",
            "infiniband_portxmitwait_total",
            "infiniband_portxmitdiscards_total",
            WORD,
            "local_guid",
            null,
            "local_port");

    /**
     * Of snmp_exporter with its module if_mib, as Prometheus federates it with the label instance.
     *
     * @see "RFC 2863, ifXTable: ifHCOutOctets, ifHCInOctets, ifName; ifTable: ifOutDiscards"
     * @see "github.com/prometheus/snmp_exporter, module if_mib: label ifName"
     */
    public static final CounterNames SNMP =
            new CounterNames("ifHCOutOctets", "ifHCInOctets", null, "ifOutDiscards", 1, "instance", null, "ifName");

    /**
     * Of node_exporter on a switch that runs Linux.
     *
     * @see "github.com/prometheus/node_exporter, collector netdev: label device"
     */
    public static final CounterNames NODE = new CounterNames(
            "node_network_transmit_bytes_total",
            "node_network_receive_bytes_total",
            null,
            "node_network_transmit_drop_total",
            1,
            "instance",
            null,
            "device");
}
