/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpec;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.jspecify.annotations.Nullable;

/** A switch as the domain sees it, and as {@code spec} of a FabricSwitch. */
public final class SwitchMapper {
    private SwitchMapper() {}

    public static FabricSwitchSpec toSpec(Switch fabricSwitch) {
        return new FabricSwitchSpec(
                fabricSwitch.id(),
                printable(fabricSwitch.name()),
                printable(fabricSwitch.vendor()),
                printable(fabricSwitch.model()),
                fabricSwitch.chassis(),
                fabricSwitch.source().isEmpty() ? null : fabricSwitch.source(),
                fabricSwitch.ports().stream().map(SwitchMapper::toPortSpec).toList());
    }

    /**
     * The object by which a source says what it knows of a switch.
     *
     * @param origin value of {@link FabricApi#ANNOTATION_ORIGIN}
     */
    public static FabricSwitch toObject(String source, String origin, Switch fabricSwitch) {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(ObjectNames.fabricSwitch(source, fabricSwitch.id()))
                .addToLabels(FabricApi.LABEL_SOURCE, source)
                .addToAnnotations(FabricApi.ANNOTATION_ORIGIN, origin)
                .build());
        object.setSpec(toSpec(SwitchBuilder.from(fabricSwitch).withSource(source)));
        return object;
    }

    /** What describes itself may do so with any characters; of names the API server takes those that can be shown. */
    private static @Nullable String printable(@Nullable String name) {
        if (name == null || name.codePoints().allMatch(DisplayText::isShown)) {
            return name;
        }
        return name.codePoints()
                .map(c -> DisplayText.isShown(c) ? c : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The switch that a {@code spec} describes; a port state that it does not give is Unknown. */
    public static Switch toSwitch(FabricSwitchSpec spec) {
        return new Switch(
                spec.id(),
                spec.name(),
                spec.vendor(),
                spec.model(),
                spec.chassis(),
                spec.source() == null ? "" : spec.source(),
                spec.ports().stream().map(SwitchMapper::toPort).toList());
    }

    private static SwitchPortSpec toPortSpec(SwitchPort port) {
        PortPeer peer = port.peer();
        return new SwitchPortSpec(
                port.number(),
                peer == null
                        ? null
                        : new PeerRef(
                                peer.id(),
                                peer.port(),
                                printable(port.peerHost()),
                                printable(port.peerOsName()),
                                port.peerType()),
                port.state(),
                port.speedBitsPerSecond(),
                port.width(),
                port.lid());
    }

    private static SwitchPort toPort(SwitchPortSpec port) {
        return new SwitchPort(
                port.number(),
                toPeer(port.peer()),
                port.state() == null ? PortState.Unknown : port.state(),
                port.speedBitsPerSecond(),
                port.width(),
                port.lid(),
                port.peer() == null ? null : port.peer().hostname(),
                port.peer() == null ? null : port.peer().osName(),
                port.peer() == null ? null : port.peer().type());
    }

    private static @Nullable PortPeer toPeer(@Nullable PeerRef peer) {
        return peer == null ? null : new PortPeer(peer.id(), peer.port());
    }
}
