/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Changes an object and notes each change as an operation of a JSON Patch. Fields that nobody names here are in no operation, so that those of a
 * newer Kubernetes survive.
 *
 * @see "RFC 6902, RFC 6901"
 */
final class ObjectPatch {
    private final ObjectNode object;
    private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();

    ObjectPatch(ObjectNode original) {
        this.object = original.deepCopy();
    }

    /** As it is with all changes so far. */
    ObjectNode object() {
        return object;
    }

    ArrayNode operations() {
        return operations;
    }

    /** Sets a field, whether it was there or not; objects on the way to it are made. */
    void set(String parent, String field, JsonNode value) {
        ObjectNode holder = object(parent);
        note("add", parent + "/" + escaped(field), value);
        holder.set(field, value);
    }

    void remove(String parent, String field) {
        ObjectNode holder = object(parent);
        if (holder.remove(field) != null) {
            note("remove", parent + "/" + escaped(field), null);
        }
    }

    /** Adds to the end of a list, which is made where it is not there. */
    void append(String parent, String field, JsonNode value) {
        insert(parent, field, Integer.MAX_VALUE, value);
    }

    void insertFirst(String parent, String field, JsonNode value) {
        insert(parent, field, 0, value);
    }

    private void insert(String parent, String field, int index, JsonNode value) {
        ObjectNode holder = object(parent);
        if (holder.get(field) instanceof ArrayNode list) {
            boolean last = index >= list.size();
            note("add", parent + "/" + escaped(field) + "/" + (last ? "-" : Integer.toString(index)), value);
            list.insert(last ? list.size() : index, value);
        } else {
            ArrayNode list = JsonNodeFactory.instance.arrayNode().add(value);
            note("add", parent + "/" + escaped(field), list.deepCopy());
            holder.set(field, list);
        }
    }

    private ObjectNode object(String pointer) {
        JsonNode found = object.at(pointer);
        if (found instanceof ObjectNode there) {
            return there;
        }
        int slash = pointer.lastIndexOf('/');
        String name = pointer.substring(slash + 1).replace("~1", "/").replace("~0", "~");
        ObjectNode made = JsonNodeFactory.instance.objectNode();
        ObjectNode holder = object(pointer.substring(0, slash));
        note("add", pointer, made.deepCopy());
        holder.set(name, made);
        return made;
    }

    private void note(String operation, String path, @Nullable JsonNode value) {
        ObjectNode noted = operations.addObject().put("op", operation).put("path", path);
        if (value != null) {
            noted.set("value", value.deepCopy());
        }
    }

    private static String escaped(String key) {
        return key.replace("~", "~0").replace("/", "~1");
    }
}
