/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import java.util.function.Predicate;

/** Volumes that a launch adds to a pod, and where containers mount them. */
final class PodVolumes {
    /** Sockets, what the PMIx library writes, variables for sessions of sshd. */
    static final String RUN_PATH = "/run/fabric-operator";

    private static final String RUN_VOLUME = "fabric-operator";
    private static final int RUN_MEBIBYTES = 16;
    private static final String TOKEN_VOLUME = "fabric-operator-token";
    private static final String TOKEN_PATH = "/var/run/secrets/fabric-operator";
    private static final int TOKEN_SECONDS = 3600;
    private static final String PLACE_VOLUME = "fabric-operator-place";
    private static final String PLACE_FILE = "place.json";
    private static final String SHARED_MEMORY_VOLUME = "fabric-operator-shm";
    private static final String SHARED_MEMORY_PATH = "/dev/shm";

    private PodVolumes() {}

    static void addRun(ArrayNode volumes) {
        volumes.add(memory(RUN_VOLUME, RUN_MEBIBYTES));
    }

    static void addToken(ArrayNode volumes) {
        volumes.addObject()
                .put("name", TOKEN_VOLUME)
                .putObject("projected")
                .putArray("sources")
                .addObject()
                .putObject("serviceAccountToken")
                .put("audience", LaunchApi.TOKEN_AUDIENCE)
                .put("expirationSeconds", TOKEN_SECONDS)
                .put("path", "token");
    }

    static ObjectNode mount(String volume, String path) {
        return JsonNodeFactory.instance.objectNode().put("name", volume).put("mountPath", path);
    }

    static ObjectNode run() {
        return mount(RUN_VOLUME, RUN_PATH);
    }

    static ObjectNode token() {
        return mount(TOKEN_VOLUME, TOKEN_PATH).put("readOnly", true);
    }

    /**
     * Shows the pod's annotation {@link LaunchApi#PLACE} as {@code place.json}. A mount of that one file: the directory may be another volume's.
     *
     * @return false where the container has something else there
     */
    static boolean addPlace(ObjectNode pod, ObjectNode container) {
        if (has(
                container,
                path -> (path + '/').startsWith(RUN_PATH + '/') || (RUN_PATH + '/').startsWith(path + '/'))) {
            return false;
        }
        pod.withArray("/spec/volumes")
                .addObject()
                .put("name", PLACE_VOLUME)
                .putObject("downwardAPI")
                .putArray("items")
                .addObject()
                .put("path", PLACE_FILE)
                .putObject("fieldRef")
                .put("fieldPath", "metadata.annotations['" + LaunchApi.PLACE + "']");
        container
                .withArray("volumeMounts")
                .add(mount(PLACE_VOLUME, RUN_PATH + '/' + PLACE_FILE)
                        .put("subPath", PLACE_FILE)
                        .put("readOnly", true));
        return true;
    }

    /** Gives several ranks shared memory, unless they have some. */
    static void addSharedMemory(ObjectNode pod, ObjectNode container, int mebibytes) {
        if (!hasSharedMemory(pod, container)) {
            pod.withArray("/spec/volumes").add(memory(SHARED_MEMORY_VOLUME, mebibytes));
            container.withArray("volumeMounts").add(mount(SHARED_MEMORY_VOLUME, SHARED_MEMORY_PATH));
        }
    }

    private static ObjectNode memory(String name, int mebibytes) {
        ObjectNode volume = JsonNodeFactory.instance.objectNode().put("name", name);
        volume.putObject("emptyDir").put("medium", "Memory").put("sizeLimit", mebibytes + "Mi");
        return volume;
    }

    private static boolean hasSharedMemory(JsonNode pod, JsonNode container) {
        // With the host's IPC namespace it is the host's.
        if (pod.at("/spec/hostIPC").asBoolean()) {
            return true;
        }
        return has(container, SHARED_MEMORY_PATH::equals);
    }

    /** @param path of a mount, without slashes at its end */
    private static boolean has(JsonNode container, Predicate<String> path) {
        for (JsonNode mount : container.path("volumeMounts")) {
            // No regular expression: /+$ takes hours on a path of many slashes, which nobody has checked yet.
            String mounted = mount.path("mountPath").asText();
            int end = mounted.length();
            while (end > 1 && mounted.charAt(end - 1) == '/') {
                end--;
            }
            if (path.test(mounted.substring(0, end))) {
                return true;
            }
        }
        return false;
    }
}
