/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What makes one object of another, as a JSON Patch (RFC 6902): fields one by one, elements of a list that has got no others one by one, elements behind those of before
 * added, any other list replaced. O(size of both): the shortest patch of two lists takes one length times the other, and how long they are is for a pod's
 * author to say.
 */
final class ObjectDifference {
    private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();

    private ObjectDifference() {}

    static ArrayNode between(JsonNode before, JsonNode after) {
        ObjectDifference difference = new ObjectDifference();
        difference.compare("", before, after);
        return difference.operations;
    }

    private void compare(String path, JsonNode before, JsonNode after) {
        if (before instanceof ObjectNode one && after instanceof ObjectNode other) {
            fields(path, one, other);
        } else if (before instanceof ArrayNode one && after instanceof ArrayNode other) {
            elements(path, one, other);
        } else if (!before.equals(after)) {
            operations.addObject().put("op", "replace").put("path", path).set("value", after);
        }
    }

    private void fields(String path, ObjectNode before, ObjectNode after) {
        before.fieldNames().forEachRemaining(name -> {
            if (!after.has(name)) {
                operations.addObject().put("op", "remove").put("path", path + "/" + escaped(name));
            }
        });
        after.properties().forEach(field -> {
            String at = path + "/" + escaped(field.getKey());
            JsonNode own = before.get(field.getKey());
            if (own == null) {
                add(at, field.getValue());
            } else {
                compare(at, own, field.getValue());
            }
        });
    }

    private void elements(String path, ArrayNode before, ArrayNode after) {
        if (before.size() == after.size()) {
            for (int i = 0; i < before.size(); i++) {
                compare(path + "/" + i, before.get(i), after.get(i));
            }
        } else if (isBeginning(before, after)) {
            for (int i = before.size(); i < after.size(); i++) {
                add(path + "/" + i, after.get(i));
            }
        } else {
            operations.addObject().put("op", "replace").put("path", path).set("value", after);
        }
    }

    private static boolean isBeginning(ArrayNode before, ArrayNode after) {
        for (int i = 0; i < before.size(); i++) {
            if (i >= after.size() || !before.get(i).equals(after.get(i))) {
                return false;
            }
        }
        return true;
    }

    private void add(String path, JsonNode value) {
        operations.addObject().put("op", "add").put("path", path).set("value", value);
    }

    /** RFC 6901. */
    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
