/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.protocol.job.JobLimits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resources of the injected container, such that the pod's class and the node that it fits on stay as they are:
 *
 * <ul>
 *   <li>BestEffort, or resources of the pod as a whole: none.
 *   <li>Burstable: a request of zero, which takes no place on the node, and a limit of memory. A limit of CPU only where every container of the pod
 *       has one, as a ResourceQuota may ask.
 *   <li>Guaranteed: limits, which are the requests too.
 * </ul>
 *
 * Bounds of a LimitRange raise or lower these. What it asks of ephemeral storage is asked for besides, which changes no class.
 */
final class PmixdResources {
    private static final BigDecimal MEBIBYTE = BigDecimal.valueOf(1 << 20);
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

    /** Of a pmixd: code, classes, threads, libpmix. */
    private static final int BESIDE_HEAP_MEBIBYTES = 72;

    private static final String STORAGE = "ephemeral-storage";
    /** Its log; what it writes beside that has volumes. */
    private static final BigDecimal STORAGE_BYTES = BigDecimal.valueOf(64 << 20);

    private static final BigDecimal SLOW_BELOW_CPUS = new BigDecimal("0.1");

    private PmixdResources() {}

    /**
     * @param jobRanks ranks of the whole job
     * @throws DeniedException where a LimitRange has no room for them beside the pod's own containers
     */
    static @Nullable ObjectNode of(
            JsonNode spec, long jobRanks, AdmissionSettings.Pmixd settings, ContainerBounds bounds)
            throws DeniedException {
        Qos qos = Qos.of(spec);
        ObjectNode requests = JsonNodeFactory.instance.objectNode();
        ObjectNode limits = JsonNodeFactory.instance.objectNode();
        if (qos != Qos.BEST_EFFORT && !Qos.hasPodLevel(spec)) {
            compute(qos, spec, jobRanks, settings, bounds, requests, limits);
        }
        boolean storageLimited = wantsLimit(STORAGE, bounds);
        if (storageLimited || bounds.minimum(STORAGE).signum() > 0) {
            apart(requests, limits, STORAGE, storageLimited ? STORAGE_BYTES : null, bounds);
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return null;
        }
        checkPod(spec, qos, requests, limits, bounds);
        ObjectNode resources = JsonNodeFactory.instance.objectNode();
        resources.set("requests", requests);
        resources.set("limits", limits);
        return resources;
    }

    private static void compute(
            Qos qos,
            JsonNode spec,
            long jobRanks,
            AdmissionSettings.Pmixd settings,
            ContainerBounds bounds,
            ObjectNode requests,
            ObjectNode limits) {
        BigDecimal memory =
                BigDecimal.valueOf(memoryMebibytes(jobRanks, settings)).multiply(MEBIBYTE);
        if (qos == Qos.GUARANTEED) {
            both(requests, limits, "cpu", millicores(settings.cpuMillicores()), bounds);
            both(requests, limits, "memory", memory, bounds);
        } else {
            boolean limited = wantsLimit("cpu", bounds) || allLimited(spec, "cpu");
            apart(requests, limits, "cpu", limited ? millicores(settings.cpuLimitMillicores()) : null, bounds);
            apart(requests, limits, "memory", memory, bounds);
        }
    }

    /** Whether the namespace asks for a limit, or would give one of its own. */
    private static boolean wantsLimit(String resource, ContainerBounds bounds) {
        return bounds.maximum(resource) != null || bounds.ratio(resource) != null || bounds.isDefaulted(resource);
    }

    /**
     * Sees to it that the pod as a whole stays within what a LimitRange lets it take. A limit that neither the class nor the namespace asks for is left out
     * where there is no room for it.
     */
    private static void checkPod(JsonNode spec, Qos qos, ObjectNode requests, ObjectNode limits, ContainerBounds bounds)
            throws DeniedException {
        for (String resource : List.of("cpu", "memory", STORAGE)) {
            BigDecimal most = bounds.maximumOfPod(resource);
            if (most == null) {
                keepRatioOfPod(spec, requests, limits, resource, bounds);
                continue;
            }
            BigDecimal others = ofContainers(spec, "limits", resource);
            BigDecimal limit = Qos.amount(limits.path(resource));
            if (limit != null
                    && others.add(limit).compareTo(most) > 0
                    && qos != Qos.GUARANTEED
                    && !wantsLimit(resource, bounds)) {
                limits.remove(resource);
                limit = null;
            }
            keepRatioOfPod(spec, requests, limits, resource, bounds);
            BigDecimal request = Qos.amount(requests.path(resource));
            BigDecimal asked =
                    ofContainers(spec, "requests", resource).add(request == null ? BigDecimal.ZERO : request);
            BigDecimal added = limit != null ? limit : request == null ? BigDecimal.ZERO : request;
            boolean tooMuch = (limit != null && others.add(limit).compareTo(most) > 0) || asked.compareTo(most) > 0;
            // Without that a pod that asks for too much by itself is for the API server to refuse.
            if (tooMuch && added.signum() > 0) {
                throw new DeniedException(
                        "a LimitRange of the namespace lets all containers of a pod take " + resource + " "
                                + quantity(resource, most) + " together, and " + LaunchApi.PMIXD_CONTAINER + " needs "
                                + quantity(resource, added)
                                + " of that beside them: lower spec.containers[].resources by so much, give"
                                + " the limits to the pod as a whole (spec.resources), or raise max of type Pod");
            }
        }
    }

    /** Raises the request, at most to the limit: that suffices for a pod that was within the ratio, which is never less than 1. */
    private static void keepRatioOfPod(
            JsonNode spec, ObjectNode requests, ObjectNode limits, String resource, ContainerBounds bounds) {
        BigDecimal ratio = bounds.ratioOfPod(resource);
        BigDecimal limit = Qos.amount(limits.path(resource));
        BigDecimal request = Qos.amount(requests.path(resource));
        if (ratio == null || ratio.signum() <= 0 || limit == null || request == null) {
            return;
        }
        BigDecimal needed = ofContainers(spec, "limits", resource)
                .add(limit)
                .divide(ratio, 3, RoundingMode.UP)
                .subtract(ofContainers(spec, "requests", resource));
        requests.put(resource, quantity(resource, request.max(needed).min(limit)));
    }

    /** Of what runs side by side: the containers, and native sidecars. A request that is not written is the limit. */
    private static BigDecimal ofContainers(JsonNode spec, String kind, String resource) {
        BigDecimal sum = BigDecimal.ZERO;
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : spec.path(list)) {
                if (list.equals("containers")
                        || container.path("restartPolicy").asText().equals("Always")) {
                    JsonNode resources = container.path("resources");
                    BigDecimal own = Qos.amount(resources.path(kind).path(resource));
                    BigDecimal amount =
                            own == null ? Qos.amount(resources.path("limits").path(resource)) : own;
                    sum = amount == null ? sum : sum.add(amount);
                }
            }
        }
        return sum;
    }

    /** A sentence for the pod's author where the processor's share is so small that the start is felt: it takes some 0.15 CPU seconds. */
    static Optional<String> slowness(@Nullable ObjectNode resources) {
        JsonNode limit = resources == null ? MissingNode.getInstance() : resources.at("/limits/cpu");
        BigDecimal cpu = Qos.amount(limit);
        return cpu == null || cpu.compareTo(SLOW_BELOW_CPUS) >= 0
                ? Optional.empty()
                : Optional.of("fabric-pmixd may take cpu " + limit.asText()
                        + " at most, so that its ranks start up to 25 s later: give the limits to the pod as"
                        + " a whole (spec.resources), and the containers need none");
    }

    /** MiB of heap for a job of this size; less where the memory limit, which a LimitRange may lower, has no place for it beside the rest of a JVM. */
    static long heapMebibytes(long jobRanks, @Nullable ObjectNode resources) {
        long wanted = JobLimits.heapMebibytes(jobRanks);
        BigDecimal limit = resources == null ? null : Qos.amount(resources.at("/limits/memory"));
        return limit == null
                ? wanted
                : Math.max(
                        JobLimits.heapMebibytes(0),
                        Math.min(wanted, limit.divideToIntegralValue(MEBIBYTE).longValue() - BESIDE_HEAP_MEBIBYTES));
    }

    /** MiB that a PMIx server of a job of this size may take. */
    static long memoryMebibytes(long jobRanks, AdmissionSettings.Pmixd settings) {
        return settings.memoryMebibytes() + (jobRanks * settings.memoryKibibytesPerRank() + 1023) / 1024;
    }

    private static void both(
            ObjectNode requests, ObjectNode limits, String resource, BigDecimal wanted, ContainerBounds bounds) {
        BigDecimal amount = within(wanted, resource, bounds);
        requests.put(resource, quantity(resource, amount));
        limits.put(resource, quantity(resource, amount));
    }

    private static void apart(
            ObjectNode requests,
            ObjectNode limits,
            String resource,
            @Nullable BigDecimal wanted,
            ContainerBounds bounds) {
        BigDecimal request = bounds.minimum(resource);
        if (wanted != null) {
            BigDecimal limit = within(wanted, resource, bounds);
            limits.put(resource, quantity(resource, limit));
            BigDecimal ratio = bounds.ratio(resource);
            if (ratio != null && ratio.signum() > 0) {
                request = request.max(limit.divide(ratio, 3, RoundingMode.UP)).min(limit);
            }
        }
        requests.put(resource, quantity(resource, request));
    }

    private static BigDecimal within(BigDecimal wanted, String resource, ContainerBounds bounds) {
        BigDecimal maximum = bounds.maximum(resource);
        BigDecimal amount = wanted.max(bounds.minimum(resource));
        return maximum == null ? amount : amount.min(maximum);
    }

    private static boolean allLimited(JsonNode spec, String resource) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : spec.path(list)) {
                if (!container.path("resources").path("limits").has(resource)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static BigDecimal millicores(int millicores) {
        return BigDecimal.valueOf(millicores).divide(THOUSAND);
    }

    /** As kubectl would write it. */
    private static String quantity(String resource, BigDecimal amount) {
        if (amount.signum() == 0) {
            return "0";
        }
        if (resource.equals("cpu")) {
            return amount.multiply(THOUSAND).setScale(0, RoundingMode.UP).toPlainString() + "m";
        }
        BigDecimal[] mebibytes = amount.divideAndRemainder(MEBIBYTE);
        return mebibytes[1].signum() == 0
                ? mebibytes[0].toBigInteger() + "Mi"
                : amount.setScale(0, RoundingMode.UP).toPlainString();
    }
}
