/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What of a job's traffic can have a level of service of its own: that of a library, which has one value for all that it sends.
 *
 * @see "PMIx Standard, PMIX_ALLOC_FABRIC_ID and PMIX_ALLOC_FABRIC_QOS"
 */
public enum Channel {
    /** MPI and SHMEM: through UCX, OPX, PSM2, PSM3, or Open MPI 4's openib. */
    mpi(
            List.of("UCX_IB_SL", "FI_OPX_SL", "HFI_SL", "PSM3_NIC_SL", "OMPI_MCA_btl_openib_ib_service_level"),
            List.of("UCX_IB_TRAFFIC_CLASS")),
    /** Of GPUs: through NCCL's and NVSHMEM's own InfiniBand and RoCE. */
    nccl(List.of("NCCL_IB_SL", "NVSHMEM_IB_SL"), List.of("NCCL_IB_TC", "NVSHMEM_IB_TRAFFIC_CLASS"));

    /** Of an InfiniBand packet, 4 bits (LRH:SL). */
    public static final int MOST_SERVICE_LEVEL = 15;
    /** Of an IP packet, 6 bits (RFC 2474). */
    public static final int MOST_DSCP = 63;

    /** Behind the DSCP an IP packet has two bits for congestion. */
    private static final int DSCP_SHIFT = 2;

    private final List<String> ofServiceLevel;
    private final List<String> ofTrafficClass;

    Channel(List<String> ofServiceLevel, List<String> ofTrafficClass) {
        this.ofServiceLevel = ofServiceLevel;
        this.ofTrafficClass = ofTrafficClass;
    }

    /**
     * Variables by which its libraries are told.
     *
     * @param serviceLevel of InfiniBand and Omni-Path, 0 to {@value #MOST_SERVICE_LEVEL}
     * @param dscp of RoCE, 0 to {@value #MOST_DSCP}; libraries take the whole traffic class, four times that
     * @see "UCX, uct/ib/base/ib_iface.c (SL, TRAFFIC_CLASS); NCCL, environment variables NCCL_IB_SL and NCCL_IB_TC; NVSHMEM, NVSHMEM_IB_SL; libfabric,
     *     fi_opx(7); PSM2 and PSM3, psm_ep.c"
     */
    public Map<String, String> variables(@Nullable Integer serviceLevel, @Nullable Integer dscp) {
        Map<String, String> variables = new LinkedHashMap<>();
        if (serviceLevel != null) {
            ofServiceLevel.forEach(name -> variables.put(name, Integer.toString(serviceLevel)));
        }
        if (dscp != null) {
            ofTrafficClass.forEach(name -> variables.put(name, Integer.toString(dscp << DSCP_SHIFT)));
        }
        return variables;
    }
}
