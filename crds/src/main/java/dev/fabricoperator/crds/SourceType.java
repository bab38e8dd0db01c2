/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Kind of a topology source. */
public enum SourceType {
    /** Output of {@code ibnetdiscover}. */
    ibnetdiscover,
    /** The REST API of a UFM appliance. */
    ufm,
    /** Neighbours that agents report; with a file, what switches report of theirs. */
    lldp,
    /** Slurm's {@code topology.conf} or {@code topology.yaml}. */
    slurm,
    /** Lines of {@code from,fromPort,to,toPort,speedBitsPerSecond}. */
    cables,
    /** Labels of the cluster's nodes, which say in which block of a network each is. */
    NodeLabels
}
