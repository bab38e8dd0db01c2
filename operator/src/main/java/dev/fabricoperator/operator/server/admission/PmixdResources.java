/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.pmix.job.JobLimits;
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
 * Bounds of a LimitRange raise or lower these.
 */
final class PmixdResources {
    private static final BigDecimal MEBIBYTE = BigDecimal.valueOf(1 << 20);
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

    /** Of a pmixd: code, classes, threads, libpmix. */
    private static final int BESIDE_HEAP_MEBIBYTES = 72;

    private static final BigDecimal SLOW_BELOW_CPUS = new BigDecimal("0.1");

    private PmixdResources() {}

    /** @param jobRanks ranks of the whole job */
    static @Nullable ObjectNode of(
            JsonNode spec, long jobRanks, AdmissionSettings.Pmixd settings, ContainerBounds bounds) {
        Qos qos = Qos.of(spec);
        if (qos == Qos.BEST_EFFORT || Qos.hasPodLevel(spec)) {
            return null;
        }
        BigDecimal memory =
                BigDecimal.valueOf(memoryMebibytes(jobRanks, settings)).multiply(MEBIBYTE);
        ObjectNode requests = JsonNodeFactory.instance.objectNode();
        ObjectNode limits = JsonNodeFactory.instance.objectNode();
        if (qos == Qos.GUARANTEED) {
            both(requests, limits, "cpu", millicores(settings.cpuMillicores()), bounds);
            both(requests, limits, "memory", memory, bounds);
        } else {
            boolean limited = bounds.maximum("cpu") != null || bounds.ratio("cpu") != null || allLimited(spec, "cpu");
            apart(requests, limits, "cpu", limited ? millicores(settings.cpuLimitMillicores()) : null, bounds);
            apart(requests, limits, "memory", memory, bounds);
        }
        ObjectNode resources = JsonNodeFactory.instance.objectNode();
        resources.set("requests", requests);
        resources.set("limits", limits);
        return resources;
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
