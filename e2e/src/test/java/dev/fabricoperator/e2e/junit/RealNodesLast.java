/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import java.util.Comparator;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/**
 * Puts the classes of {@link OnRealNodes} last. JUnit's first thread begins at the end of the order and the others at its beginning: so these classes run one after
 * the other on one cluster, until the others are through and help with a second one.
 */
public final class RealNodesLast implements ClassOrderer {
    @Override
    public void orderClasses(ClassOrdererContext context) {
        context.getClassDescriptors()
                .sort(Comparator.comparing((ClassDescriptor type) -> type.isAnnotated(OnRealNodes.class)));
    }
}
