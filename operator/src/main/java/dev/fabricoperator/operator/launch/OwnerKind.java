/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kind of object that stands for one job which is launched directly, or has groups each of which is one. What is particular to a kind is in its class, and
 * nowhere else: a new one is a class here, a line in {@link #of}, a word in {@link #ALL_WORDS}, and the right to get its objects.
 */
public interface OwnerKind {
    /** All of them, in sentences. */
    String ALL_WORDS = "an Indexed Job, a JobSet, a StatefulSet, a LeaderWorkerSet, a Volcano Job or an MPIJob";

    /** The kind of an object, {@code null} for one that no job is launched for. */
    static @Nullable OwnerKind of(OwnerRef owner) {
        for (OwnerKind kind : List.of(
                IndexedJobs.KIND,
                JobSets.KIND,
                StatefulSets.KIND,
                LeaderWorkerSets.KIND,
                VolcanoJobs.KIND,
                MpiJobs.KIND)) {
            if (kind.kind().equals(owner.kind()) && kind.group().equals(owner.group())) {
                return kind;
            }
        }
        return null;
    }

    /** Of the API, as {@code batch}. */
    String group();

    String kind();

    /** As paths of the API have it. */
    String plural();

    /** In sentences: two kinds can have one name. */
    default String words() {
        return kind();
    }

    /** Whether it makes pods that had completed again, when it makes the others again. */
    default boolean makesCompletedPodsAgain() {
        return true;
    }

    /**
     * Whether it keeps its pods running for ever, however often their programs end, and can be given more or fewer pods while they run: the
     * next attempt follows.
     */
    default boolean isService() {
        return false;
    }

    /** Behind the name of a FabricJob whose own name another kind's has: lower-case letters. */
    String suffix();

    /**
     * The owner of the job that a FabricJob is of.
     *
     * @param owner as the object's owner reference has it
     * @param object its name, which may have {@link #suffix} behind it
     */
    default OwnerRef ofJobObject(OwnerRef owner, String object) {
        return owner;
    }

    /** @param object as the API server has it; its UID is that of {@code owner} */
    DirectJob job(String namespace, OwnerRef owner, JsonNode object);

    /** {@code null} while it makes pods. */
    @Nullable
    JobEnd end(OwnerRef owner, JsonNode object);

    /**
     * Name of the Job of Kubernetes that makes the pod of an ordinal and may give it up alone, by {@code backoffLimitPerIndex}; {@code null} where that is the owner itself, or there is no such
     * Job.
     *
     * @param object of the owner
     */
    default @Nullable String jobOf(JsonNode object, DirectJob job, int ordinal) {
        return null;
    }
}
