/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import org.jspecify.annotations.Nullable;

/**
 * What a pod's own metadata say of its place, before anybody has asked the owner.
 *
 * @param app name of the app, {@code null} where an owner has only one
 * @param jobIndex which of the app's Jobs, 0 where there is only one
 * @param podIndex completion index in that Job
 */
public record Claim(OwnerRef owner, @Nullable String app, int jobIndex, int podIndex) {}
