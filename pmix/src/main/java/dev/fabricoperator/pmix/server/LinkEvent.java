/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

/**
 * That a link which ranks of this server use may be about to fail, or is well again.
 *
 * @param code {@link dev.fabricoperator.protocol.pmix.PmixStatus#LINK_IMPAIRED} or {@code LINK_RESTORED}
 * @param first of the ranks that use it, PMIX_EVENT_AFFECTED_PROCS
 * @param ranks how many they are, which follow one another
 * @param deviceId PMIX_DEVICE_ID
 * @param text PMIX_EVENT_TEXT_MESSAGE
 */
public record LinkEvent(int code, Proc first, int ranks, String deviceId, String text) {}
