/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What an administrator should look at: the wiring as it is against the pattern that it shows. */
@org.jspecify.annotations.NullMarked
package dev.fabricoperator.fabric.finding;
