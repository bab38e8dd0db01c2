/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

import dev.fabricoperator.fabric.traffic.Impairment;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One port of one fabric device on one host: a vertex of the cost matrix.
 *
 * <p>A component that is {@code null} (or an empty list) is unknown: the host did not say, or could not be read. GUIDs
 * are 16 lower-case hex digits without separators; a GUID of zero, LID 0 or 0xffff and NUMA node -1 are unknown.
 *
 * @param hostname the host's own name for itself
 * @param osName the kernel's name of the device, for example {@code mlx5_0} or {@code eth0}
 * @param port 1 and up as the kernel numbers it, 0 for a device without numbered ports
 * @param deviceId PMIX_DEVICE_ID, unique in a cluster: {@code fab://<node guid>::<system image guid>} with the kernel's
 *     colons, {@code ipv4://<mac>}, or {@code <osName>@<hostname>}; {@code #<port>} is appended where the device has
 *     several ports
 * @param source what this was read from: {@code sysfs}, or the kind of dump that named the device
 * @param speedBitsPerSecond the nominal rate that the kernel prints, also for a port that is down
 * @param width lanes
 * @param lid InfiniBand local identifier, 1 to 0xbfff
 * @param mtuBytes of the network interface
 * @param numaNode what the {@code numa_node} file says
 * @param distances to every NUMA node of the host, in SLIT units (10 is local), ascending by node
 * @param card one value for all ports and functions of one physical card
 * @param readErrors what could not be read, ascending by file; the component that it would have filled is absent
 * @param impairments signs that its link is about to fail, ascending by file; who watches its counters says them
 * @see "PMIx Standard, chapter Fabric Support, PMIX_FABRIC_DEVICE and its attributes"
 */
@RecordBuilder
public record Device(
        String hostname,
        String osName,
        int port,
        String deviceId,
        String source,
        DeviceType type,
        Family family,
        Function function,
        Role role,
        @Nullable String vendor,
        @Nullable String model,
        @Nullable String driver,
        @Nullable String firmware,
        @Nullable String board,
        @Nullable String linkLayer,
        @Nullable String busType,
        @Nullable PciFunction pci,
        @Nullable String nodeGuid,
        @Nullable String systemImageGuid,
        @Nullable String portGuid,
        @Nullable Integer lid,
        List<String> gids,
        @Nullable String netdev,
        @Nullable String macAddress,
        List<String> ipAddresses,
        @Nullable Long mtuBytes,
        @Nullable Long speedBitsPerSecond,
        @Nullable Integer width,
        PortState state,
        @Nullable String physicalState,
        @Nullable Integer numaNode,
        List<NumaDistance> distances,
        @Nullable String card,
        List<Accelerator> accelerators,
        @Nullable Neighbor neighbor,
        List<ReadError> readErrors,
        List<Impairment> impairments) {

    /** Offline order of the contract: hostname, node GUID or kernel name, port. */
    public static final Comparator<Device> OFFLINE_ORDER = Device::compareOffline;

    public Device {
        gids = gids == null ? List.of() : List.copyOf(gids);
        ipAddresses = ipAddresses == null ? List.of() : List.copyOf(ipAddresses);
        distances = distances == null ? List.of() : List.copyOf(distances);
        accelerators = accelerators == null ? List.of() : List.copyOf(accelerators);
        readErrors = readErrors == null ? List.of() : List.copyOf(readErrors);
        impairments = impairments == null ? List.of() : List.copyOf(impairments);
    }

    /** In one method: large fabrics sort tens of thousands. */
    private static int compareOffline(Device one, Device other) {
        int order = one.hostname.compareTo(other.hostname);
        if (order == 0) {
            order = one.endId().compareTo(other.endId());
        }
        return order != 0 ? order : Integer.compare(one.port, other.port);
    }

    /** How a cable names this device: its node GUID, else {@code host/osName}. */
    public String endId() {
        return nodeGuid != null ? nodeGuid : hostname + "/" + osName;
    }
}
