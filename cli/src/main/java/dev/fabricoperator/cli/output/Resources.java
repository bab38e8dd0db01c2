/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.view.mapping.FabricMapper;
import dev.fabricoperator.view.mapping.FindingMapper;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.SwitchMapper;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was found, as the objects that the operator makes of it. */
public final class Resources {
    private static final int MAXIMUM_FINDINGS = 64;

    private final FabricSet found;
    private final Map<String, FabricMapper> mapperOfFabric = new LinkedHashMap<>();
    private final Map<String, FabricMapper> mapperOfSwitch = new HashMap<>();

    public Resources(FabricSet found) {
        this.found = found;
        for (FoundFabric fabric : found.fabrics()) {
            FabricMapper mapper = new FabricMapper(
                    fabric.name(), fabric.model(), fabric.spec().planes());
            mapperOfFabric.put(fabric.name(), mapper);
            fabric.switches().forEach(s -> mapperOfSwitch.put(s.id(), mapper));
        }
    }

    /** Fabrics, then switches, then devices; each is made when it is asked for. */
    public Stream<Resource> all() {
        return Stream.of(
                        found.fabrics().stream().map(this::fabric),
                        found.switches().stream().map(this::fabricSwitch),
                        found.devices().stream().map(this::device))
                .flatMap(resources -> resources);
    }

    private Resource fabric(FoundFabric fabric) {
        List<Finding> findings = fabric.model().findings();
        FabricStatus status = builder(fabric)
                .findings(findings.stream()
                        .limit(MAXIMUM_FINDINGS)
                        .map(FindingMapper::toStatus)
                        .toList())
                .findingsTotal(findings.size())
                .unresolved(fabric.model().unresolved())
                .build();
        return resource("Fabric", fabric.name(), Map.of(), fabric.spec(), status);
    }

    /** Its status, as the operator fills it, without findings; conditions are about a cluster and absent. */
    public FabricStatus status(FoundFabric fabric) {
        return builder(fabric).build();
    }

    private FabricStatusBuilder builder(FoundFabric fabric) {
        return mapper(fabric)
                .fabric(fabric.generation())
                .vendor(fabric.vendor())
                .identifier(fabric.identifier())
                .index(fabric.index());
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

    private Resource device(FoundDevice found) {
        return resource("FabricDevice", found.name(), Map.of(), found.spec(), status(found));
    }

    public FabricDeviceStatus status(FoundDevice found) {
        return mapper(found.fabric()).device(found.slot()).build();
    }

    private FabricMapper mapper(FoundFabric fabric) {
        return Objects.requireNonNull(mapperOfFabric.get(fabric.name()));
    }

    private static Resource resource(
            String kind, String name, Map<String, String> labels, Object spec, @Nullable Object status) {
        return new Resource(FabricApi.API_VERSION, kind, new Resource.Metadata(name, labels), spec, status);
    }
}
