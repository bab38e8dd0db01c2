/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.Connection;
import dev.fabricoperator.pmix.server.Group;
import dev.fabricoperator.pmix.server.JobToken;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Published.Datum;
import dev.fabricoperator.pmix.server.Published.Publication;
import dev.fabricoperator.pmix.server.Published.Search;
import dev.fabricoperator.pmix.server.TrafficMonitor;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What processes ask of their job beyond fences: connections, groups, published data, lines for the log. A class of its own,
 * since most jobs never ask and start without it.
 */
final class JobUpcalls {
    /** PMIX_RANGE_SESSION, PMIX_PERSIST_APP: the standard's defaults. */
    private static final int SESSION = 4;

    private static final int UNTIL_THE_APP_ENDS = 3;

    private static final String CREDENTIAL = "credential";
    private static final int GROUP_ID_LIMIT = 1024;
    /** Lines of {@code PMIx_Log} are cut here. */
    private static final int LINE_LIMIT = 4 * 1024;
    /** The library's own timer of a connect started before the host was called. */
    private static final long TIMER_MARGIN_NANOS = 100_000_000;

    private final Native calls;
    private final PmixHost host;
    private final ServerModule module;

    JobUpcalls(Native calls, PmixHost host, ServerModule module) {
        this.calls = calls;
        this.host = host;
        this.module = module;
    }

    /**
     * Where the callers gave a timeout to PMIx_Connect, 5.0.7 frees what the answer would point to when it has passed, and
     * answers by itself: later than that nothing must be answered here.
     */
    long connect(boolean connect, List<Proc> participants, long infos, long count, long callback, long callbackData) {
        int seconds = 0;
        int status = PmixStatus.PMIX_SUCCESS;
        for (InfoView info : InfoView.array(infos, count)) {
            if (connect && info.key().equals(PMIX_TIMEOUT)) {
                seconds = info.seconds();
            } else if (info.key().equals(PMIX_LOCAL_COLLECTIVE_STATUS)) {
                status = (int) info.number();
            }
        }
        CReply.Done reply = new CReply.Done(calls, callback, callbackData);
        if (seconds > 0) {
            reply.expire(System.nanoTime() + seconds * 1_000_000_000L - TIMER_MARGIN_NANOS);
        }
        host.connect(new Connection(connect, participants, status, seconds), reply);
        return PmixStatus.PMIX_SUCCESS;
    }

    /**
     * Never refused by its result: of several callers 5.0.7 would then answer one. A destruct of local members is told to be
     * done at once, since 5.0.7 asks a second time for what is under way.
     */
    long group(int operation, long id, List<Proc> members, long infos, long count, long callback, long callbackData) {
        boolean construct = operation == 0;
        boolean localOnly = false;
        boolean wantsContextId = false;
        boolean addsMembers = false;
        int status = PmixStatus.PMIX_SUCCESS;
        int seconds = 0;
        byte[] data = {};
        for (InfoView info : InfoView.array(infos, count)) {
            switch (info.key()) {
                case PMIX_GROUP_LOCAL_ONLY -> localOnly |= info.isTrue();
                case PMIX_GROUP_ASSIGN_CONTEXT_ID -> wantsContextId |= info.isTrue();
                case PMIX_GROUP_ADD_MEMBERS -> addsMembers = true;
                case PMIX_TIMEOUT -> seconds = Math.max(seconds, info.seconds());
                case PMIX_GROUP_ENDPT_DATA -> data = info.byteObject();
                // There is one of each caller.
                case PMIX_LOCAL_COLLECTIVE_STATUS -> status = status == 0 ? (int) info.number() : status;
                default -> {}
            }
        }
        if (!construct && localOnly) {
            return PmixStatus.PMIX_OPERATION_SUCCEEDED;
        }
        GroupReply reply = new GroupReply(module, calls, callback, callbackData);
        if (addsMembers) {
            host.refused(members.getFirst(), "PMIx_Group_construct with PMIX_GROUP_ADD_MEMBERS: name all members");
            reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
            return PmixStatus.PMIX_SUCCESS;
        }
        host.group(
                new Group(
                        InfoView.bytesOf(id, GROUP_ID_LIMIT),
                        construct,
                        localOnly,
                        wantsContextId,
                        members,
                        data,
                        status,
                        seconds),
                reply);
        return PmixStatus.PMIX_SUCCESS;
    }

    /**
     * What all ranks of an attempt are given, and nobody else: a tool, or a process of another job, has none.
     *
     * @param map of the job that is served, {@code null} without
     */
    long credential(Proc proc, @Nullable JobMap map, long infos, long count, long callback, long callbackData) {
        if (map == null || !proc.nspace().equals(map.nspace())) {
            host.refused(proc, "PMIx_Get_credential: only ranks of the job have a credential");
            return PmixStatus.PMIX_ERR_NO_PERMISSIONS;
        }
        for (InfoView info : InfoView.array(infos, count)) {
            if (info.key().equals(PMIX_CRED_TYPE)) {
                host.refused(proc, "PMIx_Get_credential with PMIX_CRED_TYPE: there is one type, which has no name");
                return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
            }
        }
        byte[] token = JobToken.of(map, CREDENTIAL);
        try (NativeBlock block = new NativeBlock(calls, 2 * Long.BYTES + token.length)) {
            NativeBlock.Part object = block.part(2 * Long.BYTES);
            object.buffer().putLong(object.offset(), block.bytes(token));
            object.buffer().putLong(object.offset() + Long.BYTES, token.length);
            calls.call(
                    new Native.Function(callback), PmixStatus.PMIX_SUCCESS, object.address(), 0, 0, callbackData, 0, 0);
        }
        return PmixStatus.PMIX_SUCCESS;
    }

    /** Whether a credential, of which {@code object} is the address, is that of the caller's own attempt. */
    long validate(Proc proc, @Nullable JobMap map, long object, long callback, long callbackData) {
        if (map == null || !proc.nspace().equals(map.nspace())) {
            host.refused(proc, "PMIx_Validate_credential: only ranks of the job may ask");
            return PmixStatus.PMIX_ERR_NO_PERMISSIONS;
        }
        ByteBuffer given = Native.view(object, 2 * Long.BYTES);
        byte[] token = JobToken.of(map, CREDENTIAL);
        // Of the same length first: what is longer is not copied.
        int difference = given.getLong(Long.BYTES) == token.length ? 0 : 1;
        if (difference == 0) {
            byte[] bytes = Native.bytes(given.getLong(0), token.length);
            for (int i = 0; i < token.length; i++) {
                difference |= bytes[i] ^ token[i];
            }
        }
        if (difference != 0) {
            return PmixStatus.PMIX_ERR_INVALID_CRED;
        }
        calls.call(new Native.Function(callback), PmixStatus.PMIX_SUCCESS, 0, 0, callbackData, 0, 0, 0);
        return PmixStatus.PMIX_SUCCESS;
    }

    long publish(Proc proc, long infos, long count, long callback, long callbackData) {
        int range = SESSION;
        int persistence = UNTIL_THE_APP_ENDS;
        List<Datum> data = new ArrayList<>();
        for (InfoView info : InfoView.array(infos, count)) {
            switch (info.key()) {
                case PMIX_RANGE -> range = (int) info.number();
                case PMIX_PERSISTENCE -> persistence = (int) info.number();
                case PMIX_USERID, PMIX_GRPID, PMIX_TIMEOUT -> {}
                default -> data.add(new Datum(info.key(), PackedValue.pack(calls, info.value())));
            }
        }
        host.publish(proc, new Publication(range, persistence, data), new CReply.Done(calls, callback, callbackData));
        return PmixStatus.PMIX_SUCCESS;
    }

    long lookup(Proc proc, long keys, long infos, long count, long callback, long callbackData) {
        List<String> wantedKeys = strings(keys);
        int range = SESSION;
        int wanted = 0;
        int seconds = 0;
        for (InfoView info : InfoView.array(infos, count)) {
            switch (info.key()) {
                case PMIX_RANGE -> range = (int) info.number();
                case PMIX_WAIT -> wanted = wanted(info, wantedKeys.size());
                case PMIX_TIMEOUT -> seconds = info.seconds();
                default -> {
                    if (info.isRequired()) {
                        return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
                    }
                }
            }
        }
        host.lookup(
                proc,
                new Search(range, wantedKeys, wanted, seconds),
                new LookupReply(module, calls, callback, callbackData));
        return PmixStatus.PMIX_SUCCESS;
    }

    /** The standard's is a number, 0 for all; Open MPI gives a boolean. */
    private static int wanted(InfoView wait, int keys) {
        if (wait.is(PmixType.BOOL) || wait.is(PmixType.UNDEF)) {
            return wait.isTrue() ? keys : 0;
        }
        long number = wait.number();
        return number <= 0 || number > keys ? keys : (int) number;
    }

    long unpublish(Proc proc, long keys, long infos, long count, long callback, long callbackData) {
        int range = SESSION;
        for (InfoView info : InfoView.array(infos, count)) {
            if (info.key().equals(PMIX_RANGE)) {
                range = (int) info.number();
            }
        }
        host.unpublish(proc, range, strings(keys), new CReply.Done(calls, callback, callbackData));
        return PmixStatus.PMIX_SUCCESS;
    }

    long log(Proc proc, long infos, long count, long callback, long callbackData) {
        List<String> lines = new ArrayList<>();
        for (InfoView info : InfoView.array(infos, count)) {
            String channel = channel(info.key());
            if (channel != null) {
                lines.add(channel + info.text(LINE_LIMIT));
            }
        }
        CReply.Done reply = new CReply.Done(calls, callback, callbackData);
        host.log(proc, lines, reply);
        return 0;
    }

    /** Of what the library has no sensor for: none, since pmixd's environment leaves its sensors out. */
    long monitor(Proc proc, long monitor, int code, long infos, long count, long callback, long callbackData) {
        InfoView wanted = InfoView.array(monitor, 1)[0];
        MonitorReply reply = new MonitorReply(module, calls, callback, callbackData);
        if (wanted.key().equals(PMIX_MONITOR_CANCEL)) {
            host.cancelMonitor(proc, wanted.text(Layout.MAX_KEYLEN), reply);
            return PmixStatus.PMIX_SUCCESS;
        }
        if (!wanted.key().equals(TrafficMonitor.KEY)) {
            host.refused(proc, "PMIx_Process_monitor of " + wanted.key() + ": only " + TrafficMonitor.KEY + " is");
            return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
        }
        String id = "";
        int seconds = 0;
        for (InfoView info : InfoView.array(infos, count)) {
            switch (info.key()) {
                case PMIX_MONITOR_ID -> id = info.text(Layout.MAX_KEYLEN);
                case TrafficMonitor.RATE -> seconds = info.seconds();
                default -> {
                    if (info.isRequired()) {
                        return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
                    }
                }
            }
        }
        if (seconds < 1) {
            host.refused(proc, "PMIx_Process_monitor without " + TrafficMonitor.RATE + ": seconds, 1 at least");
            return PmixStatus.PMIX_ERR_BAD_PARAM;
        }
        int event = code == PmixStatus.PMIX_SUCCESS ? PmixStatus.TRAFFIC_REPORT : code;
        host.monitor(proc, new TrafficMonitor(id, event, seconds), reply);
        return PmixStatus.PMIX_SUCCESS;
    }

    /**
     * Answered on the library's thread after what it has to do by then, so that no report of a monitor comes after the answer to its cancellation: an event that was
     * handed to the library before waits there in the same order.
     */
    private static final class MonitorReply extends CReply<Void> {
        private final ServerModule module;

        MonitorReply(ServerModule module, Native calls, long function, long callbackData) {
            super(calls, function, callbackData);
            this.module = module;
        }

        @Override
        void deliver(Native.Function target, int status, @Nullable Void value) {
            module.onLibraryThread(() -> calls.call(target, status, 0, 0, callbackData, 0, 0, 0));
        }
    }

    private static @Nullable String channel(String key) {
        return switch (key) {
            case PMIX_LOG_STDOUT -> "stdout: ";
            case PMIX_LOG_STDERR -> "stderr: ";
            case PMIX_LOG_SYSLOG, PMIX_LOG_LOCAL_SYSLOG, PMIX_LOG_GLOBAL_SYSLOG -> "syslog: ";
            default -> null;
        };
    }

    /** Of an array of C strings that ends with NULL, or is NULL itself. */
    static List<String> strings(long address) {
        List<String> strings = new ArrayList<>();
        if (address != 0) {
            long at = address;
            long next = Native.view(at, Long.BYTES).getLong(0);
            while (next != 0) {
                strings.add(InfoView.bytesOf(next, Layout.MAX_KEYLEN));
                at += Long.BYTES;
                next = Native.view(at, Long.BYTES).getLong(0);
            }
        }
        return strings;
    }
}
