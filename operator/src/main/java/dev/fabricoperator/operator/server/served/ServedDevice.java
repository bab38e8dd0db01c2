/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PciFunction;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.view.answer.DeviceIds;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server keeps of a FabricDevice: its place, its names, and how near it is to the NUMA nodes of its host.
 *
 * @param endId how a cable names the device: its node GUID, else {@code host/osName}
 * @param nodeGuid {@code null} for a device without
 * @param device what PMIx says of it, without lists
 * @param addressed whether its interface has an IP address that others can send to
 */
public record ServedDevice(
        String name,
        String uid,
        String resourceVersion,
        String createdAt,
        String nodeName,
        String hostname,
        String osName,
        int port,
        String endId,
        String deviceId,
        DeviceType type,
        Family family,
        @Nullable String nodeGuid,
        @Nullable String portGuid,
        @Nullable Integer numaNode,
        List<Distance> distances,
        HostNames names,
        Device device,
        Vertex.Use use,
        boolean addressed,
        @Nullable FabricDeviceStatus status)
        implements Fact, FabricMember, DeviceIds.Identified {

    private static final Pattern LINK_LOCAL = Pattern.compile("(?i)fe[89ab][0-9a-f]:|169\\.254\\.|127\\.|::1(/|$)");

    /** What stands for it in costs: its node GUID, else its deviceId. */
    public String costId() {
        return Objects.requireNonNullElse(nodeGuid, deviceId);
    }

    /** By its name: sets of devices need not walk through what each one holds. */
    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** Most texts are those of many devices. */
    private static Device lean(Device device) {
        PciFunction pci = device.pci();
        return DeviceBuilder.builder(device)
                .hostname(device.hostname().intern())
                .osName(device.osName().intern())
                .source(device.source().intern())
                .vendor(shared(device.vendor()))
                .model(shared(device.model()))
                .driver(shared(device.driver()))
                .firmware(shared(device.firmware()))
                .board(null)
                .linkLayer(shared(device.linkLayer()))
                .busType(shared(device.busType()))
                .pci(
                        pci == null
                                ? null
                                : new PciFunction(
                                        pci.address().intern(),
                                        shared(pci.vendorId()),
                                        shared(pci.deviceId()),
                                        shared(pci.classCode())))
                .gids(List.of())
                .ipAddresses(List.of())
                .physicalState(null)
                .distances(List.of())
                .card(null)
                .accelerators(List.of())
                .neighbor(null)
                .readErrors(List.of())
                .build();
    }

    private static @Nullable String shared(@Nullable String text) {
        return text == null ? null : text.intern();
    }

    public static ServedDevice of(FabricDevice device) {
        ObjectMeta metadata = device.getMetadata();
        FabricDeviceSpec spec = device.getSpec();
        FabricMember member = FabricMember.of(device);
        return new ServedDevice(
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                member.createdAt(),
                member.nodeName().intern(),
                member.hostname().intern(),
                member.osName().intern(),
                member.port(),
                member.endId(),
                spec.deviceId(),
                spec.type(),
                spec.family(),
                spec.nodeGuid(),
                spec.portGuid(),
                spec.numaNode(),
                spec.distances(),
                member.names(),
                lean(DeviceMapper.toDevice(spec)),
                member.use(),
                spec.ipAddresses().stream()
                        .anyMatch(address -> !LINK_LOCAL.matcher(address).lookingAt()),
                member.status());
    }
}
