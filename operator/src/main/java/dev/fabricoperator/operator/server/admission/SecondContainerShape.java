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
import dev.fabricoperator.operator.launch.PodTemplate;
import java.util.ArrayList;
import java.util.List;

/** The PMIx server has a container of its own: for clusters that know no image volumes, and for a container without a command. */
final class SecondContainerShape implements PodShape {
    /** Of the image; the container's arguments to java. */
    private static final String MAIN = "@app/pmixd.main";
    /** The launcher in the image. */
    static final String PROGRAM = "/usr/local/bin/fabric-launcher";

    /** The application's containers do not mount it. */
    private static final String PRIVATE_VOLUME = "fabric-operator-private";

    private static final String PRIVATE_PATH = "/run/fabric-pmixd";
    private static final String PRIVATE_LIMIT = "16Mi";
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final AdmissionSettings.Pmixd settings;

    SecondContainerShape(AdmissionSettings settings) {
        this.settings = settings.pmixd();
    }

    static boolean isIn(JsonNode container) {
        return container.path("name").asText().equals(LaunchApi.PMIXD_CONTAINER);
    }

    @Override
    public List<String> add(ObjectNode pod, ObjectNode application, Server server) throws DeniedException {
        ObjectNode spec = pod.withObject("spec");
        denyRestartAlone(spec, application);
        List<String> warnings = new ArrayList<>();
        ObjectNode container = container(spec, application, server);
        ObjectNode resources = PmixdResources.of(spec, server.jobRanks(), settings, server.bounds());
        // Before what the image would be started with.
        container
                .putArray("args")
                .add("-Xmx" + PmixdResources.heapMebibytes(server.jobRanks(), resources) + "m")
                .add(MAIN);
        if (resources != null) {
            PmixdResources.slowness(resources).ifPresent(warnings::add);
            container.set("resources", resources);
        }
        ObjectNode annotations = pod.withObject("/metadata/annotations");
        if (!annotations.has(PodTemplate.DEFAULT_CONTAINER)) {
            // Else kubectl logs would show the PMIx server's, which is the first container.
            annotations.set(PodTemplate.DEFAULT_CONTAINER, application.path("name"));
        }
        ArrayNode volumes = spec.withArray("volumes");
        PodVolumes.addRun(volumes);
        PodVolumes.addToken(volumes);
        volumes.addObject().put("name", PRIVATE_VOLUME).putObject("emptyDir").put("sizeLimit", PRIVATE_LIMIT);
        if (application.path("command").isEmpty()) {
            FixedRankInjection.add(pod, application, container, server, settings);
        } else {
            installLauncher(container);
            application.withArray("volumeMounts").add(PodVolumes.run());
            List<String> launcher = new ArrayList<>(List.of(LaunchApi.SECOND_CONTAINER_LAUNCHER));
            launcher.addAll(RankCommand.options(pod, server.request()));
            RankCommand.putBehind(application, launcher.toArray(String[]::new));
            spec.withArray("containers").insert(0, container);
        }
        return warnings;
    }

    /** The server ends with its launcher, and only the pod's own restartPolicy starts both again. */
    private static void denyRestartAlone(JsonNode spec, JsonNode application) throws DeniedException {
        boolean rules = !application.path("restartPolicyRules").isEmpty();
        JsonNode policy = application.path("restartPolicy");
        if (rules || (policy.isTextual() && !policy.equals(spec.path("restartPolicy")))) {
            throw new DeniedException("container " + application.path("name").asText() + " has "
                    + (rules ? "restartPolicyRules" : "a restartPolicy of its own")
                    + ", by which the kubelet starts it again and not its PMIx server, which has a container of its own here: remove "
                    + (rules ? "spec.containers[].restartPolicyRules" : "spec.containers[].restartPolicy")
                    + ", and let spec.restartPolicy: OnFailure or the pod's controller start it again");
        }
    }

    /** Makes it one that stands before the others: they start once its hook has given them the launcher. */
    private static void installLauncher(ObjectNode container) {
        container
                .putObject("lifecycle")
                .putObject("postStart")
                .putObject("exec")
                .putArray("command")
                .add(PROGRAM)
                .add("--install")
                .add(LaunchApi.SECOND_CONTAINER_LAUNCHER);
    }

    /** What it is, wherever it stands. */
    private ObjectNode container(JsonNode spec, JsonNode application, Server server) {
        ObjectNode container =
                JSON.objectNode().put("name", LaunchApi.PMIXD_CONTAINER).put("image", settings.image());
        settings.imagePullPolicy().ifPresent(policy -> container.put("imagePullPolicy", policy));
        PmixdVariables.add(container.putArray("env"), "", spec, server).value("FABRIC_PRIVATE_DIRECTORY", PRIVATE_PATH);
        container
                .putArray("volumeMounts")
                .add(PodVolumes.run())
                .add(PodVolumes.mount(PRIVATE_VOLUME, PRIVATE_PATH))
                .add(PodVolumes.token());
        container.set("securityContext", restricted(spec, application));
        container.put("terminationMessagePolicy", "FallbackToLogsOnError");
        return container;
    }

    /** All that the Pod Security Standard <em>restricted</em> asks for, and more, said again here since the pod as a whole may say otherwise. */
    private ObjectNode restricted(JsonNode spec, JsonNode application) {
        ObjectNode context = JSON.objectNode();
        context.put("allowPrivilegeEscalation", false)
                .put("privileged", false)
                .put("runAsNonRoot", true)
                .put("readOnlyRootFilesystem", true);
        JsonNode ofRanks = application.path("securityContext").path("runAsUser");
        long user = (ofRanks.isIntegralNumber()
                        ? ofRanks
                        : spec.path("securityContext").path("runAsUser"))
                .asLong(0);
        // That of the ranks where it is named: then the token is readable by that one only, and a namespace may allow
        // no other.
        context.put("runAsUser", user > 0 ? user : settings.runAsUser());
        context.putObject("capabilities").putArray("drop").add("ALL");
        context.putObject("seccompProfile").put("type", "RuntimeDefault");
        return context;
    }
}
