/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.operator.server.http.ListenerSettings;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Settings of the webhooks; as environment variables {@code FABRIC_OPERATOR_ADMISSION_PORT} and so on. */
@ConfigMapping(prefix = "fabric-operator.admission")
public interface AdmissionSettings {
    /** Address that it listens on. */
    @WithDefault("0.0.0.0")
    String host();

    /** TCP port that it listens on. */
    @WithDefault("9443")
    int port();

    /** How long a pod waits for what its owner says; then it is denied, and its controller makes it again. Less than the webhook's own time. */
    @WithDefault("3s")
    Duration ownerWait();

    /** Where pods find the job service, {@code https://host:port}; default are its replicas, and the Service's name. */
    Optional<List<String>> jobService();

    /** How a pod's PMIx server runs beside its ranks: {@code auto}, {@code image-volume} or {@code second-container}. */
    @WithDefault("auto")
    PodShapeChoice podShape();

    Limits listener();

    Pmixd pmixd();

    SharedMemory sharedMemory();

    /** Nobody can prove anything here, so that the API server's connection would end within seconds, perhaps as it sends a review. */
    interface Limits extends ListenerSettings {
        @Override
        @WithDefault("100s")
        Duration unproven();
    }

    enum PodShapeChoice {
        /** As the cluster's versions allow. */
        AUTO,
        /** In the container of the ranks, from its image as a volume. */
        IMAGE_VOLUME,
        /** In a container of its own. */
        SECOND_CONTAINER
    }

    /** A pod's PMIx server. */
    interface Pmixd {
        /** The image. */
        @WithDefault("ghcr.io/fabric-operator/pmixd:0.1.0")
        String image();

        /** {@code Always}, {@code IfNotPresent} or {@code Never}; default is the API server's. */
        Optional<String> imagePullPolicy();

        /** Its user where the pod names none, or root, which the level {@code restricted} does not allow. */
        @WithDefault("65532")
        long runAsUser();

        /** TCP port on 127.0.0.1 of a server that a container without a command must find; below the ephemeral ports. */
        @WithDefault("17171")
        int port();

        /** Most that it asks the scheduler for, millicores; what a Guaranteed pod must name. */
        @WithDefault("10")
        int cpuMillicores();

        /** CPU limit where the pod's other containers all have one and the pod is not Guaranteed, millicores: its start takes some 150 ms of a CPU. */
        @WithDefault("500")
        int cpuLimitMillicores();

        /** Memory limit, apart from what ranks add. */
        @WithDefault("96")
        int memoryMebibytes();

        /** What each rank of the job adds to the memory limit. */
        @WithDefault("16")
        int memoryKibibytesPerRank();

        /** Size of a job whose owner is gone already. */
        @WithDefault("1024")
        int ranksAssumed();
    }

    /** {@code /dev/shm} of a pod with several ranks. */
    interface SharedMemory {
        /** For each rank: the 64 MiB that a container has by default end in SIGBUS. */
        @WithDefault("256")
        int mebibytesPerRank();
    }
}
