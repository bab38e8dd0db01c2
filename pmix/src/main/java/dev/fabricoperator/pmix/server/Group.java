/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import java.util.List;

/**
 * Processes that construct or destruct a group.
 *
 * @param id bytes, each as one character of ISO 8859-1
 * @param construct false for the group's end
 * @param localOnly all members are clients of this server
 * @param wantsContextId PMIX_GROUP_ASSIGN_CONTEXT_ID
 * @param data of this server's members for all others, opaque, possibly empty
 * @param status 0; another one where a local member is gone that has not called (PMIX_LOCAL_COLLECTIVE_STATUS)
 * @param timeoutSeconds 0 for none
 * @see "PMIx Standard, chapter Process Sets and Groups"
 */
public record Group(
        String id,
        boolean construct,
        boolean localOnly,
        boolean wantsContextId,
        List<Proc> members,
        byte[] data,
        int status,
        int timeoutSeconds) {
    /** No context id was asked for. */
    public static final long NO_CONTEXT_ID = -1;

    /**
     * A group that is constructed.
     *
     * @param members each by its rank, ascending
     * @param contextId unique in the job, or {@link #NO_CONTEXT_ID}
     * @param data every server's, one behind the other, in one order on all servers
     */
    public record Constructed(List<Proc> members, long contextId, byte[] data) {}
}
