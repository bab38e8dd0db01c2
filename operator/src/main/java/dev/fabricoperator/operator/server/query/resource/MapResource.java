/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.fabric.map.FabricMap;
import dev.fabricoperator.fabric.map.HtmlWriter;
import dev.fabricoperator.fabric.map.Remark;
import dev.fabricoperator.fabric.map.SvgWriter;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.ServedFabric;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The fabric drawn, as a page for a browser or a picture. */
final class MapResource {
    private static final Set<Format> FORMATS = Set.of(Format.html, Format.svg);
    private static final int BYTES_OF_A_SWITCH = 600;
    private static final int BYTES_OF_A_DEVICE = 40;

    private MapResource() {}

    static Resource resource() {
        return new Resource(
                "ui",
                "The fabric drawn with its findings: a page with a search, or a picture.",
                List.of("ui"),
                Map.of(),
                FORMATS,
                List.of("get"),
                MapResource::map);
    }

    private static QueryResponse map(ResourceRequest request) throws StatusException {
        Format format = request.request().format(FORMATS);
        ServedFabric served = request.served();
        List<Remark> remarks = request.status().findings().stream()
                .map(one -> new Remark(one.type(), Objects.requireNonNullElse(one.object(), ""), one.message()))
                .toList();
        Map<String, String> headers = new HashMap<>(request.headers());
        // The names on it are what switches say of themselves.
        headers.put("Content-Security-Policy", HtmlWriter.CONTENT_SECURITY_POLICY);
        headers.put("X-Content-Type-Options", "nosniff");
        return new QueryResponse.Written(
                format.mediaType(),
                (long) served.parts().switches().size() * BYTES_OF_A_SWITCH
                        + (long) served.directory().devices().size() * BYTES_OF_A_DEVICE,
                out -> {
                    FabricMap map = FabricMap.of(
                            served.name(), served.model(), served.parts().switches(), remarks, null);
                    String text = format == Format.svg ? SvgWriter.write(map) : HtmlWriter.write(map);
                    out.write(text.getBytes(StandardCharsets.UTF_8));
                },
                // Findings change without the generation.
                null,
                Map.copyOf(headers));
    }
}
