/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Family;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A variable by which a library is told which devices to take, the same for all processes of a node.
 *
 * <p>The value is known when the pod has its node; it reaches the environment through an annotation of the pod. Until then, and on a node
 * without such devices, the annotation holds a value that leaves the choice to the library: a variable that has no such value is not
 * among these (FI_CXI_DEVICE_NAME, FI_TCP_IFACE, FI_OPX_HFI_SELECT, FI_PROVIDER, GLOO_SOCKET_IFNAME).
 */
enum DeviceVariable {
    /** UCX, {@code src/ucp/core/ucp_context.c}: a list of device:port, {@code all} is the default. */
    UCX_NET_DEVICES("all", false) {
        @Override
        String value(Node node, boolean hostNetwork) {
            String list = list(node.devices(), DeviceVariable::isVerbs, NodeDevice::verbsName);
            return list.isEmpty() && hostNetwork && !node.opensVerbs() ? node.own() : list;
        }
    },
    /**
     * NCCL, {@code src/transport/net_ib.cc}: {@code =} makes it match whole names rather than prefixes, {@code ^=} leaves out. NCCL pairs devices of
     * nodes by position, so that they stand in the order of the planes; versions that only filter by this list take libibverbs' order.
     */
    NCCL_IB_HCA("^=none", false) {
        @Override
        String value(Node node, boolean hostNetwork) {
            String list = list(node.devices(), DeviceVariable::isVerbs, NodeDevice::verbsName);
            return list.isEmpty() ? "" : "=" + list;
        }
    },
    /**
     * NCCL, {@code src/graph/search.cc}: 2 is the default, which lets rings change from one device to another between nodes where that is faster; 0
     * keeps each to one, which they must where devices of a node do not reach those of other positions.
     */
    NCCL_CROSS_NIC("2", false) {
        @Override
        String value(Node node, boolean hostNetwork) {
            return node.meet() ? "" : "0";
        }
    },
    /** libfabric, {@code prov/efa}: a list of device names, {@code all} is the default. */
    FI_EFA_IFACE("all", false) {
        @Override
        String value(Node node, boolean hostNetwork) {
            return list(
                    node.devices(),
                    device -> device.device().family() == Family.EFA,
                    device -> device.device().osName());
        }
    },
    /** Open MPI, {@code opal/mca/btl/tcp}: a list of interfaces, empty is no choice. */
    OMPI_MCA_btl_tcp_if_include("", true) {
        @Override
        String value(Node node, boolean hostNetwork) {
            return node.own();
        }
    },
    /** NCCL, {@code src/misc/socket.cc}: as NCCL_IB_HCA, empty is no choice. */
    NCCL_SOCKET_IFNAME("", true) {
        @Override
        String value(Node node, boolean hostNetwork) {
            return node.own().isEmpty() ? "" : "=" + node.own();
        }
    };

    private static final Set<Family> VERBS = Set.of(Family.InfiniBand, Family.RoCE);

    private final String neutral;
    private final boolean hostNetworkOnly;

    /**
     * @param hostNetworkOnly it names network interfaces, and those of the node are in no other pod
     */
    DeviceVariable(String neutral, boolean hostNetworkOnly) {
        this.neutral = neutral;
        this.hostNetworkOnly = hostNetworkOnly;
    }

    /**
     * A device of the node that may carry the traffic of a job.
     *
     * @param fabric place of its Fabric among all; those of none come last
     * @param plane {@code null} where the fabric has only one
     */
    record NodeDevice(
            Device device,
            int fabric,
            @Nullable String plane,
            @Nullable Integer index) {
        private static final Comparator<NodeDevice> ORDER = Comparator.comparingInt(NodeDevice::fabric)
                .thenComparing(device -> Objects.requireNonNullElse(device.plane(), ""))
                .thenComparing(device -> Objects.requireNonNullElse(device.index(), Integer.MAX_VALUE))
                .thenComparing(device -> device.device().osName())
                .thenComparing(device -> device.device().port());

        String verbsName() {
            return device.osName() + ":" + device.port();
        }
    }

    /**
     * What libraries find on a node.
     *
     * @param devices that may carry the traffic of a job
     * @param own the interface that has the node's address, which pods in the node's network have, too; empty if unknown
     * @param opensVerbs whether it has an RDMA device, whatever that is for
     * @param meet whether its RDMA devices reach each other, as far as that is known: rails that nothing joins do not
     */
    record Node(List<NodeDevice> devices, String own, boolean opensVerbs, boolean meet) {
        /** Whether no variable has a value there. */
        boolean isEmpty() {
            return devices.isEmpty() && own.isEmpty();
        }
    }

    /** The annotation of the pod that holds the value. */
    String annotation() {
        return LaunchApi.DEVICE_VARIABLE + name();
    }

    String neutral() {
        return neutral;
    }

    boolean isFor(boolean hostNetwork) {
        return hostNetwork || !hostNetworkOnly;
    }

    /** What it should be on a node, the neutral value where nothing there is for this library. */
    String on(Node node, boolean hostNetwork) {
        String value = value(node, hostNetwork);
        return value.isEmpty() ? neutral : value;
    }

    abstract String value(Node node, boolean hostNetwork);

    private static boolean isVerbs(NodeDevice device) {
        return isVerbs(device.device());
    }

    static boolean isVerbs(Device device) {
        return VERBS.contains(device.family());
    }

    private static String list(
            List<NodeDevice> devices, Predicate<NodeDevice> which, Function<NodeDevice, String> name) {
        List<NodeDevice> sorted = new ArrayList<>(devices);
        sorted.sort(NodeDevice.ORDER);
        Stream<String> names = sorted.stream().filter(which).map(name).distinct();
        return String.join(",", names.toList());
    }
}
