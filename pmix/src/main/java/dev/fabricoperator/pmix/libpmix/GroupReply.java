/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_GROUP_CONTEXT_ID;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_GROUP_ENDPT_DATA;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_GROUP_MEMBERSHIP;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.Group;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a group's construct or destruct:
 *
 * <pre>
 * void (*pmix_info_cbfunc_t)(pmix_status_t status, pmix_info_t info[], size_t ninfo, void *cbdata,
 *                            pmix_release_cbfunc_t release_fn, void *release_cbdata)
 * </pre>
 *
 * What it points to lives until the release function is called, but for the members' data, which the library frees when it
 * has read it.
 */
final class GroupReply extends CReply<Group.Constructed> {
    private static final int FIRST_CHUNK = 4 * 1024;

    private final ServerModule module;

    GroupReply(ServerModule module, Native calls, long function, long callbackData) {
        super(calls, function, callbackData);
        this.module = module;
    }

    @Override
    void deliver(Native.Function target, int status, Group.@Nullable Constructed group) {
        if (group == null) {
            calls.call(target, status, 0, 0, callbackData, 0, 0, 0);
            return;
        }
        NativeBlock block = new NativeBlock(calls, FIRST_CHUNK);
        InfoArray infos = block.infos(3);
        infos.array(PMIX_GROUP_MEMBERSHIP, PmixType.PROC, group.members().size(), procs(block, group.members()));
        if (group.contextId() != Group.NO_CONTEXT_ID) {
            infos.size(PMIX_GROUP_CONTEXT_ID, group.contextId());
        }
        byte[] data = group.data();
        if (data.length > 0) {
            long copy = calls.allocate(data.length);
            Native.view(copy, data.length).put(data);
            infos.byteObject(PMIX_GROUP_ENDPT_DATA, copy, data.length);
        }
        calls.call(
                target,
                status,
                infos.address(),
                infos.size(),
                callbackData,
                module.released(),
                module.ticket(block),
                0);
    }

    private static long procs(NativeBlock block, List<Proc> members) {
        NativeBlock.Part part = block.part(members.size() * Layout.PROC_SIZE);
        for (int i = 0; i < members.size(); i++) {
            block.putProc(
                    part,
                    i * Layout.PROC_SIZE,
                    members.get(i).nspace(),
                    members.get(i).rank());
        }
        return part.address();
    }
}
