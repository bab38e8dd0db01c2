/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.ReadFailure;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a FabricDevice.
 *
 * @param createdAt RFC 3339; settles who of two claimants was first
 * @param endId how a cable names the device: its node GUID, else {@code host/osName}
 * @param subnets what {@link Subnets} makes of GIDs and addresses
 * @param impairments signs that its link is about to fail
 * @param names how sources that know hosts may name it
 * @param link how its port is, and what it is cabled to where it is told; sources look at it, the model does not
 * @param status as it stands in the object, {@code null} before the first write
 */
@RecordBuilder
public record DeviceFacts(
        String name,
        String uid,
        String resourceVersion,
        String createdAt,
        String nodeName,
        String hostname,
        String osName,
        int port,
        String endId,
        boolean hasGuid,
        DeviceType type,
        Family family,
        Function function,
        Role role,
        @Nullable String vendor,
        @Nullable String card,
        PortState state,
        List<String> subnets,
        List<ReadFailure> readErrors,
        List<Impairment> impairments,
        HostNames names,
        LinkFacts link,
        Vertex.Use use,
        @Nullable FabricDeviceStatus status)
        implements Fact, FabricMember {

    static DeviceFacts of(FabricDevice device) {
        ObjectMeta metadata = device.getMetadata();
        FabricDeviceSpec spec = device.getSpec();
        FabricMember member = FabricMember.of(device);
        return new DeviceFacts(
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                member.createdAt(),
                intern(member.nodeName()),
                intern(member.hostname()),
                intern(member.osName()),
                member.port(),
                member.endId(),
                spec.nodeGuid() != null,
                spec.type(),
                spec.family(),
                Objects.requireNonNullElse(spec.function(), Function.Physical),
                Objects.requireNonNullElse(spec.role(), Role.Unknown),
                spec.vendor() == null ? null : intern(spec.vendor()),
                spec.card() == null ? null : intern(spec.card()),
                Objects.requireNonNullElse(spec.state(), PortState.Unknown),
                Subnets.of(spec.family(), spec.gids(), spec.ipAddresses()),
                spec.readErrors(),
                DeviceMapper.impairments(spec.impairments()),
                member.names(),
                LinkFacts.of(spec),
                member.use(),
                member.status());
    }

    /** Whether a model made with the other facts would be the same, the status apart; no model depends on the state. */
    boolean meansTheSameAs(DeviceFacts other) {
        return withoutStatus().equals(other.withoutStatus());
    }

    private DeviceFacts withoutStatus() {
        return DeviceFactsBuilder.builder(this)
                .resourceVersion("")
                .state(PortState.Unknown)
                .link(LinkFacts.NONE)
                .status(null)
                .build();
    }

    /** Vendors, hosts and kernel names repeat from device to device. */
    private static String intern(String text) {
        return text.intern();
    }
}
