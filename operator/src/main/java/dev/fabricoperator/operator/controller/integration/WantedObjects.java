/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.operator.model.condition.ConditionDraft;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The objects that one model wants.
 *
 * @param objects in the order in which they are made, each name once; those that are there are changed in the opposite order
 * @param kept Fabrics whose objects stay as they are, since nobody knows now what they should be
 * @param conditions by Fabric, what is to be said of it when everything is written
 */
public record WantedObjects(List<Wanted> objects, Set<String> kept, SortedMap<String, ConditionDraft> conditions) {
    public static final WantedObjects NONE = new WantedObjects(List.of(), Set.of(), new TreeMap<>());

    public WantedObjects {
        objects = List.copyOf(objects);
        if (objects.stream().map(Wanted::name).distinct().count() < objects.size()) {
            // Two of one name would be written in turns, without end.
            throw new IllegalArgumentException("two objects have one name");
        }
        kept = Set.copyOf(kept);
    }

    /**
     * One object.
     *
     * @param fabric that it speaks of
     * @param spec as it stands in JSON
     */
    public record Wanted(String name, String fabric, Map<String, Object> spec) {
        /** Without a walk over the spec. */
        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    /** Without a walk over the objects. */
    @Override
    public int hashCode() {
        return objects.size();
    }
}
