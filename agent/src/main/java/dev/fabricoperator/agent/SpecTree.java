/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records of the custom resources as JSON trees, with the names and omissions of their annotations: absent and empty
 * components are left out.
 *
 * <p>Only what those records use is understood; a test compares with the data binding that the operator uses.
 */
final class SpecTree {

    private SpecTree() {}

    static Map<String, Object> of(Record specification) {
        Map<String, Object> tree = new LinkedHashMap<>();
        for (RecordComponent component : specification.getClass().getRecordComponents()) {
            Object value = value(read(specification, component));
            if (value != null && !(value instanceof List<?> list && list.isEmpty())) {
                tree.put(name(specification, component), value);
            }
        }
        return tree;
    }

    private static @Nullable Object value(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case Record nested -> of(nested);
            case Enum<?> constant -> constant.name();
            case Integer number -> number.longValue();
            case List<?> list -> {
                List<Object> values = new ArrayList<>();
                for (Object element : list) {
                    Object converted = value(element);
                    if (converted != null) {
                        values.add(converted);
                    }
                }
                yield values;
            }
            case String text -> text.isEmpty() ? null : text;
            default -> value;
        };
    }

    private static String name(Record specification, RecordComponent component) {
        try {
            JsonProperty property = specification
                    .getClass()
                    .getDeclaredField(component.getName())
                    .getAnnotation(JsonProperty.class);
            return property == null || property.value().isEmpty() ? component.getName() : property.value();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("a record has a field for each component", e);
        }
    }

    private static @Nullable Object read(Record specification, RecordComponent component) {
        try {
            return component.getAccessor().invoke(specification);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }
}
