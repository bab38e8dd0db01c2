/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of one attempt of a job have sent and received since their ranks began, as far as they have told it.
 *
 * @param job name of the FabricJob
 * @param seconds from the first to the last look, of the pod that has counted longest
 * @param asOf when the last report came, RFC 3339
 * @param sentBytes of all devices that are told; {@code null} where there is none
 * @param retransmits of all pairs that are told
 * @param podsSilent that have told nothing
 * @param pairs those with the most bytes first
 * @param pairsLeftOut others
 * @param bytesLeftOut of these
 * @param devicesLeftOut for which the report of a large job had no room: those with the fewest bytes, which are in no sum
 * @see "docs/traffic.md"
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({
    "namespace",
    "job",
    "attempt",
    "seconds",
    "asOf",
    "sentBytes",
    "receivedBytes",
    "retransmits",
    "podsSilent",
    "pods",
    "pairs",
    "pairsLeftOut",
    "bytesLeftOut",
    "devicesLeftOut"
})
public record JobTrafficAnswer(
        String namespace,
        String job,
        int attempt,
        double seconds,
        String asOf,
        @Nullable Long sentBytes,
        @Nullable Long receivedBytes,
        long retransmits,
        int podsSilent,
        List<Pod> pods,
        List<Pair> pairs,
        long pairsLeftOut,
        long bytesLeftOut,
        long devicesLeftOut) {
    /**
     * One pod.
     *
     * @param node by its name in Kubernetes
     * @param asOf when it has told something new
     * @param connectionsKnown whether the kernel tells of its connections, without which it is in no pair as the sender
     * @param connectionsMissed how often the kernel had no room to tell of connections that were closed: their last bytes are missing
     */
    @JsonPropertyOrder({"pod", "node", "seconds", "asOf", "connectionsKnown", "connectionsMissed", "devices"})
    public record Pod(
            String pod,
            String node,
            double seconds,
            String asOf,
            boolean connectionsKnown,
            long connectionsMissed,
            List<Device> devices) {}

    /**
     * One device of a pod.
     *
     * @param name inside the pod
     * @param deviceId of its FabricDevice, {@code null} for one that is none
     * @param basis {@code interface}, the pod's own, or {@code rdma-port}, whichever pods use it
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({"name", "deviceId", "sentBytes", "receivedBytes", "basis"})
    public record Device(String name, @Nullable String deviceId, long sentBytes, long receivedBytes, String basis) {}

    /**
     * What a pod has sent to another over TCP, acknowledged.
     *
     * @param rttMicroseconds of the connection that was looked at last, smoothed; {@code null} if unknown
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({"from", "to", "bytes", "retransmits", "rttMicroseconds"})
    public record Pair(
            String from,
            String to,
            long bytes,
            long retransmits,
            @Nullable Long rttMicroseconds) {}
}
