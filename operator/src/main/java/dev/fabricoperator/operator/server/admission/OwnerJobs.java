/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.operator.launch.OwnerReader;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodOwner;
import dev.fabricoperator.operator.launch.PodOwnerKind;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the jobs ask for that pods are made for: never waited for longer than a pod can wait. What is not known in time is an error and no
 * answer: pods of one job must not be decided by different facts.
 */
final class OwnerJobs {
    private static final Duration KEPT = Duration.ofSeconds(30);
    /** Its author may have mended it, and its controller makes the pods again at once. An MPIJob may have another size each time it is resumed, and its workers another owner than its launcher. */
    private static final Duration CHANGING_KEPT = Duration.ofSeconds(1);

    private static final int MOST = 1024;

    private final OwnerReader<DirectJob> reader;

    OwnerJobs(ApiReader reader, SteadyClock clock, Duration wait) {
        this.reader = new OwnerReader<>(reader, clock, wait, MOST, OwnerJobs::job);
    }

    /** {@code null} where what stands for the job is gone. */
    static @Nullable DirectJob job(String namespace, OwnerRef controller, JsonNode object, OwnerReader.Lookup others)
            throws IOException, InterruptedException {
        PodOwnerKind kind = PodOwnerKind.of(controller);
        PodOwner pods = kind == null ? null : kind.podOwner(controller, object, others);
        if (pods == null) {
            return null;
        }
        OwnerRef owner = pods.job();
        OwnerKind kindOfJob = OwnerKind.of(owner);
        JsonNode job = owner.equals(controller) ? object : others.get(owner);
        return job == null || kindOfJob == null ? null : kindOfJob.job(namespace, owner, job);
    }

    /**
     * What the job asks for that a pod's controller belongs to.
     *
     * @return {@code null} where there is none
     * @throws IOException where the API server does not say it in time
     */
    @Nullable
    DirectJob of(String namespace, OwnerRef controller) throws IOException {
        try {
            DirectJob job = reader.read(namespace, controller, KEPT);
            boolean kept = job == null || (job.refusal() == null && !job.isRunByMpirun());
            return kept ? job : reader.read(namespace, controller, CHANGING_KEPT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("this replica ends", e);
        }
    }
}
