/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a {@code RealCluster} of three real nodes with the operator deployed, as a parameter: to itself while the class runs, then another
 * class gets it, since its start takes as long as many tests. So a test leaves it as it found it. There are two at most.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RealNodesExtension.class)
public @interface OnRealNodes {}
