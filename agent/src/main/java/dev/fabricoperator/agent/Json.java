/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as trees of Map, List, String, Long, Double, Boolean and null.
 *
 * <p>Data binding would bring several megabytes of classes into every node's agent for a handful of objects.
 */
final class Json {

    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int MAXIMUM_DEPTH = 64;

    private Json() {}

    static byte[] write(Object tree) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        try (JsonGenerator generator = FACTORY.createGenerator(out)) {
            write(generator, tree);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        switch (value) {
            case null -> generator.writeNull();
            case Map<?, ?> map -> {
                generator.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    generator.writeFieldName(String.valueOf(entry.getKey()));
                    write(generator, entry.getValue());
                }
                generator.writeEndObject();
            }
            case List<?> list -> {
                generator.writeStartArray();
                for (Object element : list) {
                    write(generator, element);
                }
                generator.writeEndArray();
            }
            case Long number -> generator.writeNumber(number);
            case Double number -> generator.writeNumber(number);
            case Boolean bool -> generator.writeBoolean(bool);
            default -> generator.writeString(value.toString());
        }
    }

    /** The object that {@code bytes} hold; IOException for anything else, also for what is cut off. */
    static Map<String, Object> readObject(byte[] bytes) throws IOException {
        try (JsonParser parser = FACTORY.createParser(bytes)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            return object(parser, 0);
        }
    }

    private static Map<String, Object> object(JsonParser parser, int depth) throws IOException {
        if (depth > MAXIMUM_DEPTH) {
            throw new IOException("JSON is nested too deeply");
        }
        Map<String, Object> map = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            Object value = value(parser, depth);
            if (value != null) {
                map.put(name, value);
            }
        }
        if (parser.currentToken() != JsonToken.END_OBJECT) {
            throw new IOException("JSON is cut off");
        }
        return map;
    }

    private static @Nullable Object value(JsonParser parser, int depth) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new IOException("JSON is cut off");
        }
        return switch (token) {
            case START_OBJECT -> object(parser, depth + 1);
            case START_ARRAY -> {
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    Object element = value(parser, depth + 1);
                    if (element != null) {
                        list.add(element);
                    }
                }
                yield list;
            }
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }

    /** A member of an object that is an object itself; empty where there is none. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> member(Map<String, Object> object, String name) {
        return object.get(name) instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
    }

    /** Elements of a member that are objects; empty where there is none. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(Map<String, Object> object, String name) {
        List<Map<String, Object>> objects = new ArrayList<>();
        if (object.get(name) instanceof List<?> list) {
            for (Object element : list) {
                if (element instanceof Map<?, ?> map) {
                    objects.add((Map<String, Object>) map);
                }
            }
        }
        return objects;
    }

    static @Nullable String string(Map<String, Object> object, String name) {
        return object.get(name) instanceof String text ? text : null;
    }
}
