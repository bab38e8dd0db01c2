/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node agent found. Absent means unknown.
 *
 * @see dev.fabricoperator.fabric.device.Device
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(value = "self.nodeName == oldSelf.nodeName", message = "nodeName is immutable", fieldPath = ".nodeName")
@ValidationRule(value = "self.osName == oldSelf.osName", message = "osName is immutable", fieldPath = ".osName")
@ValidationRule(value = "self.port == oldSelf.port", message = "port is immutable", fieldPath = ".port")
public record FabricDeviceSpec(
        @Required @Size(min = 1, max = 253) @JsonPropertyDescription("Kubernetes node that holds the device") @Nullable
        String nodeName,

        @Size(max = 253) @JsonPropertyDescription("The host's own name (PMIX_HOSTNAME of the device)") @Nullable
        String hostname,

        @Required @Size(min = 1, max = 63) @JsonPropertyDescription("The kernel's name of the device, such as mlx5_0")
        String osName,

        @Required @Min(0) @Max(65535) @JsonPropertyDescription("Port, 1 and up; 0 for a device without numbered ports")
        Integer port,

        @Required @Size(min = 1, max = 320) @JsonPropertyDescription("PMIX_DEVICE_ID, unique in the cluster")
        String deviceId,

        @Size(max = 63) @JsonPropertyDescription("What this was read from, such as sysfs") @Nullable
        String source,

        @Required @JsonPropertyDescription("PMIX_DEVICE_TYPE")
        DeviceType type,

        @Required @JsonPropertyDescription("The kind of network that the device speaks")
        Family family,

        @Default("Physical")
        @JsonPropertyDescription(
                "Hardware, a virtual function or sub-function, a bond, or RDMA that the kernel does (rxe, siw)")
        @Nullable
        Function function,

        @Default("Unknown")
        @JsonPropertyDescription(
                "Management carries the node's InternalIP or default route, or manages its NVLink switches")
        @Nullable
        Role role,

        @Size(max = 128) @JsonPropertyDescription("PMIX_FABRIC_DEVICE_VENDOR") @Nullable
        String vendor,

        @Size(max = 128) @JsonPropertyDescription("Model as the driver names it") @Nullable
        String model,

        @Size(max = 63) @JsonPropertyDescription("PMIX_FABRIC_DEVICE_DRIVER") @Nullable
        String driver,

        @Size(max = 128) @JsonPropertyDescription("PMIX_FABRIC_DEVICE_FIRMWARE") @Nullable
        String firmware,

        @Size(max = 128) @JsonPropertyDescription("Board id (PSID)") @Nullable
        String board,

        @Size(max = 63)
        @JsonPropertyDescription("Link layer as the kernel prints it (PMIX_FABRIC_DEVICE_TYPE)")
        @Nullable
        String linkLayer,

        @Size(max = 63) @JsonPropertyDescription("PMIX_FABRIC_DEVICE_BUS_TYPE") @Nullable
        String busType,

        @JsonPropertyDescription("Its function on the PCI bus; absent where it has none") @Nullable
        Pci pci,

        @Pattern("^[0-9a-f]{16}$") @Size(max = 16) @JsonPropertyDescription("16 lower-case hex digits") @Nullable
        String nodeGuid,

        @Pattern("^[0-9a-f]{16}$") @Size(max = 16) @JsonPropertyDescription("16 lower-case hex digits") @Nullable
        String systemImageGuid,

        @Pattern("^[0-9a-f]{16}$") @Size(max = 16) @JsonPropertyDescription("16 lower-case hex digits") @Nullable
        String portGuid,

        @Min(1) @Max(16777215) @JsonPropertyDescription("Local identifier given by the subnet manager") @Nullable
        Integer lid,

        @Size(max = 128) @JsonPropertyDescription("GIDs in table order, without empty entries")
        List<@Size(max = 39) String> gids,

        @Size(max = 15) @JsonPropertyDescription("Network interface of the same port") @Nullable
        String netdev,

        @Pattern("^[0-9a-f]{2}(:[0-9a-f]{2}){5,19}$")
        @Size(max = 59)
        @JsonPropertyDescription("Link-layer address of the network interface, lower case")
        @Nullable
        String macAddress,

        @Size(max = 64) @JsonPropertyDescription("IP addresses of the network interface")
        List<@Size(max = 45) String> ipAddresses,

        @Min(0)
        @Max(1073741824)
        @JsonPropertyDescription("MTU of the network interface, in bytes (PMIX_FABRIC_DEVICE_MTU)")
        @Nullable
        Long mtuBytes,

        @Min(0)
        @Max(1000000000000000L)
        @JsonPropertyDescription(
                "Nominal rate in bits per second, also while the port is down (PMIX_FABRIC_DEVICE_SPEED)")
        @Nullable
        Long speedBitsPerSecond,

        @Min(1) @Max(64) @JsonPropertyDescription("Lanes") @Nullable
        Integer width,

        @Default("Unknown")
        @JsonPropertyDescription("Active is PMIX_LINK_UP; Armed, Init and Down are PMIX_LINK_DOWN")
        @Nullable
        PortState state,

        @Size(max = 63) @JsonPropertyDescription("Physical state as the kernel prints it") @Nullable
        String physicalState,

        @Min(0) @Max(65535) @JsonPropertyDescription("NUMA node as the kernel prints it") @Nullable
        Integer numaNode,

        @Size(max = 1024) @JsonPropertyDescription("Distance to every NUMA node of the host (PMIX_DEVICE_DISTANCES)")
        List<Distance> distances,

        @Size(max = 320) @JsonPropertyDescription("The same for all ports and functions of one physical card") @Nullable
        String card,

        @Size(max = 64) @JsonPropertyDescription("Accelerators of the same host, and the way to them")
        List<AcceleratorRef> accelerators,

        @JsonPropertyDescription("Far end of the cable, where the host knows it") @Nullable
        NeighborRef neighbor,

        @Size(max = 8) @JsonPropertyDescription("What could not be read; the last good values stay")
        List<ReadFailure> readErrors,

        @Size(max = 16)
        @JsonPropertyDescription(
                "Signs that its link is about to fail; written when a limit is crossed and when it is over")
        List<PortImpairment> impairments) {

    public FabricDeviceSpec {
        gids = gids == null ? List.of() : List.copyOf(gids);
        ipAddresses = ipAddresses == null ? List.of() : List.copyOf(ipAddresses);
        distances = distances == null ? List.of() : List.copyOf(distances);
        accelerators = accelerators == null ? List.of() : List.copyOf(accelerators);
        readErrors = readErrors == null ? List.of() : List.copyOf(readErrors);
        impairments = impairments == null ? List.of() : List.copyOf(impairments);
    }
}
