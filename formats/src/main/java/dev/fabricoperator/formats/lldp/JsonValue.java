/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A small JSON value as lldpd writes it, in either of two dialects: {@code json} writes a list of one as what is in it,
 * {@code json0} a single value as a list of one, and a text as an object with a {@code value}.
 *
 * @param of a {@code Map<String, JsonValue>}, {@code List<JsonValue>} or text; {@code null} for JSON's null
 */
record JsonValue(@Nullable Object of) {
    /** Of one interface, or of all interfaces of a system: thousands of ports. A tree takes some thirty times the text. */
    static final int MAX_CHARACTERS = 4 << 20;

    private static final JsonValue ABSENT = new JsonValue(null);

    /** Reads the value that the parser stands on, whose depth the parser bounds. */
    static JsonValue read(JsonParser parser) throws IOException {
        return read(parser, parser.currentTokenLocation().getCharOffset() + MAX_CHARACTERS);
    }

    private static JsonValue read(JsonParser parser, long end) throws IOException {
        if (parser.currentTokenLocation().getCharOffset() > end) {
            throw new StreamConstraintsException("one answer has more than " + MAX_CHARACTERS + " characters");
        }
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, JsonValue> fields = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                fields.put(name, read(parser, end));
            }
            return new JsonValue(fields);
        }
        if (token == JsonToken.START_ARRAY) {
            List<JsonValue> elements = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                elements.add(read(parser, end));
            }
            return new JsonValue(elements);
        }
        return new JsonValue(token == JsonToken.VALUE_NULL ? null : parser.getText());
    }

    boolean isObject() {
        return of instanceof Map;
    }

    /** What is in a list; a list of the value itself where it is none, of nothing where it is absent. */
    List<JsonValue> each() {
        if (of instanceof List<?> list) {
            return list.stream().map(JsonValue.class::cast).toList();
        }
        return of == null ? List.of() : List.of(this);
    }

    /** Fields of an object, of the first one of a list; none of anything else. */
    Map<String, JsonValue> fields() {
        if (of instanceof List<?> list) {
            return list.isEmpty() ? Map.of() : ((JsonValue) list.getFirst()).fields();
        }
        Map<String, JsonValue> fields = new LinkedHashMap<>();
        if (of instanceof Map<?, ?> map) {
            map.forEach((name, value) -> fields.put((String) name, (JsonValue) value));
        }
        return fields;
    }

    JsonValue at(String field) {
        return fields().getOrDefault(field, ABSENT);
    }

    /** The text, or that of the first one in a list, or that of its {@code value}; {@code null} for anything else. */
    @Nullable
    String text() {
        return switch (of) {
            case String text -> text;
            case List<?> list when !list.isEmpty() -> ((JsonValue) list.getFirst()).text();
            case Map<?, ?> map when map.get("value") instanceof JsonValue(String text) -> text;
            case null, default -> null;
        };
    }
}
