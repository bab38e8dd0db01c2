/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.Interface;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.RdmaPort;
import dev.fabricoperator.pmix.pmixd.launcher.LineFormat;
import dev.fabricoperator.pmix.server.JobToken;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What communication libraries are to use, by their own variables. All of these are defaults: what the user or
 * the image sets stays.
 */
public final class LibraryVariables {
    /** Open MPI's PSM2 ends without it; mpirun sets it for its ranks. */
    private static final String TRANSPORT_KEY = "OMPI_MCA_orte_precondition_transports";

    /** libpmix's own 4 s, three times, are short where hundreds of ranks start on few processors, which the server's thread shares. */
    private static final String HANDSHAKE_SECONDS = "PMIX_MCA_ptl_base_handshake_wait_time";

    /** Devices of the job's default fabric first, those of no fabric last. */
    private static final Comparator<JobDevice> BY_PLANE = Comparator.comparingInt(
                    (JobDevice device) -> device.fabric() < 0 ? Integer.MAX_VALUE : device.fabric())
            .thenComparing(device -> Objects.requireNonNullElse(device.plane(), ""))
            .thenComparing(JobDevice::index)
            .thenComparing(JobDevice::osName);

    private LibraryVariables() {}

    /**
     * @param own name of the interface with the pod's address, empty if unknown
     * @param devices whether variables that name devices are wanted
     * @param gidIndex of a port where the pod's own entry of its GID table is, {@code null} if unknown, and for a port without RoCE
     */
    public static Map<String, String> of(
            JobMap map,
            int self,
            LauncherFacts facts,
            String own,
            boolean devices,
            Function<RdmaPort, @Nullable Integer> gidIndex) {
        Map<String, String> variables = new LinkedHashMap<>();
        if (facts.homeUnset()) {
            // Clients of libpmix before 6 die without it if the uid has no entry in /etc/passwd.
            variables.put("HOME", "/tmp");
        }
        if (shareCpus(map, self, facts)) {
            variables.put("OMPI_MCA_mpi_yield_when_idle", "1");
            variables.put(HANDSHAKE_SECONDS, "60");
        }
        transportKey(map, self, variables);
        if (devices) {
            List<JobDevice> all = map.pods().get(self).devices();
            rdma(all, facts, own, gidIndex, variables);
            if (variables.containsKey("NCCL_IB_HCA") && !meet(map, all, facts)) {
                variables.put("NCCL_CROSS_NIC", "0");
            }
            List<String> cxi = cxi(all, facts);
            if (!cxi.isEmpty()) {
                variables.put("FI_CXI_DEVICE_NAME", names(cxi));
            }
            if (!own.isEmpty()) {
                variables.put("OMPI_MCA_btl_tcp_if_include", own);
                variables.put("NCCL_SOCKET_IFNAME", "=" + own);
                variables.put("GLOO_SOCKET_IFNAME", own);
                variables.put("FI_TCP_IFACE", own);
            }
        }
        return variables;
    }

    private static boolean isOmniPath(JobDevice device) {
        return device.osName().startsWith("hfi1") || hasDriver(device, "hfi1");
    }

    private static boolean hasDriver(JobDevice device, String driver) {
        return device.attributes().stream()
                .anyMatch(each -> each.key().equals(PmixKeys.PMIX_FABRIC_DEVICE_DRIVER)
                        && each.value().equals(driver));
    }

    /**
     * 128 bits that all ranks of an attempt have, and no other job: by them a library knows its peers, and takes nothing of others. Ranks tell them to the fabric. Where nobody sets
     * them, OPX and PSM3 take one constant for all jobs of the world.
     *
     * @see "Open MPI 5.0.7, ompi_mtl_psm2_module_init; libfabric 2.1, fi_opx(7) and fi_psm3(7)"
     */
    private static void transportKey(JobMap map, int self, Map<String, String> variables) {
        String digits = HexFormat.of().formatHex(JobToken.of(map, "transport key"), 0, 16);
        if (map.pods().get(self).devices().stream().anyMatch(LibraryVariables::isOmniPath)) {
            variables.put(TRANSPORT_KEY, digits.substring(0, 16) + '-' + digits.substring(16));
        }
        variables.put("FI_OPX_UUID", digits);
        variables.put(
                "FI_PSM3_UUID",
                String.join(
                        "-",
                        digits.substring(0, 8),
                        digits.substring(8, 12),
                        digits.substring(12, 16),
                        digits.substring(16, 20),
                        digits.substring(20)));
    }

    /**
     * Ports nearest first, as the map has them. NCCL finds by itself which device is near which GPU, and takes a device to reach the one of the
     * same position on another node: its list is in the order of the planes, which the CPUs of a pod do not change. Where all that open are for something else
     * than jobs, the choice is the library's. EFA opens as they do, and is no way for UCX or NCCL, which has a plugin for libfabric.
     */
    private static void rdma(
            List<JobDevice> all,
            LauncherFacts facts,
            String own,
            Function<RdmaPort, @Nullable Integer> gidIndex,
            Map<String, String> variables) {
        List<JobDevice> devices =
                all.stream().filter(device -> !hasDriver(device, "efa")).toList();
        List<JobDevice> efa =
                all.stream().filter(device -> hasDriver(device, "efa")).toList();
        List<String> nearest = ports(devices, facts);
        if (!nearest.isEmpty()) {
            variables.put("UCX_NET_DEVICES", names(nearest));
            variables.put(
                    "NCCL_IB_HCA",
                    "=" + names(ports(devices.stream().sorted(BY_PLANE).toList(), facts)));
            variables.put("FI_VERBS_DEVICE_NAME", device(nearest.getFirst()));
            Set<@Nullable Integer> indices = new HashSet<>();
            facts.rdma().stream()
                    .filter(port -> nearest.contains(port.device() + ':' + port.port()))
                    .forEach(port -> indices.add(gidIndex.apply(port)));
            Integer index = indices.size() == 1 ? indices.iterator().next() : null;
            // One value is for all ports: where they differ the library has to look for itself.
            if (index != null) {
                variables.put("NCCL_IB_GID_INDEX", index.toString());
                variables.put("UCX_IB_GID_INDEX", index.toString());
            }
        } else if (!own.isEmpty() && facts.rdma().isEmpty()) {
            variables.put("UCX_NET_DEVICES", own);
        }
        List<String> interfaces =
                ports(efa, facts).stream().map(LibraryVariables::device).toList();
        if (!interfaces.isEmpty()) {
            variables.put("FI_EFA_IFACE", names(interfaces));
        }
    }

    /**
     * Whether each device of the pod that carries jobs reaches each other one, as far as the map says it: rings of NCCL may change from one to
     * another then, between nodes. EFA is no way for NCCL by itself.
     */
    private static boolean meet(JobMap map, List<JobDevice> all, LauncherFacts facts) {
        List<JobDevice> devices = all.stream()
                .filter(device -> device.carriesJobs()
                        && facts.rdma().stream().anyMatch(port -> port.device().equals(device.osName()))
                        && device.fabric() >= 0
                        && device.fabric() < map.fabrics().size()
                        && !hasDriver(device, "efa"))
                .toList();
        return devices.stream().noneMatch(one -> devices.stream().anyMatch(other -> areApart(map, one, other)));
    }

    private static boolean areApart(JobMap map, JobDevice one, JobDevice other) {
        // Without a cable that the map knows, or in another fabric, which may be routed to, nobody knows.
        if (one.fabric() != other.fabric() || one.switchId() == null || other.switchId() == null) {
            return false;
        }
        JobFabric fabric = map.fabrics().get(one.fabric());
        short[] costs = fabric.costs();
        return costs != null
                && one.index() >= 0
                && other.index() >= 0
                && Short.toUnsignedInt(costs[one.index() * fabric.devices() + other.index()]) == CostMatrix.UNREACHABLE;
    }

    /** Of a port. */
    private static String device(String port) {
        return port.substring(0, port.lastIndexOf(':'));
    }

    /** Those that open and carry jobs, in the order of the devices. */
    private static List<String> ports(List<JobDevice> devices, LauncherFacts facts) {
        List<String> ports = new ArrayList<>();
        for (JobDevice device : devices) {
            for (RdmaPort port : facts.rdma()) {
                String name = port.device() + ':' + port.port();
                if (device.carriesJobs()
                        && port.device().equals(device.osName())
                        && (device.port() == 0 || device.port() == port.port())
                        && !ports.contains(name)) {
                    ports.add(name);
                }
            }
        }
        return ports;
    }

    private static List<String> cxi(List<JobDevice> devices, LauncherFacts facts) {
        Set<String> others = devices.stream()
                .filter(device -> !device.carriesJobs())
                .map(JobDevice::osName)
                .collect(Collectors.toSet());
        return facts.cxi().stream()
                .map(LauncherFacts.CxiDevice::device)
                .filter(device -> !others.contains(device))
                .toList();
    }

    private static String names(List<String> names) {
        return String.join(",", names);
    }

    /** The interface that has the pod's address. */
    static String ownInterface(LauncherFacts facts, String address) {
        for (Interface each : facts.interfaces()) {
            if (each.addresses().contains(address)) {
                return each.name();
            }
        }
        return "";
    }

    /** Whether ranks have less than a CPU each: by those that they may use, or by the time on them, which a container's limit is. */
    private static boolean shareCpus(JobMap map, int self, LauncherFacts facts) {
        JobPod pod = map.pods().get(self);
        return ranksOnHost(map, self) > cpus(pod.cpuset())
                || (facts.cpuMillis() > 0 && pod.rankCount() * 1000L > facts.cpuMillis());
    }

    /** Ranks of this job that share the CPUs of this pod's host. */
    private static int ranksOnHost(JobMap map, int self) {
        String host = map.pods().get(self).host();
        int ranks = 0;
        for (JobPod pod : map.pods()) {
            if (pod.host().equals(host)) {
                ranks += pod.rankCount();
            }
        }
        return ranks;
    }

    /** Of a list such as {@code 0-3,8}; unknown is as many as one could want. */
    static int cpus(String list) {
        int count = 0;
        for (String range : LineFormat.split(list, ',')) {
            int dash = range.indexOf('-');
            try {
                count += dash < 0
                        ? 1
                        : Integer.parseInt(range.substring(dash + 1)) - Integer.parseInt(range.substring(0, dash)) + 1;
            } catch (NumberFormatException e) {
                return Integer.MAX_VALUE;
            }
        }
        return count == 0 ? Integer.MAX_VALUE : count;
    }
}
