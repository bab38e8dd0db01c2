/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
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
 * @param links ports of switches by which its bytes leave, those with the most first; {@code null} until somebody asks for them
 * @param linksLeftOut others; {@code null} for none
 * @param bytesPerSecondLeftOut that are on no link, since nobody knows their way, or there are too many ways; {@code null} for none
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
    "devicesLeftOut",
    "links",
    "linksLeftOut",
    "bytesPerSecondLeftOut"
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
        long devicesLeftOut,
        @Nullable List<Link> links,
        @Nullable Integer linksLeftOut,
        @Nullable Long bytesPerSecondLeftOut) {
    /** The same with the links that it is on. */
    public JobTrafficAnswer on(List<Link> these, int linksLeftOut, long bytesPerSecondLeftOut) {
        return new JobTrafficAnswer(
                namespace,
                job,
                attempt,
                seconds,
                asOf,
                sentBytes,
                receivedBytes,
                retransmits,
                podsSilent,
                pods,
                pairs,
                pairsLeftOut,
                bytesLeftOut,
                devicesLeftOut,
                these,
                linksLeftOut == 0 ? null : Integer.valueOf(linksLeftOut),
                bytesPerSecondLeftOut == 0 ? null : Long.valueOf(bytesPerSecondLeftOut));
    }

    /**
     * One pod.
     *
     * @param node by its name in Kubernetes
     * @param ranks such as {@code 0-3} or {@code 5}; {@code null} where it has none, or nobody knows their numbers
     * @param asOf when it has told something new
     * @param connectionsKnown whether the kernel tells of its connections, without which it is in no pair as the sender
     * @param connectionsMissed how often the kernel had no room to tell of connections that were closed: their last bytes are missing
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({"pod", "node", "ranks", "seconds", "asOf", "connectionsKnown", "connectionsMissed", "devices"})
    public record Pod(
            String pod,
            String node,
            @Nullable String ranks,
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

    /** What says how much of a job's bytes leaves by a port. */
    public enum LinkBasis {
        /** Counters: of the device at the other end, or of two devices between which forwarding tables know the way. */
        measured,
        /** Some of it was shared out over devices or ways that it may have taken. */
        estimated
    }

    /**
     * A port of a switch by which bytes of the job leave.
     *
     * @param fabric name of the Fabric
     * @param switchId its GUID, or as its source names it
     * @param name of the switch
     * @param peer what stands at the other end, such as {@code leaf-1 port 3}
     * @param share of all that the port sends; {@code null} where nobody measures that, or the job does not run now
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonPropertyOrder({"fabric", "switch", "name", "port", "peer", "bytesPerSecond", "share", "basis"})
    public record Link(
            String fabric,
            @JsonProperty("switch") String switchId,
            @Nullable String name,
            int port,
            @Nullable String peer,
            long bytesPerSecond,
            @Nullable Double share,
            LinkBasis basis) {}
}
