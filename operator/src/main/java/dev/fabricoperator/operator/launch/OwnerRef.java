/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The object that stands for one job, or that controls a pod or a Job, in the same namespace.
 *
 * @param groupIndex which of its groups, each of which is a job; -1 where it has none
 */
public record OwnerRef(String apiVersion, String kind, String name, String uid, int groupIndex) {
    private static final int LONGEST_NAME = 253;

    public OwnerRef(String apiVersion, String kind, String name, String uid) {
        this(apiVersion, kind, name, uid, -1);
    }

    /** What controls the object, {@code null} where nothing does. */
    public static @Nullable OwnerRef controller(JsonNode object) {
        for (JsonNode owner : object.at("/metadata/ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                return plausible(new OwnerRef(
                        owner.path("apiVersion").asText(),
                        owner.path("kind").asText(),
                        owner.path("name").asText(),
                        owner.path("uid").asText()));
            }
        }
        return null;
    }

    public static OwnerRef of(OwnerReference owner) {
        return new OwnerRef(owner.getApiVersion(), owner.getKind(), owner.getName(), owner.getUid());
    }

    /** Whose job a FabricJob is of, by what controls the object; {@code null} where nothing does. */
    public static @Nullable OwnerRef ofJobObject(ObjectMeta object) {
        OwnerRef owner = controller(object);
        OwnerKind kind = owner == null ? null : OwnerKind.of(owner);
        return owner == null || kind == null ? owner : kind.ofJobObject(owner, object.getName());
    }

    /** As {@link #controller(JsonNode)}. */
    static @Nullable OwnerRef controller(ObjectMeta metadata) {
        for (OwnerReference owner :
                Objects.requireNonNullElse(metadata.getOwnerReferences(), List.<OwnerReference>of())) {
            if (Boolean.TRUE.equals(owner.getController())) {
                return plausible(of(owner));
            }
        }
        return null;
    }

    /** The API server takes references of any length, and what no object can be called is not kept. */
    private static @Nullable OwnerRef plausible(OwnerRef owner) {
        return Stream.of(owner.apiVersion, owner.kind, owner.name, owner.uid)
                        .allMatch(part -> part.length() <= LONGEST_NAME)
                ? owner
                : null;
    }

    /** Of the API, without its version. */
    String group() {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    boolean isPod() {
        return apiVersion.equals("v1") && kind.equals("Pod");
    }

    OwnerRef ofGroup(int index) {
        return new OwnerRef(apiVersion, kind, name, uid, index);
    }

    /** What its job is called. */
    public String jobName() {
        return groupIndex < 0 ? name : name + "-" + groupIndex;
    }

    JobKey jobKey(String namespace) {
        return new JobKey(namespace, groupIndex < 0 ? uid : uid + "/" + groupIndex);
    }

    /** {@code JobSet ring}, in sentences. */
    public String words() {
        OwnerKind known = OwnerKind.of(this);
        return (known == null ? kind : known.words()) + " " + name + (groupIndex < 0 ? "" : " group " + groupIndex);
    }
}
