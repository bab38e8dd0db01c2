/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.view.mapping.NvlinkFabrics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a Fabric object says of itself, as far as questions need it.
 *
 * @param planes names of the planes, by number
 * @param served {@code null} before its first generation is complete
 */
record KnownFabric(Rank rank, List<String> planes, @Nullable Served served) {

    /**
     * The default fabric is the first in this order: a network before what NVLink joins, highest priority, lowest index.
     *
     * @param nvlink whether it is of accelerators alone
     */
    record Rank(boolean nvlink, int priority, int index, String name) implements Comparable<Rank> {
        private static final Comparator<Rank> ORDER = Comparator.comparing(Rank::nvlink)
                .thenComparingInt(rank -> -rank.priority())
                .thenComparingInt(Rank::index)
                .thenComparing(Rank::name);

        @Override
        public int compareTo(Rank other) {
            return ORDER.compare(this, other);
        }
    }

    /** @param whole whether the findings are all that there are */
    record Served(
            long generation,
            @Nullable String kind,
            int switches,
            int devices,
            int hosts,
            int vertices,
            String digest,
            List<FindingStatus> findings,
            boolean whole,
            List<String> unresolved,
            @Nullable Integer exemptHosts) {}

    String name() {
        return rank.name();
    }

    /** The items of a list, the default fabric first. */
    static List<KnownFabric> listed(JsonNode list) {
        return StreamSupport.stream(list.path("items").spliterator(), false)
                .map(KnownFabric::of)
                .sorted(Comparator.comparing(KnownFabric::rank))
                .toList();
    }

    private static KnownFabric of(JsonNode object) {
        JsonNode status = object.path("status");
        List<String> planes = new ArrayList<>();
        object.at("/spec/planes").forEach(plane -> planes.add(plane.asText()));
        return new KnownFabric(
                new Rank(
                        NvlinkFabrics.isOfAcceleratorsAlone(
                                values(object.at("/spec/selector/families"), JsonNode::asText),
                                values(
                                        object.at("/spec/sources"),
                                        source -> values(source.at("/nodeLabels/keys"), JsonNode::asText))),
                        object.at("/spec/priority").asInt(0),
                        status.path("index").asInt(Integer.MAX_VALUE),
                        object.at("/metadata/name").asText()),
                planes,
                status.has("generation") && status.has("costMatrix") ? served(status) : null);
    }

    private static Served served(JsonNode status) {
        List<FindingStatus> findings = new ArrayList<>();
        status.path("findings")
                .forEach(finding -> findings.add(new FindingStatus(
                        finding.path("type").asText(),
                        finding.path("object").asText(null),
                        finding.path("message").asText(),
                        values(finding.path("switches"), JsonNode::asText),
                        values(finding.path("names"), JsonNode::asText),
                        values(finding.path("ports"), JsonNode::asInt),
                        finding.path("hosts").asText(null))));
        return new Served(
                status.path("generation").asLong(),
                status.path("kind").asText(null),
                status.path("switches").asInt(),
                status.path("devices").asInt(),
                status.path("hosts").asInt(),
                status.at("/costMatrix/vertices").asInt(),
                status.at("/costMatrix/digest").asText(),
                findings,
                status.path("findingsTotal").asInt(0) <= findings.size(),
                values(status.path("unresolved"), JsonNode::asText),
                status.has("exemptHosts") ? status.path("exemptHosts").asInt() : null);
    }

    private static <T> List<T> values(JsonNode array, Function<JsonNode, T> value) {
        return StreamSupport.stream(array.spliterator(), false).map(value).toList();
    }
}
