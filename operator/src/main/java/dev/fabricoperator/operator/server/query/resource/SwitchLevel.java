/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.NpyHeader;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * Costs between the switches that hold devices, and which device is at which: everything that the whole matrix follows from. The
 * cost between two devices is the sum of {@code deviceCosts} of both and of {@code costs} between their switches, at most 65534; 0 from a
 * device to itself; 65535 where the switches cannot reach each other or {@code switchOf} is -1.
 */
final class SwitchLevel {
    private SwitchLevel() {}

    static QueryResponse answer(ResourceRequest request, Format format) {
        CostMatrix matrix = request.served().cost();
        int switches = matrix.edgeSwitches();
        Map<String, String> headers = new HashMap<>(request.headers());
        headers.put(QueryApi.HEADER_LEVEL, "switch");
        long numbers = (long) switches * switches;
        if (format != Format.json) {
            return new QueryResponse.Written(
                    format.mediaType(),
                    2 * numbers,
                    out -> write(matrix, format, out),
                    request.served().cost().digest() + "-switch",
                    headers);
        }
        return QueryResponse.Written.json(
                3 * numbers + 6L * matrix.vertices(),
                json -> {
                    json.writeStartObject();
                    json.writeNumberField("generation", request.served().generation());
                    json.writeStringField("digest", matrix.digest());
                    json.writeStringField("level", "switch");
                    json.writeNumberField("vertices", matrix.vertices());
                    json.writeArrayFieldStart("switches");
                    for (int edge = 0; edge < switches; edge++) {
                        json.writeString(matrix.edgeSwitchId(edge));
                    }
                    json.writeEndArray();
                    json.writeArrayFieldStart("costs");
                    for (int from = 0; from < switches; from++) {
                        json.writeStartArray();
                        for (int to = 0; to < switches; to++) {
                            json.writeNumber(matrix.edgeCost(from, to));
                        }
                        json.writeEndArray();
                    }
                    json.writeEndArray();
                    json.writeArrayFieldStart("switchOf");
                    for (int slot = 0; slot < matrix.vertices(); slot++) {
                        json.writeNumber(matrix.edgeSwitchOf(slot));
                    }
                    json.writeEndArray();
                    json.writeArrayFieldStart("deviceCosts");
                    for (int slot = 0; slot < matrix.vertices(); slot++) {
                        json.writeNumber(matrix.deviceCost(slot));
                    }
                    json.writeEndArray();
                    json.writeEndObject();
                },
                request.etag() + "-switch",
                headers);
    }

    private static void write(CostMatrix matrix, Format format, OutputStream out) throws IOException {
        int switches = matrix.edgeSwitches();
        if (format == Format.npy) {
            out.write(NpyHeader.of(switches, switches));
        }
        ByteBuffer row = ByteBuffer.allocate(2 * switches).order(ByteOrder.LITTLE_ENDIAN);
        for (int from = 0; from < switches; from++) {
            row.clear();
            for (int to = 0; to < switches; to++) {
                row.putShort((short) matrix.edgeCost(from, to));
            }
            out.write(row.array());
        }
    }
}
