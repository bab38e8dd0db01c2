/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Kubernetes objects in a text of several YAML documents, by what identifies them. */
final class RenderedObjects {
    static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static final ObjectMapper SORTED = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT, SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    /** Labels and annotations by which Helm knows its own. */
    private static final Map<String, List<String>> OF_HELM = Map.of(
            "labels",
                    List.of(
                            "helm.sh/chart",
                            "app.kubernetes.io/instance",
                            "app.kubernetes.io/version",
                            "app.kubernetes.io/managed-by"),
            "annotations", List.of("helm.sh/resource-policy"));

    private RenderedObjects() {}

    static JsonNode yaml(String text) {
        try {
            return YAML.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(text, e);
        }
    }

    /**
     * By {@code apiVersion kind namespace/name}.
     *
     * @throws IllegalStateException if an object is there twice
     */
    static Map<String, JsonNode> of(String text) {
        Map<String, JsonNode> objects = new TreeMap<>();
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(text)) {
            while (documents.hasNextValue()) {
                JsonNode object = documents.nextValue();
                if (object == null || !object.isObject()) {
                    continue;
                }
                if (objects.put(identity(object), object) != null) {
                    throw new IllegalStateException(identity(object) + " is there twice");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("not YAML: " + text, e);
        }
        return objects;
    }

    /** The same for equal objects: fields in the order of their names, a line for each. */
    static String text(JsonNode object) {
        try {
            return SORTED.writeValueAsString(SORTED.treeToValue(object, Object.class));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String identity(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return object.path("apiVersion").asText()
                + " " + object.path("kind").asText()
                + " " + metadata.path("namespace").asText()
                + "/" + metadata.path("name").asText();
    }

    /** The same without what Helm adds to each object of a release. */
    static Map<String, JsonNode> withoutMarksOfHelm(Map<String, JsonNode> objects) {
        Map<String, JsonNode> without = new TreeMap<>();
        objects.forEach((identity, object) -> {
            ObjectNode copy = object.deepCopy();
            OF_HELM.forEach((field, keys) -> {
                if (copy.path("metadata").path(field) instanceof ObjectNode map) {
                    map.remove(keys);
                    if (map.isEmpty()) {
                        ((ObjectNode) copy.get("metadata")).remove(field);
                    }
                }
            });
            without.put(identity, copy);
        });
        return without;
    }
}
