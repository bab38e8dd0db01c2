/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.view.answer.RowAnswer;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.UnansweredException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code cost}: all of it, a row, a block, a pair, between nodes, to a group.
 *
 * @see "PMIx Standard, PMIX_FABRIC_COST_MATRIX"
 */
final class CostResource {
    private static final Set<Format> FORMATS = EnumSet.of(Format.json, Format.binary, Format.npy);
    private static final Set<String> LEVELS = Set.of("device", "switch", "node");
    private static final int JSON_BYTES_OF_A_COST = 3;
    private static final int JSON_BYTES_OF_A_ROW_ENTRY = 120;

    private final int wholeMatrixVertices;

    CostResource(int wholeMatrixVertices) {
        this.wholeMatrixVertices = wholeMatrixVertices;
    }

    Resource resource() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("row", "Index of a device: costs from it to all.");
        parameters.put("rows", "Indices and ranges, such as 0,3,8-15: these rows only.");
        parameters.put("cols", "Indices and ranges: these columns only.");
        parameters.put("from", "A device, by index or any of its names; with 'to' or 'group'.");
        parameters.put("to", "A device: the cost between the two.");
        parameters.put("group", "A group: the least and the mean cost from 'from' to its devices.");
        parameters.put("fromNode", "A node; with 'toNode'.");
        parameters.put("toNode", "A node: the best pair of devices, and all pairs of each plane.");
        parameters.put(
                "level",
                "'switch': the matrix of the switches that hold devices, and which device is at which;"
                        + " 'node': the matrix of the nodes, each with each, of the best pairs of their devices.");
        parameters.put(
                Question.SEVERAL,
                "true: 'from', 'to', 'row', 'rows', 'cols', 'nodes', 'fromNode' and 'toNode' take what stands for several devices: a"
                        + " host, a switch, a port of one (leaf-01:17), a list (node[01-04]); a number is a name.");
        parameters.put("nodes", "Names with commas between them; with level=node: these nodes only, in this order.");
        return new Resource(
                "cost",
                "Relative cost of communication, unsigned 16 bit; 0 to itself, 65535 unreachable; row is from, column is to.",
                List.of("cost"),
                parameters,
                FORMATS,
                List.of("get"),
                this::answer);
    }

    private QueryResponse answer(ResourceRequest request) throws StatusException, UnansweredException {
        Parameters asked = request.parameters();
        if (asked.has("fromNode") || asked.has("toNode")) {
            return request.answer(
                    new Question.Nodes(null, asked.required("fromNode"), asked.required("toNode"), request.plane()));
        }
        if (asked.has("group")) {
            long group = Parameters.number("group", asked.required("group"));
            // No group has so high a number.
            int number = (int) Math.min(group, Integer.MAX_VALUE);
            return request.answer(new Question.ToGroup(asked.required("from"), number, request.plane()));
        }
        if (asked.has("from") || asked.has("to")) {
            return request.answer(new Question.Pair(asked.required("from"), asked.required("to")));
        }
        if (asked.has("row")) {
            return row(
                    request, request.devices().one("row", asked.required("row")).slot());
        }
        if (request.isOfSeveral()) {
            if (request.request().format(FORMATS) != Format.json) {
                throw StatusException.badParam("format", "'" + Question.SEVERAL + "' goes with JSON");
            }
            if ("node".equals(asked.text("level"))) {
                return request.large(new Question.Hosts(null, names(asked, "nodes")));
            }
            return request.large(new Question.Block(names(asked, "rows"), names(asked, "cols")));
        }
        return block(request);
    }

    /** Commas inside brackets are a host list's. */
    private static List<String> names(Parameters asked, String field) throws StatusException {
        try {
            return HostList.words(asked.required(field));
        } catch (HostList.BadHostList e) {
            throw StatusException.badParam(field, "'" + field + "': " + e.getMessage());
        }
    }

    private QueryResponse row(ResourceRequest request, int from) throws StatusException {
        Format format = request.request().format(FORMATS);
        int[] to = columns(request, "cols");
        if (format != Format.json) {
            return numbers(request, format, new Matrix(request.served().cost(), new int[] {from}, to), true);
        }
        return QueryResponse.Written.json(
                (long) to.length * JSON_BYTES_OF_A_ROW_ENTRY,
                json -> json.writePOJO(RowAnswer.of(request.served(), from, to)),
                request.etag(),
                request.headers());
    }

    private QueryResponse block(ResourceRequest request) throws StatusException {
        Format format = request.request().format(FORMATS);
        Parameters asked = request.parameters();
        CostMatrix matrix = request.served().cost();
        boolean whole = !asked.has("rows") && !asked.has("cols");
        String level = asked.text("level");
        if (level != null && !LEVELS.contains(level)) {
            throw StatusException.badParam("level", "'level' is device, switch or node, not '" + level + "'");
        }
        if ("node".equals(level)) {
            return NodeLevel.answer(request, format, wholeMatrixVertices);
        }
        if (asked.has("nodes")) {
            throw StatusException.badParam("nodes", "'nodes' needs level=node");
        }
        if ("switch".equals(level) || (whole && level == null && matrix.vertices() > wholeMatrixVertices)) {
            return SwitchLevel.answer(request, format);
        }
        int[] rows = columns(request, "rows");
        int[] cols = columns(request, "cols");
        long most = (long) wholeMatrixVertices * wholeMatrixVertices;
        if ((long) rows.length * cols.length > most) {
            throw StatusException.tooLarge(
                    whole ? "level" : "rows", "a block has at most " + most + " costs; ask for fewer rows or columns");
        }
        Matrix block = new Matrix(matrix, rows, cols);
        if (format != Format.json) {
            return numbers(request, format, block, false);
        }
        return QueryResponse.Written.json(
                (long) rows.length * cols.length * JSON_BYTES_OF_A_COST,
                json -> {
                    json.writeStartObject();
                    json.writeNumberField("generation", request.served().generation());
                    json.writeStringField("digest", matrix.digest());
                    json.writeNumberField("vertices", matrix.vertices());
                    if (!whole || asked.has("plane")) {
                        writeNumbers(json, "rows", rows);
                        writeNumbers(json, "cols", cols);
                    }
                    json.writeArrayFieldStart("costs");
                    block.forEachRow(row -> {
                        json.writeStartArray();
                        for (int i = 0; i < cols.length; i++) {
                            json.writeNumber(Short.toUnsignedInt(row[i]));
                        }
                        json.writeEndArray();
                    });
                    json.writeEndArray();
                    json.writeEndObject();
                },
                request.etag(),
                request.headers());
    }

    static void writeNumbers(JsonGenerator json, String field, int[] numbers) throws IOException {
        json.writeArrayFieldStart(field);
        for (int number : numbers) {
            json.writeNumber(number);
        }
        json.writeEndArray();
    }

    private static QueryResponse numbers(ResourceRequest request, Format format, Matrix block, boolean flat) {
        Map<String, String> headers = new HashMap<>(request.headers());
        headers.put(QueryApi.HEADER_LEVEL, "device");
        return new QueryResponse.Written(
                format.mediaType(),
                block.bytes(),
                out -> block.write(format, flat, out),
                request.served().cost().digest(),
                headers);
    }

    /** Indices that a parameter asks for, else all of the plane. */
    private int[] columns(ResourceRequest request, String field) throws StatusException {
        int vertices = request.served().cost().vertices();
        String plane = request.plane();
        int[] all = Indices.below(vertices);
        if (plane != null) {
            all = java.util.Arrays.stream(all)
                    .filter(slot -> request.isOn(plane, slot))
                    .toArray();
        }
        return Indices.of(field, request.parameters().text(field), vertices, wholeMatrixVertices, all);
    }
}
