/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Format;
import dev.fabricoperator.operator.server.query.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** OpenAPI in versions 2 and 3, made of the same table that answers, so that it says what there is. */
final class OpenApi {
    static final String GROUP_PATH = "apis/" + QueryApi.GROUP_VERSION;
    /** Below the group's path. */
    static final String TRAFFIC_PATH = "/namespaces/{namespace}/jobs/{name}/traffic";

    private final List<Resource> resources;

    OpenApi(List<Resource> resources) {
        this.resources = resources;
    }

    /** Version 2, which kube-apiserver merges into its own. */
    ObjectNode version2() {
        ObjectNode document = Json.MAPPER.createObjectNode().put("swagger", "2.0");
        info(document);
        paths(document, false);
        document.putObject("definitions");
        return document;
    }

    /** Version 3 of the one group version. */
    ObjectNode version3() {
        ObjectNode document = Json.MAPPER.createObjectNode().put("openapi", "3.0.0");
        info(document);
        paths(document, true);
        document.putObject("components").putObject("schemas");
        return document;
    }

    /** Where the documents of version 3 are. */
    ObjectNode version3Index() {
        CRC32 hash = new CRC32();
        hash.update(version3().toString().getBytes(StandardCharsets.UTF_8));
        ObjectNode index = Json.MAPPER.createObjectNode();
        index.putObject("paths")
                .putObject(GROUP_PATH)
                .put(
                        "serverRelativeURL",
                        "/openapi/v3/" + GROUP_PATH + "?hash="
                                + Long.toHexString(hash.getValue()).toUpperCase(Locale.ROOT));
        return index;
    }

    private static void info(ObjectNode document) {
        document.putObject("info").put("title", "fabric-operator query API").put("version", QueryApi.VERSION);
    }

    private void paths(ObjectNode document, boolean three) {
        ObjectNode paths = document.putObject("paths");
        for (Resource resource : resources) {
            for (String path : resource.paths()) {
                ObjectNode operation = paths.putObject("/" + GROUP_PATH + "/fabrics/{name}/" + path)
                        .putObject("get");
                operation.put("description", resource.summary());
                operation.put("operationId", "get" + camelCase(path));
                operation.putArray("tags").add("query_" + QueryApi.VERSION);
                ArrayNode parameters = operation.putArray("parameters");
                parameter(parameters, "name", "path", "Name of the Fabric.", three);
                for (String part : path.split("/", -1)) {
                    if (part.startsWith("{")) {
                        String name = part.substring(1, part.length() - 1);
                        parameter(parameters, name, "path", "Which one.", three);
                    }
                }
                Map<String, String> queries = new TreeMap<>(Resource.COMMON);
                queries.putAll(resource.parameters());
                queries.forEach((name, meaning) -> parameter(parameters, name, "query", meaning, three));
                responses(operation, resource, three);
            }
        }
        trafficOfJobs(paths, three);
    }

    private static void trafficOfJobs(ObjectNode paths, boolean three) {
        ObjectNode operation = paths.putObject("/" + GROUP_PATH + TRAFFIC_PATH).putObject("get");
        operation.put(
                "description",
                "What the pods of a job have sent, as far as they have told it. While somebody asks they tell it once a second.");
        operation.put("operationId", "getJobTraffic");
        operation.putArray("tags").add("query_" + QueryApi.VERSION);
        ArrayNode parameters = operation.putArray("parameters");
        parameter(parameters, "namespace", "path", "Of the job.", three);
        parameter(parameters, "name", "path", "Name of the FabricJob.", three);
        ObjectNode responses = ok(operation, List.of(Format.json.mediaType()), three);
        refusal(responses, "401", "No token, or not a valid one.");
        refusal(responses, "403", "Not allowed.");
        refusal(responses, "404", "Nothing is known of that job's traffic: NOT_FOUND.");
        refusal(responses, "429", "Too many requests at one time.");
    }

    private static ObjectNode ok(ObjectNode operation, List<String> types, boolean three) {
        ObjectNode responses = operation.putObject("responses");
        ObjectNode ok = responses.putObject("200").put("description", "OK");
        if (three) {
            ObjectNode content = ok.putObject("content");
            types.forEach(type -> content.putObject(type).putObject("schema").put("type", "object"));
        } else {
            ArrayNode produces = operation.putArray("produces");
            types.forEach(produces::add);
        }
        return responses;
    }

    private static void responses(ObjectNode operation, Resource resource, boolean three) {
        List<String> types = resource.formats().stream()
                .map(format -> format.mediaType())
                .sorted()
                .toList();
        ObjectNode responses = ok(operation, types, three);
        refusal(responses, "304", "What If-None-Match names still holds.");
        refusal(responses, "400", "A parameter is wrong: BAD_PARAM.");
        refusal(responses, "401", "No token, or not a valid one.");
        refusal(responses, "403", "Not allowed.");
        refusal(responses, "404", "No such Fabric, device, switch, plane or group: NOT_FOUND.");
        refusal(responses, "409", "That generation is not served yet.");
        refusal(responses, "410", "That generation is not served any more.");
        refusal(responses, "413", "More is asked for than one answer may hold.");
        refusal(responses, "429", "Too many requests at one time.");
        refusal(responses, "503", "Nothing of that Fabric can be served yet.");
    }

    private static void refusal(ObjectNode responses, String code, String meaning) {
        responses.putObject(code).put("description", meaning);
    }

    private static void parameter(ArrayNode to, String name, String in, String meaning, boolean three) {
        ObjectNode parameter = to.addObject().put("name", name).put("in", in).put("description", meaning);
        if (in.equals("path")) {
            parameter.put("required", true);
        }
        if (three) {
            parameter.putObject("schema").put("type", "string");
        } else {
            parameter.put("type", "string");
        }
    }

    private static String camelCase(String path) {
        StringBuilder name = new StringBuilder("Fabric");
        for (String part : path.split("[/{}]+", -1)) {
            if (!part.isEmpty()) {
                name.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
            }
        }
        return name.toString();
    }
}
