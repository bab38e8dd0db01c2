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
import org.jspecify.annotations.Nullable;

/** The container of the pod's PMIx server, and the volumes by which it meets the pod's own. */
final class PmixdContainer {
    static final String RUN_VOLUME = "fabric-operator";
    static final String RUN_PATH = "/run/fabric-operator";
    static final String LAUNCHER = RUN_PATH + "/launcher";
    private static final String TOKEN_VOLUME = "fabric-operator-token";
    private static final String TOKEN_PATH = "/var/run/secrets/fabric-operator";
    private static final String PROGRAM = "/usr/local/bin/fabric-launcher";
    private static final int TOKEN_SECONDS = 3600;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private PmixdContainer() {}

    /** Adds the volumes that the container mounts. */
    static void addVolumes(ObjectPatch patch) {
        ObjectNode run = JSON.objectNode().put("name", RUN_VOLUME);
        run.putObject("emptyDir").put("medium", "Memory").put("sizeLimit", "16Mi");
        patch.append("/spec", "volumes", run);
        ObjectNode token = JSON.objectNode().put("name", TOKEN_VOLUME);
        token.putObject("projected")
                .putArray("sources")
                .addObject()
                .putObject("serviceAccountToken")
                .put("audience", LaunchApi.TOKEN_AUDIENCE)
                .put("expirationSeconds", TOKEN_SECONDS)
                .put("path", "token");
        patch.append("/spec", "volumes", token);
    }

    static ObjectNode mount(String volume, String path) {
        return JSON.objectNode().put("name", volume).put("mountPath", path);
    }

    /** An ordinary container, to stand before the others: they start once its hook has given them the launcher. */
    static ObjectNode ordinary(
            JsonNode spec,
            LaunchRequest request,
            JobService service,
            AdmissionSettings.Pmixd settings,
            @Nullable ObjectNode resources) {
        ObjectNode container = common(spec, request, service, settings, resources);
        ArrayNode hook = container
                .putObject("lifecycle")
                .putObject("postStart")
                .putObject("exec")
                .putArray("command");
        hook.add(PROGRAM).add("--install").add(LAUNCHER);
        return container;
    }

    /** What it is, wherever it stands. */
    static ObjectNode common(
            JsonNode spec,
            LaunchRequest request,
            JobService service,
            AdmissionSettings.Pmixd settings,
            @Nullable ObjectNode resources) {
        ObjectNode container =
                JSON.objectNode().put("name", LaunchApi.PMIXD_CONTAINER).put("image", settings.image());
        settings.imagePullPolicy().ifPresent(policy -> container.put("imagePullPolicy", policy));
        ArrayNode environment = container.putArray("env");
        value(environment, "FABRIC_JOB_SERVICE", String.join(",", service.addresses()));
        value(environment, "FABRIC_JOB_SERVICE_CA", service.authorityPem());
        field(environment, "POD_NAME", "metadata.name");
        field(environment, "POD_NAMESPACE", "metadata.namespace");
        field(environment, "POD_IP", "status.podIP");
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
        mounts.add(mount(TOKEN_VOLUME, TOKEN_PATH).put("readOnly", true));
        if (resources != null) {
            container.set("resources", resources);
        }
        container.set("securityContext", restricted(spec, settings));
        container.put("terminationMessagePolicy", "FallbackToLogsOnError");
        return container;
    }

    /** All that the Pod Security Standard <em>restricted</em> asks for, said again here since the pod as a whole may say otherwise. */
    private static ObjectNode restricted(JsonNode spec, AdmissionSettings.Pmixd settings) {
        ObjectNode context = JSON.objectNode();
        context.put("allowPrivilegeEscalation", false).put("privileged", false).put("runAsNonRoot", true);
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
