/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.fabric8.crdv2.generator.CRDGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The CustomResourceDefinitions, generated from the Java types.
 *
 * <p>What the generator's annotations cannot say is added here: list types for server-side apply, categories, and the
 * words that keep users from writing what they do not own.
 */
final class CrdManifests {
    // Not "fabric": kubectl takes a category before a kind, and "kubectl get fabric NAME" would ask for all three.
    private static final List<String> CATEGORIES = List.of("fabric-operator");

    /** Path of a list below the schema -> the fields that identify its items. */
    private static final Map<String, Map<String, List<String>>> LIST_MAPS = Map.of(
            "FabricDevice",
            Map.of(
                    "spec.distances", List.of("numaNode"),
                    "spec.accelerators", List.of("pciAddress"),
                    "status.coordinates", List.of("view"),
                    "status.conditions", List.of("type")),
            "FabricSwitch",
            Map.of(
                    "spec.ports", List.of("number"),
                    "status.coordinates", List.of("view"),
                    "status.conditions", List.of("type")),
            "Fabric",
            Map.of(
                    "status.planes", List.of("id"),
                    "status.shapes", List.of("plane", "view"),
                    "status.conditions", List.of("type")),
            "FabricJob",
            Map.of("status.conditions", List.of("type")));

    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "FabricJob",
            "A job that is launched directly: how many of its ranks are here, on how many nodes, and what communication among"
                    + " them costs. The job service writes all of it.",
            "FabricDevice",
            "One port of one fabric device on one node: a vertex of the cost matrix. The node's agent writes spec, the"
                    + " operator status.",
            "FabricSwitch",
            "One switch and its cables as one topology source sees it. A source or a person writes spec, the operator"
                    + " status.",
            "Fabric",
            "Fabric devices that can reach each other, the switches between them, and what communication costs. A person"
                    + " (or the operator, for devices that belong to none) writes spec, the operator status.");

    private static final Map<String, String> SPEC_DESCRIPTIONS = Map.of(
            "FabricJob", "What the job asked for",
            "FabricDevice", "What the node's agent found on its host",
            "FabricSwitch", "What the topology source, or a person, says of the switch",
            "Fabric", "What a person wants: which devices, which planes, which sources");

    private static final String STATUS_DESCRIPTION = "What the operator has found out; it alone writes this";

    private final ObjectMapper yaml = new ObjectMapper(new YAMLFactory()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR));

    /** File name -> content, one per kind. */
    SortedMap<String, String> render() throws IOException {
        SortedMap<String, ByteArrayOutputStream> raw = new TreeMap<>();
        new CRDGenerator()
                .customResourceClasses(FabricDevice.class, FabricSwitch.class, Fabric.class, FabricJob.class)
                .withOutput(new InMemoryOutput(raw))
                .detailedGenerate();
        SortedMap<String, String> files = new TreeMap<>();
        for (ByteArrayOutputStream content : raw.values()) {
            ObjectNode crd = (ObjectNode) yaml.readTree(content.toByteArray());
            complete(crd);
            String file = crd.at("/metadata/name").asText() + ".yaml";
            files.put(
                    file,
                    "# Generated from the types in crds/; 'make crds' writes it. Do not edit.\n"
                            + "# Copyright The fabric-operator authors.\n# SPDX-License-Identifier: Apache-2.0\n"
                            + yaml.writeValueAsString(crd));
        }
        return files;
    }

    private static void complete(ObjectNode crd) {
        ObjectNode names = (ObjectNode) crd.at("/spec/names");
        ArrayNode categories = names.putArray("categories");
        CATEGORIES.forEach(categories::add);
        ObjectNode version = (ObjectNode) crd.at("/spec/versions/0");
        ObjectNode schema = (ObjectNode) version.at("/schema/openAPIV3Schema");
        String kind = names.get("kind").asText();
        Objects.requireNonNull(LIST_MAPS.get(kind)).forEach((path, keys) -> {
            ObjectNode list = property(schema, path);
            list.put("x-kubernetes-list-type", "map");
            ArrayNode listKeys = list.putArray("x-kubernetes-list-map-keys");
            keys.forEach(listKeys::add);
        });
        if (schema.at("/properties/spec/required").isArray()) {
            schema.putArray("required").add("spec");
        }
        if (kind.equals("Fabric")) {
            ObjectNode labels = property(schema, "spec.selector.matchLabels").put("maxProperties", 16);
            ((ObjectNode) labels.get("additionalProperties")).put("maxLength", 63);
        }
        requireBounds(schema);
        schema.put("description", DESCRIPTIONS.get(kind));
        property(schema, "spec").put("description", SPEC_DESCRIPTIONS.get(kind));
        property(schema, "status").put("description", STATUS_DESCRIPTION);
        printColumnsInDeclaredOrder(version, kind);
    }

    /** Without bounds the API server cannot bound the cost of CEL rules, and refuses them. */
    private static void requireBounds(JsonNode node) {
        for (JsonNode child : node) {
            requireBounds(child);
        }
        if (node instanceof ObjectNode object) {
            String type = object.path("type").asText();
            if (type.equals("array") && !object.has("maxItems")
                    || type.equals("string") && !object.has("enum") && !object.has("maxLength")
                    || object.path("additionalProperties").isObject() && !object.has("maxProperties")) {
                throw new IllegalStateException("a field without bounds: " + object);
            }
        }
    }

    private static void printColumnsInDeclaredOrder(ObjectNode version, String kind) {
        List<JsonNode> columns = new ArrayList<>();
        version.path("additionalPrinterColumns").forEach(columns::add);
        List<String> declared = switch (kind) {
            case "FabricDevice" -> columnsOf(FabricDevice.class);
            case "FabricSwitch" -> columnsOf(FabricSwitch.class);
            case "FabricJob" -> columnsOf(FabricJob.class);
            default -> columnsOf(Fabric.class);
        };
        columns.sort((a, b) -> Integer.compare(
                declared.indexOf(a.get("name").asText()),
                declared.indexOf(b.get("name").asText())));
        ArrayNode ordered = version.putArray("additionalPrinterColumns");
        for (JsonNode column : columns) {
            // The API server does not keep a zero, and who applies it again finds a difference.
            if (column.path("priority").asInt() == 0) {
                ((ObjectNode) column).remove("priority");
            }
            ordered.add(column);
        }
    }

    private static List<String> columnsOf(Class<?> type) {
        List<String> names = new ArrayList<>();
        for (var column :
                type.getAnnotationsByType(io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.class)) {
            names.add(column.name());
        }
        return names;
    }

    private static ObjectNode property(ObjectNode schema, String path) {
        JsonNode node = schema;
        for (String name : path.split("\\.")) {
            node = node.path("properties").path(name);
        }
        if (node instanceof ObjectNode found) {
            return found;
        }
        throw new IllegalStateException("the schema has no field " + path);
    }

    private static final class InMemoryOutput implements CRDGenerator.CRDOutput<OutputStream> {
        private final Map<String, ByteArrayOutputStream> files;

        InMemoryOutput(Map<String, ByteArrayOutputStream> files) {
            this.files = files;
        }

        @Override
        public OutputStream outputFor(String crdName) {
            return files.computeIfAbsent(crdName, name -> new ByteArrayOutputStream());
        }

        @Override
        public void close() {}
    }
}
