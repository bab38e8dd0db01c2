/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;

/** What the PMIx server of a pod is told by its environment. */
final class PmixdVariables {
    private final ArrayNode environment;
    private final String prefix;

    private PmixdVariables(ArrayNode environment, String prefix) {
        this.environment = environment;
        this.prefix = prefix;
    }

    /**
     * Adds them to the environment of a container; of two of one name the later one counts.
     *
     * @param spec of the pod
     * @param prefix of each name
     */
    static PmixdVariables add(ArrayNode environment, String prefix, JsonNode spec, PodShape.Server server) {
        PmixdVariables to = new PmixdVariables(environment, prefix);
        LaunchRequest request = server.request();
        to.value("FABRIC_JOB_SERVICE", String.join(",", server.service().addresses()));
        to.value("FABRIC_JOB_SERVICE_CA", server.service().authorityPem());
        if (server.service().clusterId() != null) {
            to.value("FABRIC_CLUSTER_ID", server.service().clusterId());
        }
        to.field("POD_NAME", "metadata.name");
        to.field("POD_NAMESPACE", "metadata.namespace");
        to.field("POD_IP", "status.podIP");
        // It does not start in the node's network unless that is asked for, whoever made its pod.
        to.field("HOST_IP", "status.hostIP");
        if (spec.path("hostNetwork").asBoolean() && request.hostNetwork()) {
            to.value("FABRIC_HOST_NETWORK", "allowed");
        }
        to.field("NODE_NAME", "spec.nodeName");
        to.value("POD_RESTART_POLICY", spec.path("restartPolicy").asText("Always"));
        to.value("FABRIC_RANKS_PER_POD", Integer.toString(request.ranksPerPod()));
        to.value(
                "FABRIC_ASSEMBLY_TIMEOUT_SECONDS",
                Long.toString(request.assemblyTimeout().toSeconds()));
        DirectJob job = server.job();
        if (job != null && job.needsNotAll()) {
            // It is to wait for no other pod when its ranks are done.
            to.value("FABRIC_PARTS_WHEN_DONE", "true");
        }
        if (server.requiresPmix()) {
            to.value("FABRIC_REQUIRE_PMIX", "true");
        }
        if (!request.environment()) {
            to.value("FABRIC_INJECT_ENV", "false");
        }
        if (!request.devices()) {
            to.value("FABRIC_INJECT_DEVICES", "false");
        }
        return to;
    }

    void value(String name, String value) {
        environment.addObject().put("name", prefix + name).put("value", value);
    }

    private void field(String name, String path) {
        environment
                .addObject()
                .put("name", prefix + name)
                .putObject("valueFrom")
                .putObject("fieldRef")
                .put("fieldPath", path);
    }
}
