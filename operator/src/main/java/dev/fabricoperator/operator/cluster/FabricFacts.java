/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.view.mapping.NvlinkFabrics;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a Fabric.
 *
 * @param generation {@code metadata.generation}: of the spec, not of the topology
 * @param autoCreated made by the operator for devices that belonged to none
 * @param refresh value of the annotation that asks for all sources to be read, {@code null} without it
 * @param acceptLoss value of the annotation that accepts readings, empty without it
 * @param notIntegrated names of the systems that are to be told nothing of it
 * @param madeForNode value of the label of the only node that it was created for, {@code null} without it
 * @param deleting its deletion has begun; nothing joins it any more
 */
public record FabricFacts(
        String name,
        String uid,
        String resourceVersion,
        long generation,
        boolean autoCreated,
        boolean deleting,
        @Nullable String refresh,
        String acceptLoss,
        Set<String> notIntegrated,
        FabricSpec spec,
        @Nullable FabricStatus status,
        @Nullable String madeForNode)
        implements Fact {
    /** A network before what NVLink joins, then the highest priority: how a default is chosen of several. */
    public static final Comparator<FabricFacts> DEFAULT_FIRST = Comparator.comparing(
                    (FabricFacts fabric) -> NvlinkFabrics.isOfAcceleratorsAlone(fabric.spec()))
            .thenComparing(Comparator.comparingInt(FabricFacts::priority).reversed());

    private static final int MAXIMUM_REFRESH = 253;

    public static FabricFacts of(Fabric fabric) {
        ObjectMeta metadata = fabric.getMetadata();
        Map<String, String> labels = Objects.requireNonNullElse(metadata.getLabels(), Map.of());
        Map<String, String> annotations = Objects.requireNonNullElse(metadata.getAnnotations(), Map.of());
        FabricSpec spec = fabric.getSpec();
        return new FabricFacts(
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                Objects.requireNonNullElse(metadata.getGeneration(), 0L),
                Boolean.parseBoolean(labels.get(FabricApi.LABEL_AUTO_CREATED)),
                metadata.getDeletionTimestamp() != null,
                bounded(annotations.get(FabricApi.ANNOTATION_REFRESH)),
                annotations.getOrDefault(FabricApi.ANNOTATION_ACCEPT_LOSS, ""),
                notIntegrated(annotations),
                spec != null ? spec : FabricSpecBuilder.builder().build(),
                fabric.getStatus(),
                labels.get(FabricApi.LABEL_MADE_FOR_NODE));
    }

    public int priority() {
        return Objects.requireNonNullElse(spec.priority(), 0);
    }

    /** Compute where nothing is said. */
    public boolean isForCompute() {
        return spec.purpose() == null || spec.purpose() == Purpose.Compute;
    }

    private static Set<String> notIntegrated(Map<String, String> annotations) {
        return annotations.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(FabricApi.ANNOTATION_INTEGRATE)
                        && entry.getValue().equals("false"))
                .map(entry -> entry.getKey().substring(FabricApi.ANNOTATION_INTEGRATE.length()))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** As much of it as {@code status.refreshed} can repeat. */
    private static @Nullable String bounded(@Nullable String refresh) {
        return refresh == null || refresh.length() <= MAXIMUM_REFRESH ? refresh : refresh.substring(0, MAXIMUM_REFRESH);
    }

    Fabric shape() {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid(uid)
                .withResourceVersion(resourceVersion)
                .withGeneration(generation)
                .build());
        fabric.setSpec(spec);
        fabric.setStatus(status);
        return fabric;
    }

    boolean meansTheSameAs(FabricFacts other) {
        return uid.equals(other.uid)
                && generation == other.generation
                && autoCreated == other.autoCreated
                && deleting == other.deleting
                && notIntegrated.equals(other.notIntegrated)
                && asksForTheSameAs(other)
                && spec.equals(other.spec);
    }

    /** Whether a source would be read in the same way. */
    boolean asksForTheSameAs(FabricFacts other) {
        return Objects.equals(refresh, other.refresh)
                && acceptLoss.equals(other.acceptLoss)
                && spec.sources().equals(other.spec.sources());
    }
}
