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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Gives the tests of a class a {@code RealCluster} of three real nodes with the operator deployed, as a parameter. One serves all such classes, since its start
 * takes as long as many tests: a test leaves it as it found it. The classes run one after the other, beside those of other kinds.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RealNodesExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
public @interface OnRealNodes {}
