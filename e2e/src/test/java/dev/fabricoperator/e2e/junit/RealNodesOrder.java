/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/**
 * Keeps both clusters of {@link OnRealNodes} in use, and no thread waiting for one. JUnit's first thread begins at the end of the order and the others at its beginning.
 * Half of these classes are last, so that the first thread runs one after the other; the other half is spread evenly over the classes without nodes, so that one of the
 * other threads is at one of them most of the time.
 */
public final class RealNodesOrder implements ClassOrderer {
    @Override
    public void orderClasses(ClassOrdererContext context) {
        List<ClassDescriptor> onNodes = new ArrayList<>();
        List<ClassDescriptor> others = new ArrayList<>();
        context.getClassDescriptors()
                .forEach(type -> (type.isAnnotated(OnRealNodes.class) ? onNodes : others).add(type));
        Map<ClassDescriptor, Double> places = new HashMap<>();
        for (int i = 0; i < others.size(); i++) {
            places.put(others.get(i), (double) i);
        }
        for (int i = 0; i < onNodes.size(); i++) {
            boolean last = i % 2 == 1;
            // Half a place before the class that it stands in front of.
            places.put(
                    onNodes.get(i), last ? (double) others.size() : (double) i * others.size() / onNodes.size() - 0.5);
        }
        context.getClassDescriptors().sort(Comparator.comparing(places::get));
    }
}
