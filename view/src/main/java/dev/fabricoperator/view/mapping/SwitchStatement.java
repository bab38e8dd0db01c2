/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.fabric.cabling.Switch;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What one FabricSwitch object says of a switch; several may speak of the same one. */
public interface SwitchStatement {
    /** Of the object. */
    String name();

    /** Label of the topology source that wrote it; empty for a person's. */
    String source();

    /** Value of the annotation {@link FabricApi#ANNOTATION_ORIGIN}, {@code null} without it. */
    @Nullable
    String origin();

    Switch cabling();

    /** Value of the annotation {@link FabricApi#ANNOTATION_DRAIN}, {@code null} without it. */
    @Nullable
    String drain();

    /** As it stands in the object, {@code null} before the first write. */
    @Nullable
    FabricSwitchStatus status();

    default String switchId() {
        return cabling().id();
    }

    /** A whole object as a statement. */
    static SwitchStatement of(FabricSwitch object) {
        Map<String, String> labels =
                Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of());
        Map<String, String> annotations =
                Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.of());
        return new WholeObject(
                object.getMetadata().getName(),
                labels.getOrDefault(FabricApi.LABEL_SOURCE, ""),
                annotations.get(FabricApi.ANNOTATION_ORIGIN),
                SwitchMapper.toSwitch(object.getSpec()),
                annotations.get(FabricApi.ANNOTATION_DRAIN),
                object.getStatus());
    }

    /** A statement and nothing else of the object. */
    record WholeObject(
            String name,
            String source,
            @Nullable String origin,
            Switch cabling,
            @Nullable String drain,
            @Nullable FabricSwitchStatus status)
            implements SwitchStatement {}
}
