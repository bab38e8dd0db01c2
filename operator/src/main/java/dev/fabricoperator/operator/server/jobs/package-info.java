/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The job service: pods of one job find each other here, and every rank learns of all others. */
@NullMarked
package dev.fabricoperator.operator.server.jobs;

import org.jspecify.annotations.NullMarked;
