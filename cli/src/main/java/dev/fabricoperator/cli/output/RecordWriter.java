/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes records as Jackson's databind does, of which it knows what the records of this project use: names by
 * {@link JsonProperty}, what is left out by {@link JsonInclude}.
 *
 * <p>Databind takes a third of a second to load and to look at the records for the first time, half of what a person
 * may wait for an answer. A test holds both against each other.
 */
final class RecordWriter {
    private final Map<Class<?>, Layout> layouts = new HashMap<>();
    private final JsonGenerator to;

    RecordWriter(JsonGenerator to) {
        this.to = to;
    }

    /** What is known of a record's class. */
    private record Layout(JsonInclude.Include[] includes, String[] names, Method[] accessors) {
        static Layout of(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            String[] names = new String[components.length];
            Method[] accessors = new Method[components.length];
            JsonInclude.Include[] includes = new JsonInclude.Include[components.length];
            JsonInclude ofAll = type.getAnnotation(JsonInclude.class);
            for (int i = 0; i < components.length; i++) {
                Method accessor = components[i].getAccessor();
                JsonProperty renamed = accessor.getAnnotation(JsonProperty.class);
                names[i] = renamed == null ? components[i].getName() : renamed.value();
                accessor.setAccessible(true);
                accessors[i] = accessor;
                JsonInclude own = accessor.getAnnotation(JsonInclude.class);
                JsonInclude include = own == null ? ofAll : own;
                includes[i] = include == null ? JsonInclude.Include.ALWAYS : include.value();
            }
            return new Layout(includes, names, accessors);
        }
    }

    /** @param value a record, list, map with string keys, string, number, boolean, enum or {@code null} */
    void write(@Nullable Object value) throws IOException {
        switch (value) {
            case null -> to.writeNull();
            case String text -> to.writeString(text);
            case Integer number -> to.writeNumber(number);
            case Long number -> to.writeNumber(number);
            case Double number -> to.writeNumber(number);
            case Boolean bool -> to.writeBoolean(bool);
            case Enum<?> constant -> to.writeString(constant.name());
            case Collection<?> elements -> {
                to.writeStartArray();
                for (Object element : elements) {
                    write(element);
                }
                to.writeEndArray();
            }
            case Map<?, ?> entries -> {
                to.writeStartObject();
                for (Map.Entry<?, ?> entry : entries.entrySet()) {
                    to.writeFieldName((String) entry.getKey());
                    write(entry.getValue());
                }
                to.writeEndObject();
            }
            case Record fields -> writeRecord(fields);
            default -> throw new IllegalArgumentException("cannot be written: " + value.getClass());
        }
    }

    private void writeRecord(Record fields) throws IOException {
        Layout layout = layouts.computeIfAbsent(fields.getClass(), Layout::of);
        to.writeStartObject();
        for (int i = 0; i < layout.names.length; i++) {
            Object value;
            try {
                value = layout.accessors[i].invoke(fields);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("a record's accessor failed: " + layout.accessors[i], e);
            }
            if (isIncluded(layout.includes[i], value)) {
                to.writeFieldName(layout.names[i]);
                write(value);
            }
        }
        to.writeEndObject();
    }

    private static boolean isIncluded(JsonInclude.Include include, @Nullable Object value) {
        return switch (include) {
            case ALWAYS -> true;
            case NON_NULL -> value != null;
            case NON_EMPTY -> value != null && !isEmpty(value);
            default -> throw new IllegalArgumentException("not known here: " + include);
        };
    }

    private static boolean isEmpty(Object value) {
        return switch (value) {
            case String text -> text.isEmpty();
            case Collection<?> elements -> elements.isEmpty();
            case Map<?, ?> entries -> entries.isEmpty();
            default -> false;
        };
    }
}
