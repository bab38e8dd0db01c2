/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The custom resources of {@code fabric-operator.dev/v1alpha1}. The schemas in config/crd are generated from these types. */
@NullMarked
package dev.fabricoperator.crds;

import org.jspecify.annotations.NullMarked;
