/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.HostList.BadHostList;
import dev.fabricoperator.formats.map.FabricMap;
import dev.fabricoperator.formats.map.HtmlWriter;
import dev.fabricoperator.formats.map.JobRanks;
import dev.fabricoperator.formats.map.MapForm;
import dev.fabricoperator.formats.map.RanksByHost;
import dev.fabricoperator.formats.map.Remark;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedFabric;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fabric drawn, as a page for a browser, a picture, or text; with a job on it whose ranks the caller names. */
final class MapResource {
    private static final Set<Format> FORMATS = Set.of(Format.html, Format.svg, Format.text, Format.dot);
    private static final int BYTES_OF_A_SWITCH = 600;
    private static final int BYTES_OF_A_DEVICE = 40;
    private static final int LONGEST_JOB = 512;
    private static final int ETAG_BYTES = 8;

    private final KeptRendering kept = new KeptRendering();

    Resource resource() {
        return new Resource(
                "ui",
                "The fabric drawn with its findings: a page with a search, or a picture. With a job on it whose ranks by host are given.",
                List.of("ui"),
                Map.of(
                        "ranks",
                        "Ranks of a job by host: 2:n[1-4],m08;1:n9 for two on each of the first five.",
                        "job",
                        "What the map calls the job.",
                        "download",
                        "Bytes that nobody changes on the way with 'true': the API server's proxy writes pages of HTML anew."),
                FORMATS,
                List.of("get"),
                this::map);
    }

    private QueryResponse map(ResourceRequest request) throws StatusException {
        Format format = request.request().format(FORMATS);
        MapForm form = MapForm.valueOf(format.name());
        ServedFabric served = request.served();
        List<Remark> remarks = request.status().findings().stream()
                .map(one -> new Remark(
                        one.type(), Objects.requireNonNullElse(one.object(), ""), one.message(), one.switches()))
                .toList();
        JobRanks job = job(request);
        Map<String, String> headers = new HashMap<>(request.headers());
        // The names on it are what switches say of themselves.
        headers.put("Content-Security-Policy", HtmlWriter.CONTENT_SECURITY_POLICY);
        headers.put("X-Content-Type-Options", "nosniff");
        // Findings change without the generation.
        String etag = request.etag() + "-" + hash(format + "\n" + job + "\n" + remarks);
        long estimate = (long) served.parts().switches().size() * BYTES_OF_A_SWITCH
                + (long) served.directory().devices().size() * BYTES_OF_A_DEVICE;
        boolean download = "true".equals(request.parameters().text("download"));
        return new QueryResponse.Written(
                download ? Format.binary.mediaType() : format.mediaType(),
                // However short it is, to draw it takes as long as a large answer does.
                Math.max(estimate, QueryResponse.Written.LARGE_BYTES + 1),
                out -> out.write(
                        job == null
                                ? kept.of(served.name() + "/" + etag, () -> drawn(served, remarks, null, form))
                                : drawn(served, remarks, job, form)),
                etag,
                Map.copyOf(headers));
    }

    private static byte[] drawn(ServedFabric served, List<Remark> remarks, @Nullable JobRanks job, MapForm form) {
        return form.write(FabricMap.of(
                        served.name(), served.model(), served.parts().switches(), remarks, job))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A node is found by its own name, else by its hostname. */
    private static @Nullable JobRanks job(ResourceRequest request) throws StatusException {
        String ranks = request.parameters().text("ranks");
        String name = request.parameters().text("job");
        if (name == null) {
            if (ranks != null) {
                throw StatusException.badParam("job", "'ranks' are those of a 'job'");
            }
            return null;
        }
        if (name.length() > LONGEST_JOB) {
            throw StatusException.badParam("job", "'job' is longer than " + LONGEST_JOB + " characters");
        }
        if (ranks == null) {
            return new JobRanks(name, List.of());
        }
        Map<String, Integer> byHost;
        try {
            byHost = RanksByHost.parse(ranks);
        } catch (BadHostList e) {
            throw StatusException.badParam("ranks", "'ranks': " + e.getMessage());
        }
        Map<String, List<Integer>> slots = new HashMap<>();
        request.served().directory().devices().forEach((slot, device) -> {
            String host = device.nodeName().isEmpty() ? device.hostname() : device.nodeName();
            if (byHost.containsKey(host)) {
                slots.computeIfAbsent(host, h -> new ArrayList<>()).add(slot);
            }
        });
        if (slots.isEmpty()) {
            throw StatusException.notFound("ranks", "fabric " + request.served().name() + " has none of these hosts");
        }
        return RanksByHost.of(name, byHost, host -> slots.getOrDefault(host, List.of()));
    }

    private static String hash(String text) {
        byte[] digest = Sha256.of(text);
        return HexFormat.of().formatHex(digest, 0, ETAG_BYTES);
    }
}
