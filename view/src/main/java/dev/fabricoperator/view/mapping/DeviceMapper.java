/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.AcceleratorRef;
import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.NeighborRef;
import dev.fabricoperator.crds.Pci;
import dev.fabricoperator.crds.PortImpairment;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.fabric.device.Accelerator;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.fabric.device.NumaDistance;
import dev.fabricoperator.fabric.device.PciFunction;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.traffic.Impairment;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A device as the domain sees it, and as {@code spec} of a FabricDevice. Both directions lose nothing but bounds. */
public final class DeviceMapper {
    private static final int MAXIMUM_READ_ERRORS = 8;
    private static final int MAXIMUM_GIDS = 128;
    private static final int MAXIMUM_ADDRESSES = 64;
    private static final int MAXIMUM_ACCELERATORS = 64;
    private static final int MAXIMUM_IMPAIRMENTS = 16;
    private static final int MAXIMUM_TEXT = 512;
    private static final long MAXIMUM_COUNT = 1_000_000_000_000_000L;

    private DeviceMapper() {}

    /** Since when a file has been failing, as RFC 3339 in UTC. */
    @FunctionalInterface
    public interface FailingSince {
        @Nullable
        String since(ReadError error);
    }

    /**
     * The {@code spec} for a device.
     *
     * @param nodeName {@code null} only offline, where no Kubernetes node exists
     */
    public static FabricDeviceSpec toSpec(@Nullable String nodeName, Device device, FailingSince failingSince) {
        return FabricDeviceSpecBuilder.builder()
                .nodeName(nodeName)
                .hostname(device.hostname())
                .osName(device.osName())
                .port(device.port())
                .deviceId(device.deviceId())
                .source(device.source())
                .type(device.type())
                .family(device.family())
                .function(device.function())
                .role(device.role())
                .vendor(device.vendor())
                .model(device.model())
                .driver(device.driver())
                .firmware(device.firmware())
                .board(device.board())
                .linkLayer(device.linkLayer())
                .busType(device.busType())
                .pci(toPci(device.pci()))
                .nodeGuid(device.nodeGuid())
                .systemImageGuid(device.systemImageGuid())
                .portGuid(device.portGuid())
                .lid(device.lid())
                .gids(head(device.gids(), MAXIMUM_GIDS))
                .netdev(device.netdev())
                .macAddress(device.macAddress())
                .ipAddresses(head(device.ipAddresses(), MAXIMUM_ADDRESSES))
                .mtuBytes(device.mtuBytes())
                .speedBitsPerSecond(device.speedBitsPerSecond())
                .width(device.width())
                .state(device.state())
                .physicalState(device.physicalState())
                .numaNode(device.numaNode())
                .distances(device.distances().stream()
                        .map(d -> new Distance(d.numaNode(), d.minimum(), d.maximum()))
                        .toList())
                .card(device.card())
                .accelerators(head(device.accelerators(), MAXIMUM_ACCELERATORS).stream()
                        .map(a -> new AcceleratorRef(a.pciAddress(), a.vendorId(), a.deviceId(), a.path()))
                        .toList())
                .neighbor(toNeighborRef(device.neighbor()))
                .readErrors(head(device.readErrors(), MAXIMUM_READ_ERRORS).stream()
                        .map(e -> new ReadFailure(bounded(e.file()), bounded(e.reason()), failingSince.since(e)))
                        .toList())
                .impairments(head(device.impairments(), MAXIMUM_IMPAIRMENTS).stream()
                        .map(DeviceMapper::toPortImpairment)
                        .toList())
                .build();
    }

    /** The device that a {@code spec} describes. */
    public static Device toDevice(FabricDeviceSpec spec) {
        return DeviceBuilder.builder()
                .hostname(orElse(spec.hostname(), () -> orElse(spec.nodeName(), () -> "")))
                .osName(spec.osName())
                .port(spec.port())
                .deviceId(spec.deviceId())
                .source(orElse(spec.source(), () -> ""))
                .type(spec.type())
                .family(spec.family())
                .function(orElse(spec.function(), () -> Function.Physical))
                .role(orElse(spec.role(), () -> Role.Unknown))
                .vendor(spec.vendor())
                .model(spec.model())
                .driver(spec.driver())
                .firmware(spec.firmware())
                .board(spec.board())
                .linkLayer(spec.linkLayer())
                .busType(spec.busType())
                .pci(toPciFunction(spec.pci()))
                .nodeGuid(spec.nodeGuid())
                .systemImageGuid(spec.systemImageGuid())
                .portGuid(spec.portGuid())
                .lid(spec.lid())
                .gids(spec.gids())
                .netdev(spec.netdev())
                .macAddress(spec.macAddress())
                .ipAddresses(spec.ipAddresses())
                .mtuBytes(spec.mtuBytes())
                .speedBitsPerSecond(spec.speedBitsPerSecond())
                .width(spec.width())
                .state(orElse(spec.state(), () -> PortState.Unknown))
                .physicalState(spec.physicalState())
                .numaNode(spec.numaNode())
                .distances(spec.distances().stream()
                        .map(d -> new NumaDistance(d.numaNode(), d.minimum(), d.maximum()))
                        .toList())
                .card(spec.card())
                .accelerators(spec.accelerators().stream()
                        .map(a -> new Accelerator(a.pciAddress(), a.vendorId(), a.deviceId(), a.path()))
                        .toList())
                .neighbor(toNeighbor(spec.neighbor()))
                .readErrors(spec.readErrors().stream()
                        .map(e -> new ReadError(e.file(), e.reason()))
                        .toList())
                .impairments(impairments(spec.impairments()))
                .build();
    }

    /** As an object says it. */
    public static PortImpairment toPortImpairment(Impairment impairment) {
        return new PortImpairment(
                impairment.kind(),
                bounded(impairment.file()),
                Math.min(impairment.value(), MAXIMUM_COUNT),
                impairment.limit(),
                impairment.seconds(),
                impairment.windowSeconds(),
                impairment.quietSeconds(),
                impairment.since().toString());
    }

    /** As an object has them; one whose time is none, which no agent writes, is left out. */
    public static List<Impairment> impairments(List<PortImpairment> impairments) {
        return impairments.isEmpty()
                ? List.of()
                : impairments.stream().mapMulti(DeviceMapper::toImpairment).toList();
    }

    private static void toImpairment(PortImpairment impairment, Consumer<Impairment> result) {
        if (impairment.kind() == null) {
            // A later release may know more kinds.
            return;
        }
        try {
            result.accept(new Impairment(
                    impairment.kind(),
                    impairment.file(),
                    impairment.value(),
                    impairment.limit(),
                    orElse(impairment.seconds(), () -> 0L),
                    orElse(impairment.windowSeconds(), () -> 0L),
                    orElse(impairment.quietSeconds(), () -> 0L),
                    Instant.parse(impairment.since())));
        } catch (DateTimeParseException e) {
            // The schema takes any text.
        }
    }

    private static @Nullable Pci toPci(@Nullable PciFunction pci) {
        return pci == null ? null : new Pci(pci.address(), pci.vendorId(), pci.deviceId(), pci.classCode());
    }

    private static @Nullable PciFunction toPciFunction(@Nullable Pci pci) {
        return pci == null ? null : new PciFunction(pci.address(), pci.vendorId(), pci.deviceId(), pci.classCode());
    }

    private static @Nullable NeighborRef toNeighborRef(@Nullable Neighbor neighbor) {
        return neighbor == null ? null : new NeighborRef(neighbor.id(), neighbor.port(), neighbor.source());
    }

    private static @Nullable Neighbor toNeighbor(@Nullable NeighborRef neighbor) {
        return neighbor == null
                ? null
                : new Neighbor(neighbor.id(), neighbor.port(), orElse(neighbor.source(), () -> ""));
    }

    private static <T> T orElse(@Nullable T value, Supplier<T> fallback) {
        return value != null ? value : Objects.requireNonNull(fallback.get());
    }

    private static <T> List<T> head(List<T> list, int maximum) {
        return list.size() <= maximum ? list : list.subList(0, maximum);
    }

    private static String bounded(String text) {
        return text.length() <= MAXIMUM_TEXT ? text : text.substring(0, MAXIMUM_TEXT);
    }
}
