/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A kind whose objects make pods themselves. */
public interface PodOwnerKind extends OwnerKind {
    /** The kind of what controls a pod, {@code null} where nothing does, or something whose pods are not launched directly. */
    static @Nullable PodOwnerKind of(@Nullable OwnerRef controller) {
        return controller != null && OwnerKind.of(controller) instanceof PodOwnerKind kind ? kind : null;
    }

    /** @param object as the API server has it; its UID is that of {@code reference} */
    PodOwner podOwner(OwnerRef reference, JsonNode object);

    /**
     * The same where it takes a look at what controls the object.
     *
     * @return {@code null} where that does not exist, so that the object will soon be gone
     */
    default @Nullable PodOwner podOwner(OwnerRef reference, JsonNode object, OwnerReader.Lookup others)
            throws IOException, InterruptedException {
        return podOwner(reference, object);
    }

    /** Why a pod that is to be made can have no place among the others of its owner, and what to change; {@code null} where it can. */
    @Nullable
    String refusal(OwnerRef owner, JsonNode pod);

    /** The number that a pod has behind a prefix of its name, -1 where it has none that its controller could have written. */
    static int indexBehind(String prefix, String name) {
        int index = name.startsWith(prefix) ? IndexedJobs.number(name.substring(prefix.length())) : -1;
        return index >= 0 && name.equals(prefix + index) ? index : -1;
    }

    /** Rank of the only rank of a pod that is to be made, {@code null} where that is not known before the job is whole. */
    default @Nullable String fixedRank(JsonNode pod) {
        return null;
    }
}
