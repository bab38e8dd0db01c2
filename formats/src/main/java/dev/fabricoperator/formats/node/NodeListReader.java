/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.node;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.formats.JsonText;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code kubectl get nodes -o json} prints: names and labels of nodes, in a {@code List}, a {@code NodeList}, a list, or one
 * after the other. Everything else in a node is skipped.
 *
 * <p>Cost: time in proportion to the text; memory in proportion to the nodes, for labels that are asked for.
 *
 * @see "Kubernetes API, Node v1 core and ListMeta"
 */
public final class NodeListReader {
    private final String file;
    private final JsonParser json;
    private final Set<String> wanted;
    private final HeapBudget budget;
    private final List<LabelledNode> nodes = new ArrayList<>();

    private NodeListReader(String file, JsonParser json, Set<String> wanted) {
        this.file = file;
        this.json = json;
        this.wanted = wanted;
        budget = new HeapBudget(file);
    }

    /**
     * Reads a whole text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @param keys of labels from the top to the leaf; empty for those of a cloud that is known
     * @throws BadInputException if this is no list of nodes, or their labels make no tree
     */
    public static Cabling read(String file, Reader text, List<String> keys) throws IOException, BadInputException {
        Set<String> wanted = keys.isEmpty() ? LabelPreset.ALL_KEYS : new HashSet<>(keys);
        try (JsonParser json = JsonText.parser(text)) {
            NodeListReader reader = new NodeListReader(file, json, wanted);
            try {
                reader.readAll();
            } catch (JsonProcessingException e) {
                throw reader.bad(JsonText.reason(e) + "; kubectl get nodes -o json writes a whole one");
            }
            return keys.isEmpty()
                    ? LabelTree.ofAll(file, reader.nodes, reader.line())
                    : LabelTree.of(file, reader.nodes, keys, null, false, List.of(), reader.line());
        }
    }

    private int line() {
        return Math.max(1, json.currentLocation().getLineNr());
    }

    private BadInputException bad(String wrong) {
        return new BadInputException(file, line(), wrong);
    }

    private void readAll() throws IOException, BadInputException {
        if (json.nextToken() == null) {
            throw bad("the text is empty");
        }
        for (JsonToken token = json.currentToken(); token != null; token = json.nextToken()) {
            readItem(token, "the text");
        }
    }

    /** A node, an object with a list of nodes, or such a list. */
    private void readItem(@Nullable JsonToken token, String where) throws IOException, BadInputException {
        if (token == JsonToken.START_ARRAY) {
            while (json.nextToken() != JsonToken.END_ARRAY) {
                readItem(json.currentToken(), "the list");
            }
        } else if (token == JsonToken.START_OBJECT) {
            readObject();
        } else {
            throw bad(where + " holds something that is no object: nodes are expected");
        }
    }

    private void readObject() throws IOException, BadInputException {
        int begun = Math.max(1, json.currentTokenLocation().getLineNr());
        String kind = null;
        String name = null;
        Map<String, String> labels = new HashMap<>();
        boolean isList = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (field.equals("items") && value == JsonToken.START_ARRAY) {
                readItem(value, field);
                isList = true;
            } else if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                name = readMetadata(labels);
            } else if (field.equals("kind") && value == JsonToken.VALUE_STRING) {
                kind = json.getText();
            } else {
                json.skipChildren();
            }
        }
        if (isList) {
            return;
        }
        if (kind != null && !kind.equals("Node")) {
            throw new BadInputException(
                    file,
                    begun,
                    "an object of kind \"" + CablingCollector.printable(kind) + "\", where nodes are expected");
        }
        if (name == null) {
            throw new BadInputException(file, begun, "an object without metadata.name, where nodes are expected");
        }
        long bytes = HeapBudget.BYTES_OF_NODE + HeapBudget.ofText(name);
        for (String value : labels.values()) {
            bytes += HeapBudget.BYTES_OF_PORT + HeapBudget.ofText(value);
        }
        budget.spend(begun, bytes);
        nodes.add(new LabelledNode(name, labels, begun, true));
    }

    private @Nullable String readMetadata(Map<String, String> labels) throws IOException {
        String name = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (field.equals("name") && value == JsonToken.VALUE_STRING) {
                name = json.getText();
            } else if (field.equals("labels") && value == JsonToken.START_OBJECT) {
                readLabels(labels);
            } else {
                json.skipChildren();
            }
        }
        return name;
    }

    private void readLabels(Map<String, String> labels) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String key = json.currentName();
            if (json.nextToken() == JsonToken.VALUE_STRING && wanted.contains(key)) {
                labels.put(key, json.getText());
            } else {
                json.skipChildren();
            }
        }
    }
}
