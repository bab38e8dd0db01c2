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
import dev.fabricoperator.operator.launch.LaunchRequest;

/** The container of the pod's PMIx server, and the volumes by which it meets the pod's own. */
final class PmixdContainer {
    static final String RUN_VOLUME = "fabric-operator";
    static final String RUN_PATH = "/run/fabric-operator";
    static final String LAUNCHER = RUN_PATH + "/launcher";
    /** The image's own arguments to java. */
    static final String MAIN = "@/app/pmixd.main";

    private static final String TOKEN_VOLUME = "fabric-operator-token";
    private static final String TOKEN_PATH = "/var/run/secrets/fabric-operator";
    static final String PROGRAM = "/usr/local/bin/fabric-launcher";
    /** The application's containers do not mount it. */
    private static final String PRIVATE_VOLUME = "fabric-operator-private";

    private static final String PRIVATE_PATH = "/run/fabric-pmixd";
    private static final int RUN_MEBIBYTES = 16;
    private static final String PRIVATE_LIMIT = "16Mi";
    private static final int TOKEN_SECONDS = 3600;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private PmixdContainer() {}

    /** Adds the volumes that the container mounts. */
    static void addVolumes(ArrayNode volumes) {
        volumes.add(memory(RUN_VOLUME, RUN_MEBIBYTES));
        volumes.addObject().put("name", PRIVATE_VOLUME).putObject("emptyDir").put("sizeLimit", PRIVATE_LIMIT);
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

    static ObjectNode memory(String name, int mebibytes) {
        ObjectNode volume = JSON.objectNode().put("name", name);
        volume.putObject("emptyDir").put("medium", "Memory").put("sizeLimit", mebibytes + "Mi");
        return volume;
    }

    static ObjectNode mount(String volume, String path) {
        return JSON.objectNode().put("name", volume).put("mountPath", path);
    }

    /** Makes it one that stands before the others: they start once its hook has given them the launcher. */
    static void installLauncher(ObjectNode container) {
        container
                .putObject("lifecycle")
                .putObject("postStart")
                .putObject("exec")
                .putArray("command")
                .add(PROGRAM)
                .add("--install")
                .add(LAUNCHER);
    }

    /** What it is, wherever it stands. */
    static ObjectNode of(JsonNode spec, LaunchRequest request, JobService service, AdmissionSettings.Pmixd settings) {
        ObjectNode container =
                JSON.objectNode().put("name", LaunchApi.PMIXD_CONTAINER).put("image", settings.image());
        settings.imagePullPolicy().ifPresent(policy -> container.put("imagePullPolicy", policy));
        ArrayNode environment = container.putArray("env");
        value(environment, "FABRIC_JOB_SERVICE", String.join(",", service.addresses()));
        value(environment, "FABRIC_JOB_SERVICE_CA", service.authorityPem());
        field(environment, "POD_NAME", "metadata.name");
        field(environment, "POD_NAMESPACE", "metadata.namespace");
        field(environment, "POD_IP", "status.podIP");
        // It does not start in the node's network unless that is asked for, whoever made its pod.
        field(environment, "HOST_IP", "status.hostIP");
        if (spec.path("hostNetwork").asBoolean() && request.hostNetwork()) {
            value(environment, "FABRIC_HOST_NETWORK", "allowed");
        }
        value(environment, "FABRIC_PRIVATE_DIRECTORY", PRIVATE_PATH);
        field(environment, "NODE_NAME", "spec.nodeName");
        value(environment, "POD_RESTART_POLICY", spec.path("restartPolicy").asText("Always"));
        value(environment, "FABRIC_RANKS_PER_POD", Integer.toString(request.ranksPerPod()));
        value(
                environment,
                "FABRIC_ASSEMBLY_TIMEOUT_SECONDS",
                Long.toString(request.assemblyTimeout().toSeconds()));
        if (!request.environment()) {
            value(environment, "FABRIC_INJECT_ENV", "false");
        }
        if (!request.devices()) {
            value(environment, "FABRIC_INJECT_DEVICES", "false");
        }
        ArrayNode mounts = container.putArray("volumeMounts");
        mounts.add(mount(RUN_VOLUME, RUN_PATH));
        mounts.add(mount(PRIVATE_VOLUME, PRIVATE_PATH));
        mounts.add(mount(TOKEN_VOLUME, TOKEN_PATH).put("readOnly", true));
        container.set("securityContext", restricted(spec, settings));
        container.put("terminationMessagePolicy", "FallbackToLogsOnError");
        return container;
    }

    /** All that the Pod Security Standard <em>restricted</em> asks for, and more, said again here since the pod as a whole may say otherwise. */
    private static ObjectNode restricted(JsonNode spec, AdmissionSettings.Pmixd settings) {
        ObjectNode context = JSON.objectNode();
        context.put("allowPrivilegeEscalation", false)
                .put("privileged", false)
                .put("runAsNonRoot", true)
                .put("readOnlyRootFilesystem", true);
        long podUser = spec.path("securityContext").path("runAsUser").asLong(0);
        // The pod's own user where it names one: then the token is readable by that one only.
        context.put("runAsUser", podUser > 0 ? podUser : settings.runAsUser());
        context.putObject("capabilities").putArray("drop").add("ALL");
        context.putObject("seccompProfile").put("type", "RuntimeDefault");
        return context;
    }

    private static void value(ArrayNode environment, String name, String value) {
        environment.addObject().put("name", name).put("value", value);
    }

    private static void field(ArrayNode environment, String name, String path) {
        environment
                .addObject()
                .put("name", name)
                .putObject("valueFrom")
                .putObject("fieldRef")
                .put("fieldPath", path);
    }
}
