/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.view.mapping.ObjectNames;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an object of an integration's kind, whoever made it.
 *
 * @param isOurs whether its source label names this operator
 * @param isDeleting whether it goes as soon as whoever holds it by a finalizer lets it go
 * @param fabricLabel the Fabric that it speaks of, as a label says it; empty without one
 * @param spec as it stands in JSON; {@code null} for an object of another
 */
record IntegratedObject(
        String name,
        String uid,
        String resourceVersion,
        boolean isOurs,
        boolean isDeleting,
        String fabricLabel,
        @Nullable Object spec)
        implements Fact {
    static final String OPERATOR = "fabric-operator";

    static IntegratedObject of(GenericKubernetesResource object, String sourceLabel) {
        ObjectMeta metadata = object.getMetadata();
        Map<String, String> labels = Objects.requireNonNullElse(metadata.getLabels(), Map.of());
        boolean isOurs = OPERATOR.equals(labels.get(sourceLabel));
        return new IntegratedObject(
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                isOurs,
                metadata.getDeletionTimestamp() != null,
                labels.getOrDefault(FabricApi.LABEL_FABRIC, ""),
                isOurs ? object.get("spec") : null);
    }

    boolean hasSpecOf(Wanted wanted) {
        return wanted.spec().equals(spec);
    }

    boolean isAsWanted(Wanted wanted) {
        return hasSpecOf(wanted) && fabricLabel.equals(ObjectNames.label(wanted.fabric()));
    }

    /**
     * The object to apply.
     *
     * @param uid of the one that is there: one that somebody makes meanwhile must not be taken over
     */
    static GenericKubernetesResource toApply(
            ResourceDefinitionContext kind, String sourceLabel, Wanted wanted, @Nullable String uid) {
        GenericKubernetesResource object = new GenericKubernetesResource();
        object.setApiVersion(kind.getGroup() + "/" + kind.getVersion());
        object.setKind(kind.getKind());
        object.setMetadata(new ObjectMetaBuilder()
                .withName(wanted.name())
                .withUid(uid)
                .addToLabels(sourceLabel, OPERATOR)
                .addToLabels(FabricApi.LABEL_FABRIC, ObjectNames.label(wanted.fabric()))
                .build());
        object.setAdditionalProperty("spec", wanted.spec());
        return object;
    }

    /** Without a walk over the spec. */
    @Override
    public int hashCode() {
        return Objects.hash(name, resourceVersion);
    }
}
