/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** HTTPS in front of the assemblies: who calls, who answers, and answers that wait. */
@NullMarked
package dev.fabricoperator.operator.server.jobs.service;

import org.jspecify.annotations.NullMarked;
