/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Exporters whose names of counters are known. */
public enum CounterPreset {
    /** treydock's infiniband_exporter. */
    TreydockInfiniband,
    /** guilbaults' infiniband-exporter. */
    GuilbaultsInfiniband,
    /** snmp_exporter with its module {@code if_mib}, as Prometheus federates it. */
    Snmp,
    /** node_exporter on switches that run Linux. */
    Node
}
