/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.SwitchMapper;
import dev.fabricoperator.view.mapping.SwitchStatement;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a FabricSwitch object; several may speak of one switch.
 *
 * @param source the topology source that wrote it, empty for a person's
 * @param impairments signs that links of its ports are about to fail, by number of the port
 * @param origin what kind of source that is, see {@link FabricApi#ANNOTATION_ORIGIN}; {@code null} where none says so
 */
public record SwitchFacts(
        String name,
        String uid,
        String resourceVersion,
        String source,
        @Nullable String origin,
        @Nullable String drain,
        Switch cabling,
        SortedMap<Integer, List<Impairment>> impairments,
        @Nullable FabricSwitchStatus status)
        implements Fact, SwitchStatement {

    public static SwitchFacts of(FabricSwitch object) {
        ObjectMeta metadata = object.getMetadata();
        Map<String, String> labels = Objects.requireNonNullElse(metadata.getLabels(), Map.of());
        Map<String, String> annotations = Objects.requireNonNullElse(metadata.getAnnotations(), Map.of());
        return new SwitchFacts(
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                labels.getOrDefault(FabricApi.LABEL_SOURCE, ""),
                annotations.get(FabricApi.ANNOTATION_ORIGIN),
                annotations.get(FabricApi.ANNOTATION_DRAIN),
                shared(SwitchMapper.toSwitch(object.getSpec())),
                impairments(object.getSpec().ports()),
                object.getStatus());
    }

    boolean meansTheSameAs(SwitchFacts other) {
        return uid.equals(other.uid)
                && source.equals(other.source)
                && Objects.equals(origin, other.origin)
                && Objects.equals(drain, other.drain)
                && cabling.equals(other.cabling)
                && impairments.equals(other.impairments);
    }

    private static SortedMap<Integer, List<Impairment>> impairments(List<SwitchPortSpec> ports) {
        SortedMap<Integer, List<Impairment>> impairments = new TreeMap<>();
        for (SwitchPortSpec port : ports) {
            List<Impairment> found = DeviceMapper.impairments(port.impairments());
            if (!found.isEmpty()) {
                impairments.put(port.number(), found);
            }
        }
        return impairments.isEmpty() ? Collections.emptySortedMap() : Collections.unmodifiableSortedMap(impairments);
    }

    /** Every id stands at both ends of a cable. */
    private static Switch shared(Switch cabling) {
        return SwitchBuilder.from(cabling)
                .withPorts(cabling.ports().stream().map(SwitchFacts::shared).toList());
    }

    private static SwitchPort shared(SwitchPort port) {
        PortPeer peer = port.peer();
        return peer == null
                ? port
                : SwitchPortBuilder.from(port).withPeer(new PortPeer(peer.id().intern(), peer.port()));
    }
}
