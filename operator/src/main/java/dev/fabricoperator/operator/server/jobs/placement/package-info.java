/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What a job map says of devices and of the fabric, from the model that this server has. */
@NullMarked
package dev.fabricoperator.operator.server.jobs.placement;

import org.jspecify.annotations.NullMarked;
