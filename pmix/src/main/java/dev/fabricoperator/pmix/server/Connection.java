/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import java.util.List;

/**
 * Processes that connect or disconnect.
 *
 * @param connect false for PMIx_Disconnect
 * @param participants as the callers gave them; a WILDCARD rank stands for the whole namespace
 * @param status 0; another one where a local participant is gone that has not called (PMIX_LOCAL_COLLECTIVE_STATUS)
 * @param timeoutSeconds 0 for none
 */
public record Connection(boolean connect, List<Proc> participants, int status, int timeoutSeconds) {}
