/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_COLLECT_DATA;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_EVENT_TEXT_MESSAGE;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_LOCAL_COLLECTIVE_STATUS;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_NSPACE;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_QUERY_RESOLVE_NODE;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_QUERY_RESOLVE_PEERS;
import static dev.fabricoperator.protocol.pmix.PmixKeys.PMIX_RANK;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * {@code pmix_server_module_t} and the other functions that libpmix calls. All of them run on its progress thread; what
 * they are given is copied before they return, and nothing thrown leaves them.
 */
final class ServerModule {
    private static final int FINALIZED = 0;
    private static final int ABORT = 1;
    private static final int FENCE = 2;
    private static final int DIRECT_MODEX = 3;
    private static final int SPAWN = 4;
    private static final int REGISTER_EVENTS = 5;
    private static final int DEREGISTER_EVENTS = 6;
    private static final int NOTIFY_EVENT = 7;
    private static final int QUERY = 8;
    private static final int CONNECTED = 9;
    private static final int CONNECT = 10;
    private static final int DISCONNECT = 11;
    private static final int GROUP = 12;
    private static final int PUBLISH = 13;
    private static final int LOOKUP = 14;
    private static final int UNPUBLISH = 15;
    private static final int LOG = 16;
    private static final int FABRIC = 17;
    private static final int TOOL_CONNECTED = 18;
    private static final int GET_CREDENTIAL = 19;
    private static final int VALIDATE_CREDENTIAL = 20;
    private static final int MONITOR = 21;
    private static final int MODEX_RESPONSE = 22;
    private static final int OPERATION_DONE = 23;
    private static final int RELEASED = 24;
    private static final int TASK = 25;

    /** Where each operation up to MONITOR stands in {@code pmix_server_module_t}. */
    private static final int[] OFFSETS = {
        Layout.MODULE_CLIENT_FINALIZED,
        Layout.MODULE_ABORT,
        Layout.MODULE_FENCE_NB,
        Layout.MODULE_DIRECT_MODEX,
        Layout.MODULE_SPAWN,
        Layout.MODULE_REGISTER_EVENTS,
        Layout.MODULE_DEREGISTER_EVENTS,
        Layout.MODULE_NOTIFY_EVENT,
        Layout.MODULE_QUERY,
        Layout.MODULE_CLIENT_CONNECTED2,
        Layout.MODULE_CONNECT,
        Layout.MODULE_DISCONNECT,
        Layout.MODULE_GROUP,
        Layout.MODULE_PUBLISH,
        Layout.MODULE_LOOKUP,
        Layout.MODULE_UNPUBLISH,
        Layout.MODULE_LOG,
        Layout.MODULE_FABRIC,
        Layout.MODULE_TOOL_CONNECTED,
        Layout.MODULE_GET_CREDENTIAL,
        Layout.MODULE_VALIDATE_CREDENTIAL,
        Layout.MODULE_MONITOR
    };

    private static final int TEXT_LIMIT = 16 * 1024;
    private static final Set<String> RESOLVED_BY_THE_LIBRARY =
            Set.of(PMIX_QUERY_RESOLVE_PEERS, PMIX_QUERY_RESOLVE_NODE);

    private final Native calls;
    private final PmixHost host;
    private final AcceptQueue accepted;
    private final String serverNspace;
    private final AtomicLong lastTicket = new AtomicLong();
    private final Map<Long, Reply<byte[]>> modexRequests = new ConcurrentHashMap<>();
    private final Set<CReply.DirectModex> open = ConcurrentHashMap.newKeySet();
    private final Map<Long, NativeBlock> operations = new ConcurrentHashMap<>();
    private final Queue<Operation> pointers = new ConcurrentLinkedQueue<>();
    private final Map<Long, Runnable> tasks = new ConcurrentHashMap<>();
    private final Queue<String> tools = new ConcurrentLinkedQueue<>();
    private final LocalProcesses processes = new LocalProcesses();
    private volatile @Nullable ServedJob served;
    /** The library's own, once it has called. */
    private volatile @Nullable Thread libraryThread;

    private @Nullable JobUpcalls jobUpcalls;
    private long released;
    private long task;

    /**
     * @param accepted from which the library has its connections
     * @param serverNspace of the server itself
     */
    ServerModule(Native calls, PmixHost host, AcceptQueue accepted, String serverNspace) {
        this.calls = calls;
        this.host = host;
        this.accepted = accepted;
        this.serverNspace = serverNspace;
    }

    /** Writes the module into zeroed memory; it must live as long as the server. */
    long write(NativeBlock block) {
        NativeBlock.Part module = block.part(Layout.MODULE_ROOM);
        for (int operation = 0; operation < OFFSETS.length; operation++) {
            module.buffer().putLong(module.offset() + OFFSETS[operation], pointer(operation));
        }
        return module.address();
    }

    /** {@code pmix_dmodex_response_fn_t} that answers the request of a ticket. */
    long modexResponse() {
        return pointer(MODEX_RESPONSE);
    }

    /** {@code pmix_op_cbfunc_t} that frees the block of a ticket. */
    long operationDone() {
        return pointer(OPERATION_DONE);
    }

    /** {@code pmix_release_cbfunc_t} that frees the block of a ticket. Made at first use, as {@link #onLibraryThread}'s is. */
    synchronized long released() {
        if (released == 0) {
            released = pointer(RELEASED);
        }
        return released;
    }

    /** Runs on the library's thread, after what that has to do now: the library registers no resources and says so there. */
    void onLibraryThread(Runnable work) {
        long ticket = lastTicket.incrementAndGet();
        tasks.put(ticket, work);
        calls.call(calls.function("PMIx_server_register_resources"), 0, 0, taskPointer(), ticket, 0, 0, 0);
    }

    private synchronized long taskPointer() {
        if (task == 0) {
            task = pointer(TASK);
        }
        return task;
    }

    /** The cbdata of a modex request. */
    long ticket(Reply<byte[]> reply) {
        long ticket = lastTicket.incrementAndGet();
        modexRequests.put(ticket, reply);
        return ticket;
    }

    /** The cbdata of an operation whose arguments lie in {@code block}. */
    long ticket(NativeBlock block) {
        long ticket = lastTicket.incrementAndGet();
        operations.put(ticket, block);
        return ticket;
    }

    /** @param done runs on the library's thread when it has done the operation, and not if it refuses that */
    long ticket(NativeBlock block, Runnable done) {
        long ticket = ticket(block);
        tasks.put(ticket, done);
        return ticket;
    }

    /** The library has done an operation. */
    void done(long ticket) {
        Runnable done = tasks.remove(ticket);
        withdraw(ticket);
        if (done != null) {
            done.run();
        }
    }

    /** The library has not taken the request: its callback will not come. */
    void withdraw(long ticket) {
        modexRequests.remove(ticket);
        tasks.remove(ticket);
        NativeBlock block = operations.remove(ticket);
        if (block != null) {
            block.close();
        }
    }

    /**
     * A namespace has been deregistered: libpmix has freed its pending direct modexes, also those that have come here since the host was asked to end
     * the ranks. An answer to one of them locks freed memory, and the library's thread stands still for good (5.0.7, pmix_pending_resolve).
     */
    void forget(String nspace) {
        ServedJob job = served;
        if (job != null && job.map().nspace().equals(nspace)) {
            served = null;
            processes.clear();
        }
        for (CReply.DirectModex reply : open) {
            if (reply.nspace().equals(nspace)) {
                reply.withdraw();
                open.remove(reply);
            }
        }
    }

    private long pointer(int operation) {
        Operation called = new Operation(this, operation);
        pointers.add(called);
        return Native.pointer(called);
    }

    /** The library has ended: it calls nothing any more. */
    void close() {
        pointers.forEach(Native::release);
        pointers.clear();
    }

    /**
     * A job whose clients may ask.
     *
     * @param pod index in the map of the pod that this server is in
     */
    private record ServedJob(JobMap map, int pod) {}

    void serve(JobMap map, int pod) {
        served = new ServedJob(map, pod);
    }

    LocalProcesses processes() {
        return processes;
    }

    /** One function of the module: an object instead of a bound number, which would be one more class to make at start. */
    private static final class Operation extends Native.Upcall {
        private final ServerModule module;
        private final int operation;

        Operation(ServerModule module, int operation) {
            this.module = module;
            this.operation = operation;
        }

        @Override
        public long call(long a, long b, long c, long d, long e, long f, long g, long h) {
            return module.call(operation, a, b, c, d, e, f, g, h);
        }
    }

    boolean isLibraryThread() {
        return Thread.currentThread() == libraryThread;
    }

    private long call(int operation, long a, long b, long c, long d, long e, long f, long g, long h) {
        if (libraryThread == null) {
            libraryThread = Thread.currentThread();
        }
        try {
            return switch (operation) {
                case CONNECTED -> connected(a);
                case FINALIZED -> finalized(a);
                case ABORT -> abort(a, (int) c, d, e, f, g, h);
                case FENCE -> fence(a, b, c, d, e, f, g, h);
                case DIRECT_MODEX -> directModex(a, d, e);
                case SPAWN -> spawn(a);
                case CONNECT -> jobUpcalls().connect(true, procs(a, b), c, d, e, f);
                case DISCONNECT -> jobUpcalls().connect(false, procs(a, b), c, d, e, f);
                case GROUP -> jobUpcalls().group((int) a, b, procs(c, d), e, f, g, h);
                case PUBLISH -> jobUpcalls().publish(proc(a), b, c, d, e);
                case LOOKUP -> jobUpcalls().lookup(proc(a), b, c, d, e, f);
                case UNPUBLISH -> jobUpcalls().unpublish(proc(a), b, c, d, e, f);
                case GET_CREDENTIAL -> jobUpcalls().credential(proc(a), map(), b, c, d, e);
                case VALIDATE_CREDENTIAL -> jobUpcalls().validate(proc(a), map(), b, e, f);
                case MONITOR -> jobUpcalls().monitor(proc(a), b, (int) c, d, e, f, g);
                case FABRIC -> fabric((int) b, c, d, e, f);
                case TOOL_CONNECTED -> toolConnected(a, b, c, d);
                case LOG -> jobUpcalls().log(proc(a), b, c, f, g);
                case NOTIFY_EVENT -> event((int) a, b, d, e);
                case QUERY -> query(a, b, c, d, e);
                // Every event of the surroundings is delivered without being asked for.
                case REGISTER_EVENTS, DEREGISTER_EVENTS -> PmixStatus.PMIX_OPERATION_SUCCEEDED;
                case MODEX_RESPONSE -> modexResponse((int) a, b, c, d);
                case OPERATION_DONE -> operationDone(b);
                case RELEASED -> operationDone(a);
                case TASK -> task(b);
                default -> PmixStatus.PMIX_ERR_NOT_SUPPORTED;
            };
        } catch (Throwable thrown) {
            // Left to C it would end the process.
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
            return PmixStatus.PMIX_ERROR;
        }
    }

    /** Only the library's thread asks. */
    private JobUpcalls jobUpcalls() {
        if (jobUpcalls == null) {
            jobUpcalls = new JobUpcalls(calls, host, this);
        }
        return jobUpcalls;
    }

    private long task(long ticket) {
        Runnable work = tasks.remove(ticket);
        if (work != null) {
            work.run();
        }
        return 0;
    }

    private long connected(long proc) {
        Proc client = proc(proc);
        processes.connected(client.rank());
        host.connected(client);
        return PmixStatus.PMIX_OPERATION_SUCCEEDED;
    }

    /**
     * Never refused, since 5.0.7 would take a tool that it has not listed from its list; who may connect is decided before. A tool that
     * has given itself a name keeps it.
     */
    private long toolConnected(long infos, long count, long callback, long callbackData) {
        String nspace = "tool." + lastTicket.incrementAndGet();
        int rank = 0;
        for (InfoView info : InfoView.array(infos, count)) {
            switch (info.key()) {
                case PMIX_NSPACE -> nspace = info.text(Layout.MAX_NSLEN);
                case PMIX_RANK -> rank = (int) info.number();
                default -> {}
            }
        }
        tools.add(nspace);
        accepted.nameTool(nspace, rank);
        try (NativeBlock block = new NativeBlock(calls, Layout.INFO_SIZE)) {
            calls.call(new Native.Function(callback), PmixStatus.PMIX_SUCCESS, block.proc(nspace, rank), callbackData);
        }
        return 0;
    }

    /** The namespace of a tool that has connected and is not forgotten yet; {@code null} if there is none. */
    @Nullable
    String nextTool() {
        return tools.poll();
    }

    /**
     * Answered at once, on the library's thread. From another one 5.0.7 sends the answer first and notes then that the client has finalized
     * (op_cbfunc2): a client that is gone in between counts as lost, its pod has a local process less, and no fence of the
     * rank's next program completes.
     */
    private long finalized(long proc) {
        Proc client = proc(proc);
        processes.finalized(client.rank());
        host.finalized(client);
        return PmixStatus.PMIX_OPERATION_SUCCEEDED;
    }

    private long abort(long proc, int status, long text, long procs, long count, long callback, long callbackData) {
        host.abort(
                proc(proc),
                status,
                Native.string(text, TEXT_LIMIT),
                procs(procs, count),
                new CReply.Done(calls, callback, callbackData));
        return PmixStatus.PMIX_SUCCESS;
    }

    private long fence(
            long procs,
            long count,
            long infos,
            long infoCount,
            long data,
            long size,
            long callback,
            long callbackData) {
        boolean collect = false;
        int status = 0;
        for (long i = 0; i < infoCount; i++) {
            ByteBuffer info = Native.view(infos + i * Layout.INFO_SIZE, Layout.INFO_SIZE);
            String key = key(infos, i);
            if (key.equals(PMIX_LOCAL_COLLECTIVE_STATUS)) {
                status = info.getInt(Layout.INFO_DATA);
            } else if (key.equals(PMIX_COLLECT_DATA)) {
                // A directive without a value is true.
                collect = info.getShort(Layout.INFO_TYPE) != PmixType.BOOL.code() || info.get(Layout.INFO_DATA) != 0;
            }
        }
        // The library leaves the data to the host, and copies nothing of it later.
        byte[] copy = Native.bytes(data, data == 0 ? 0 : size);
        if (data != 0) {
            calls.free(data);
        }
        host.fence(procs(procs, count), collect, status, copy, new CReply.Modex(calls, callback, callbackData));
        return PmixStatus.PMIX_SUCCESS;
    }

    private long directModex(long proc, long callback, long callbackData) {
        Proc asked = proc(proc);
        CReply.DirectModex reply = new CReply.DirectModex(calls, callback, callbackData, open, asked.nspace());
        open.add(reply);
        host.directModex(asked, reply);
        return PmixStatus.PMIX_SUCCESS;
    }

    private long spawn(long proc) {
        host.unsupported(proc(proc), PmixHost.spawnRefusal("PMIx_Spawn"));
        return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
    }

    private long event(int code, long source, long infos, long infoCount) {
        if (source != 0 && proc(source).nspace().equals(serverNspace)) {
            // The host's own, of which the library tells it where the event is for one process alone.
            return PmixStatus.PMIX_OPERATION_SUCCEEDED;
        }
        String text = null;
        for (long i = 0; i < infoCount; i++) {
            if (key(infos, i).equals(PMIX_EVENT_TEXT_MESSAGE)) {
                ByteBuffer info = Native.view(infos + i * Layout.INFO_SIZE, Layout.INFO_SIZE);
                if (info.getShort(Layout.INFO_TYPE) == PmixType.STRING.code()) {
                    text = Native.string(info.getLong(Layout.INFO_DATA), TEXT_LIMIT);
                }
            }
        }
        host.event(code, source == 0 ? null : proc(source), text);
        return PmixStatus.PMIX_OPERATION_SUCCEEDED;
    }

    private @Nullable JobMap map() {
        ServedJob job = served;
        return job == null ? null : job.map();
    }

    /** What the library does not answer by itself from the job's values, and before those what it asks its host first. */
    private long query(long proc, long queries, long count, long callback, long callbackData) {
        ServedJob job = served;
        List<String> refused = new ArrayList<>();
        long status = job == null
                ? PmixStatus.PMIX_ERR_NOT_SUPPORTED
                : new Queries(calls, processes, job.map(), job.pod())
                        .query(queries, count, callback, callbackData, refused);
        refused.removeIf(RESOLVED_BY_THE_LIBRARY::contains);
        if (!refused.isEmpty()) {
            host.refused(proc(proc), "PMIx_Query_info of " + String.join(", ", refused));
        }
        return status;
    }

    private long fabric(int operation, long directives, long count, long callback, long callbackData) {
        ServedJob job = served;
        return job == null
                ? PmixStatus.PMIX_ERR_NOT_FOUND
                : new Queries(calls, processes, job.map(), job.pod())
                        .fabric(operation, directives, count, callback, callbackData);
    }

    private long modexResponse(int status, long data, long size, long ticket) {
        Reply<byte[]> reply = modexRequests.remove(ticket);
        if (reply != null) {
            reply.answer(status, status == PmixStatus.PMIX_SUCCESS ? Native.bytes(data, data == 0 ? 0 : size) : null);
        }
        return 0;
    }

    private long operationDone(long ticket) {
        done(ticket);
        return 0;
    }

    private static Proc proc(long address) {
        return new Proc(
                Native.string(address, Layout.MAX_NSLEN + 1),
                Native.view(address, Layout.PROC_SIZE).getInt(Layout.PROC_RANK));
    }

    private static List<Proc> procs(long address, long count) {
        List<Proc> procs = new ArrayList<>((int) count);
        for (long i = 0; address != 0 && i < count; i++) {
            procs.add(proc(address + i * Layout.PROC_SIZE));
        }
        return procs;
    }

    private static String key(long infos, long index) {
        return Native.string(infos + index * Layout.INFO_SIZE, Layout.MAX_KEYLEN + 1);
    }
}
