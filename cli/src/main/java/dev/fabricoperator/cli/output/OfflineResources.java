/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import dev.fabricoperator.cli.input.OfflineDevice;
import dev.fabricoperator.cli.input.OfflineTopology;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.mapping.DeviceMapper;
import dev.fabricoperator.crds.mapping.FabricMapper;
import dev.fabricoperator.crds.mapping.ObjectNames;
import dev.fabricoperator.crds.mapping.SwitchMapper;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.finding.Finding;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What dumps show, as the objects that the operator would make of them. */
public final class OfflineResources {
    /** A dump is read once and does not change. */
    private static final long GENERATION = 1;

    private static final int MAXIMUM_FINDINGS = 64;
    private static final int MAXIMUM_MESSAGE = 512;

    private final OfflineTopology topology;
    private final Map<String, FabricMapper> mapperOfFabric = new LinkedHashMap<>();
    private final Map<String, FabricMapper> mapperOfSwitch = new HashMap<>();

    public OfflineResources(OfflineTopology topology) {
        this.topology = topology;
        for (OfflineFabric fabric : topology.fabrics()) {
            FabricMapper mapper = new FabricMapper(fabric.name(), fabric.model(), List.of());
            mapperOfFabric.put(fabric.name(), mapper);
            fabric.switches().forEach(s -> mapperOfSwitch.put(s.id(), mapper));
        }
    }

    /** Fabrics, then switches, then devices; each is made when it is asked for. */
    public Stream<Resource> all() {
        return Stream.of(
                        topology.fabrics().stream().map(this::fabric),
                        topology.cabling().switches().stream().map(this::fabricSwitch),
                        topology.devices().stream().map(this::device))
                .flatMap(resources -> resources);
    }

    private Resource fabric(OfflineFabric fabric) {
        return resource(
                "Fabric", fabric.name(), Map.of(), FabricSpecBuilder.builder().build(), status(fabric));
    }

    /** Its status, as the operator fills it; conditions are about a cluster and absent. */
    public FabricStatus status(OfflineFabric fabric) {
        return mapper(fabric)
                .fabric(GENERATION)
                .vendor(vendor(fabric))
                .identifier(fabric.name())
                .index(topology.fabrics().indexOf(fabric))
                .findings(fabric.model().findings().stream()
                        .limit(MAXIMUM_FINDINGS)
                        .map(OfflineResources::finding)
                        .toList())
                .build();
    }

    private static FindingStatus finding(Finding found) {
        String message = found.message();
        int length = Math.min(message.length(), MAXIMUM_MESSAGE);
        return new FindingStatus(
                found.type().name(), found.object().isEmpty() ? null : found.object(), message.substring(0, length));
    }

    /** The vendor of all devices whose vendor is known, or {@code null} where they are of several. */
    private static @Nullable String vendor(OfflineFabric fabric) {
        Set<String> vendors = fabric.devices().stream()
                .map(Device::vendor)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        return vendors.size() == 1 ? vendors.iterator().next() : null;
    }

    private Resource fabricSwitch(Switch found) {
        return resource(
                "FabricSwitch",
                ObjectNames.fabricSwitch(found.source(), found.id()),
                Map.of(FabricApi.LABEL_SOURCE, found.source()),
                SwitchMapper.toSpec(found),
                status(found));
    }

    /** {@code null} for a switch that reaches no device and so belongs to no fabric. */
    public @Nullable FabricSwitchStatus status(Switch found) {
        FabricMapper mapper = mapperOfSwitch.get(found.id());
        var status = mapper == null ? null : mapper.fabricSwitch(found.id());
        return status == null ? null : status.build();
    }

    private Resource device(OfflineDevice found) {
        return resource(
                "FabricDevice",
                found.objectName(),
                Map.of(),
                DeviceMapper.toSpec(null, found.device(), error -> null),
                mapper(found.fabric()).device(found.slot()).build());
    }

    private FabricMapper mapper(OfflineFabric fabric) {
        return Objects.requireNonNull(mapperOfFabric.get(fabric.name()));
    }

    private static Resource resource(
            String kind, String name, Map<String, String> labels, Object spec, @Nullable Object status) {
        return new Resource(FabricApi.API_VERSION, kind, new Resource.Metadata(name, labels), spec, status);
    }
}
