/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pod's owners say, as far as it decides about the pod.
 *
 * @param job the Job, with no more than what is asked about here
 * @param jobSet the same of the JobSet that owns the Job, if one does
 */
public record OwnerSpecs(JsonNode job, @Nullable JsonNode jobSet) {
    /** Most pods of one job: more are denied before anything is kept of it. */
    static final int MAX_PODS = DirectJob.MAX_PODS;

    private static final String PREFIX = FabricApi.GROUP + "/";
    /** No annotation of a template whose pods are let in has a longer one that counts here. */
    private static final int LONGEST_VALUE = 256;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** Of what the API server has, with only what is asked about here: an object may have 1.5 MB, and many are kept. */
    static OwnerSpecs of(JsonNode job, @Nullable JsonNode jobSet) {
        return new OwnerSpecs(
                JSON.objectNode()
                        .set(
                                "spec",
                                only(
                                        job.path("spec"),
                                        "completions",
                                        "parallelism",
                                        "backoffLimit",
                                        "backoffLimitPerIndex")),
                jobSet == null ? null : kept(jobSet));
    }

    private static ObjectNode kept(JsonNode jobSet) {
        ObjectNode kept = JSON.objectNode();
        kept.set("metadata", only(jobSet.path("metadata"), "name"));
        ObjectNode spec = kept.putObject("spec");
        spec.set("startupPolicy", only(jobSet.at("/spec/startupPolicy"), "startupPolicyOrder"));
        ArrayNode all = spec.putArray("replicatedJobs");
        for (JsonNode replicated : jobSet.at("/spec/replicatedJobs")) {
            JsonNode template = replicated.at("/template/spec");
            ObjectNode one = only(replicated, "replicas");
            ObjectNode ofTemplate = only(template, "completions");
            ObjectNode annotations = JSON.objectNode();
            Injection.annotations(template.path("template")).forEach((name, value) -> {
                if (name.startsWith(PREFIX) && value.length() <= LONGEST_VALUE) {
                    annotations.put(name, value);
                }
            });
            ofTemplate.putObject("template").putObject("metadata").set("annotations", annotations);
            one.putObject("template").set("spec", ofTemplate);
            all.add(one);
        }
        return kept;
    }

    private static ObjectNode only(JsonNode of, String... fields) {
        ObjectNode kept = JSON.objectNode();
        for (String field : fields) {
            if (of.path(field).isValueNode()) {
                kept.set(field, of.path(field));
            }
        }
        return kept;
    }

    /** Pods that are launched directly at one time, over all Jobs of a JobSet. Exact up to {@link #MAX_PODS}, and above that somewhere above it. */
    long pods() {
        return count(1, false);
    }

    /** Ranks of these pods, where those of the pod's own template have {@code ranksPerPod}; exact for as many pods as are allowed. */
    long ranks(int ranksPerPod) {
        return count(ranksPerPod, true);
    }

    private long count(int ranksPerPod, boolean ranks) {
        if (jobSet == null) {
            return Math.max(1, bounded(job.at("/spec/completions"))) * ranksPerPod;
        }
        long sum = 0;
        for (JsonNode replicated : jobSet.at("/spec/replicatedJobs")) {
            JsonNode spec = replicated.at("/template/spec");
            Map<String, String> annotations = Injection.annotations(spec.path("template"));
            if (LaunchRequest.isDirect(annotations)) {
                long pods = bounded(replicated.path("replicas")) * bounded(spec.path("completions"));
                sum += pods * (ranks ? ranksPerPod(annotations, ranksPerPod) : 1);
            }
        }
        return Math.max(ranksPerPod, sum);
    }

    /** So that no product or sum of these overflows. */
    private static long bounded(JsonNode number) {
        return Math.clamp(number.asLong(1), 0, MAX_PODS + 1);
    }

    /** Of a template that cannot be read, none of whose pods is let in, as many as of this one. */
    private static int ranksPerPod(Map<String, String> annotations, int otherwise) {
        try {
            LaunchRequest request = LaunchRequest.of(annotations);
            return request == null ? otherwise : request.ranksPerPod();
        } catch (LaunchRequest.InvalidAnnotationException e) {
            return otherwise;
        }
    }
}
