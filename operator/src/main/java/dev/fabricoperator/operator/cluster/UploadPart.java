/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.FabricApi;
import io.fabric8.kubernetes.api.model.ConfigMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a ConfigMap that holds a dump or a part of one: everything but the dump, which is read when it is needed.
 *
 * @param type value of the label {@code fabric-operator.dev/topology}, empty without it
 * @param upload value of the label {@code fabric-operator.dev/source}, else the ConfigMap's name
 * @param part from 1; {@code null} for a ConfigMap that holds a whole dump
 * @param digest SHA-256 of the whole uncompressed dump
 * @param textKeys of {@code data}, sorted
 * @param binaryKeys of {@code binaryData}, sorted
 * @param report whole {@code data} where the type is {@code live}: what a sweep says of itself; empty else
 */
public record UploadPart(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        String type,
        String upload,
        @Nullable Integer part,
        @Nullable Integer parts,
        @Nullable String digest,
        @Nullable String file,
        List<String> textKeys,
        List<String> binaryKeys,
        Map<String, String> report)
        implements Fact {

    public static FactStore<ConfigMap, UploadPart> store() {
        return new FactStore<>(UploadPart::of, ConfigMap::new);
    }

    public static UploadPart of(ConfigMap map) {
        Map<String, String> labels =
                Objects.requireNonNullElse(map.getMetadata().getLabels(), Map.of());
        Map<String, String> annotations =
                Objects.requireNonNullElse(map.getMetadata().getAnnotations(), Map.of());
        String name = map.getMetadata().getName();
        return new UploadPart(
                Objects.requireNonNullElse(map.getMetadata().getNamespace(), ""),
                name,
                Objects.requireNonNullElse(map.getMetadata().getUid(), ""),
                Objects.requireNonNullElse(map.getMetadata().getResourceVersion(), ""),
                labels.getOrDefault(FabricApi.LABEL_TOPOLOGY, ""),
                labels.getOrDefault(FabricApi.LABEL_SOURCE, SourceNames.label(name)),
                number(annotations.get(FabricApi.ANNOTATION_PART)),
                number(annotations.get(FabricApi.ANNOTATION_PARTS)),
                annotations.get(FabricApi.ANNOTATION_DIGEST),
                annotations.get(FabricApi.ANNOTATION_FILE),
                map.getData() == null
                        ? List.of()
                        : List.copyOf(new TreeSet<>(map.getData().keySet())),
                map.getBinaryData() == null
                        ? List.of()
                        : List.copyOf(new TreeSet<>(map.getBinaryData().keySet())),
                FabricApi.ORIGIN_LIVE.equals(labels.get(FabricApi.LABEL_TOPOLOGY)) && map.getData() != null
                        ? Map.copyOf(map.getData())
                        : Map.of());
    }

    private static @Nullable Integer number(@Nullable String text) {
        return text != null && text.matches("\\d{1,6}") ? Integer.valueOf(text) : null;
    }
}
