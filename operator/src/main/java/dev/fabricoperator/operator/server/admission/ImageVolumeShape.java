/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * The image of the PMIx server is a volume of the pod, and the launcher starts the server in the container of the ranks: no other container, and
 * nothing of the pod's class, resources, users or restarts changes.
 *
 * @see "KEP-4639 OCI volume source"
 */
final class ImageVolumeShape implements PodShape {
    /** Variables of the server's own in the container's environment; the launcher keeps them from the ranks. In C SERVER_PREFIX. */
    static final String PREFIX = "PMIXD_";

    private static final String VOLUME = "fabric-operator-image";
    static final String PATH = PodVolumes.RUN_PATH + "/image";
    private static final BigDecimal MEBIBYTE = BigDecimal.valueOf(1 << 20);
    /** A memory limit below so many times what the server may take leaves the ranks little. */
    private static final int LEAST_LIMIT_FACTOR = 2;

    private final AdmissionSettings settings;

    ImageVolumeShape(AdmissionSettings settings) {
        this.settings = settings;
    }

    /** Whether a container is started by the launcher of the image volume. */
    static boolean isIn(JsonNode container) {
        return container.path("command").path(0).asText().equals(LaunchApi.IMAGE_VOLUME_LAUNCHER);
    }

    /** Mounts the launcher, and a directory that it may write. */
    void mountLauncher(ObjectNode pod, ObjectNode container) {
        ArrayNode volumes = pod.withArray("/spec/volumes");
        PodVolumes.addRun(volumes);
        ObjectNode image = volumes.addObject().put("name", VOLUME).putObject("image");
        image.put("reference", settings.pmixd().image());
        settings.pmixd().imagePullPolicy().ifPresent(policy -> image.put("pullPolicy", policy));
        container
                .withArray("volumeMounts")
                .add(PodVolumes.run())
                .add(PodVolumes.mount(VOLUME, PATH).put("readOnly", true));
    }

    @Override
    public List<String> add(ObjectNode pod, ObjectNode application, Server server) {
        return add(pod, application, server, RankCommand.options(pod, server.request()), List.of());
    }

    /**
     * As {@link PodShape#add}.
     *
     * @param before of the launcher's options, what it does
     * @param behind those that only that knows
     */
    List<String> add(ObjectNode pod, ObjectNode application, Server server, List<String> before, List<String> behind) {
        mountLauncher(pod, application);
        addJobService(pod, application, server);
        List<String> launcher = new ArrayList<>(List.of(LaunchApi.IMAGE_VOLUME_LAUNCHER));
        launcher.addAll(before);
        launcher.addAll(List.of(
                "--pmixd", PATH, "--heap", Long.toString(PmixdResources.heapMebibytes(server.jobRanks(), null))));
        launcher.addAll(behind);
        RankCommand.putBehind(application, launcher.toArray(String[]::new));
        return shortOfMemory(application, server.jobRanks());
    }

    /** What a program of the image needs to ask the job service: the pod's token, and where it is. */
    static void addJobService(ObjectNode pod, ObjectNode application, Server server) {
        ObjectNode spec = pod.withObject("spec");
        PodVolumes.addToken(spec.withArray("volumes"));
        application.withArray("volumeMounts").add(PodVolumes.token());
        PmixdVariables.add(application.withArray("env"), PREFIX, spec, server);
    }

    private List<String> shortOfMemory(JsonNode application, long jobRanks) {
        BigDecimal limit = Qos.amount(application.at("/resources/limits/memory"));
        long taken = PmixdResources.memoryMebibytes(jobRanks, settings.pmixd());
        return limit == null || limit.compareTo(MEBIBYTE.multiply(BigDecimal.valueOf(LEAST_LIMIT_FACTOR * taken))) >= 0
                ? List.of()
                : List.of("container " + application.path("name").asText() + " has a memory limit of "
                        + application.at("/resources/limits/memory").asText()
                        + ", and the PMIx server in it may take " + taken
                        + "Mi of that: raise the limit, or the kernel may end a rank");
    }
}
