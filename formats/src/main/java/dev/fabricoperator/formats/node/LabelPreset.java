/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.node;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Labels that say where a node is in a network, as those who write them document it; the first of which a node has all is taken. */
public enum LabelPreset {
    /**
     * Layers of instance topology, of one network ("How Amazon EC2 topology works"). The fourth is there only where an instance type has one.
     *
     * @see <a href="https://docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html">Amazon EKS, network topology labels</a>
     */
    aws(
            true,
            3,
            "topology.k8s.aws/network-node-layer-1",
            "topology.k8s.aws/network-node-layer-2",
            "topology.k8s.aws/network-node-layer-3",
            "topology.k8s.aws/network-node-layer-4"),

    /**
     * Blocks and sub-blocks of reserved machines, of which several are joined to a cluster. The label of the host is left out: a host is one node of the machines that have it.
     *
     * @see <a href="https://cloud.google.com/ai-hypercomputer/docs/workloads/schedule-gke-workloads-tas">Google Cloud, Topology Aware Scheduling</a>
     */
    gke(true, 2, "cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"),

    /**
     * HPC island, network block and local block of RDMA networks. A cluster network is within one island.
     *
     * @see <a href="https://github.com/oracle-quickstart/oci-hpc-oke">Oracle, Using RDMA Network Locality When Running Workloads on OKE</a>
     */
    oci(
            false,
            3,
            "oci.oraclecloud.com/rdma.hpc_island_id",
            "oci.oraclecloud.com/rdma.network_block_id",
            "oci.oraclecloud.com/rdma.local_block_id"),

    /**
     * Fabric, superpod and leaf group of InfiniBand; a fabric is a network apart.
     *
     * @see <a href="https://docs.coreweave.com/docs/products/networking/hpc-interconnect/infiniband-labels">CoreWeave, InfiniBand Labels</a>
     */
    coreweave(false, 3, "ib.coreweave.cloud/fabric", "ib.coreweave.cloud/superpod", "ib.coreweave.cloud/leafgroup"),

    /**
     * Fabric and leaf group of whatever network there is between nodes.
     *
     * @see <a href="https://docs.coreweave.com/products/networking/hpc-interconnect/infiniband-roce-labels">CoreWeave, InfiniBand and RoCE labels</a>
     */
    coreweaveBackend(false, 2, "backend.coreweave.cloud/fabric", "backend.coreweave.cloud/leafgroup"),

    /**
     * The proximity placement group of a node pool: AKS documents no label of a network.
     *
     * @see <a href="https://learn.microsoft.com/azure/aks/use-labels">Azure Kubernetes Service, reserved labels</a>
     */
    azure(false, 1, "kubernetes.azure.com/ppg"),

    /**
     * The clique of GPUs that NVLink joins, {@code <cluster UUID>.<clique>}, by GPU Feature Discovery.
     *
     * @see <a href="https://github.com/NVIDIA/k8s-device-plugin/tree/main/docs/gpu-feature-discovery">NVIDIA, GPU Feature Discovery</a>
     */
    nvidiaClique(false, 1, "nvidia.com/gpu.clique");

    /** Keys of all. */
    public static final Set<String> ALL_KEYS =
            Arrays.stream(values()).flatMap(preset -> preset.keys.stream()).collect(Collectors.toUnmodifiableSet());

    private final boolean oneNetwork;
    private final int required;
    private final List<String> keys;

    LabelPreset(boolean oneNetwork, int required, String... keys) {
        this.oneNetwork = oneNetwork;
        this.required = required;
        this.keys = List.of(keys);
    }

    /** From the top to the leaf. */
    public List<String> keys() {
        return keys;
    }

    /** Whether those who write the labels say that one network joins the blocks of the first. */
    public boolean isOneNetwork() {
        return oneNetwork;
    }

    /** How many of the keys every node has; the others continue the tree where they are. */
    public int required() {
        return required;
    }
}
