/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static dev.fabricoperator.protocol.pmix.PmixKeys.*;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.FabricEvent;
import dev.fabricoperator.pmix.server.LinkEvent;
import dev.fabricoperator.pmix.server.PmixException;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.ServerConfig;
import dev.fabricoperator.pmix.server.TrafficEvent;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import dev.fabricoperator.protocol.pmix.PmixType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server of libpmix, one in a process. Functions that the library can do at once or later are called without a
 * callback, which makes them wait; that spares a crossing from C to Java at start.
 */
public final class LibpmixServer implements PmixServer {
    private static final String SONAME = "libpmix.so.2";
    /** Of which {@link Layout} and the handshake are; libpmix 3 to 6 have the same soname. */
    private static final String SERIES = "5.0.";

    private static final String RM_NAME = "fabric-operator";
    /** At most, of {@link #addManager}. */
    static final int MANAGER_VALUES = 3;

    private static final String DATA_STORE = "PMIX_MCA_gds";
    /** Keys of what {@link #registerResources} registers. */
    private static final List<String> JOB_RESOURCES = List.of(
            PMIX_SESSION_ID, PMIX_FABRIC_VENDOR, PMIX_FABRIC_IDENTIFIER, PMIX_FABRIC_INDEX, PMIX_NODE_INFO_ARRAY);

    /** "Room for at least 26 bytes" is what ctime_r wants, and a year has four digits for a while. */
    private static final int CTIME_BYTES = 32;

    /** At most, of {@link #notifyTraffic}, beside devices. */
    private static final int TRAFFIC_VALUES = 10;

    private static final int SMALL = 8 * 1024;
    private static final int JOB = 64 * 1024;
    private static final long PMIX_RANGE_LOCAL = 2;
    private static final long PMIX_RANGE_CUSTOM = 6;

    private final Native calls;
    private final ServerConfig config;
    private final AcceptQueue accepted;
    private final ServerModule module;
    private final NativeBlock moduleMemory;
    private final String version;
    private @Nullable HostTopology topology;
    private long modexResponse;
    private long operationDone;

    private LibpmixServer(Native calls, ServerConfig config, AcceptQueue accepted, PmixHost host) {
        this.calls = calls;
        this.accepted = accepted;
        this.config = config;
        version = version(Native.string(calls.call(calls.function("PMIx_Get_version"), 0, 0, 0), 256));
        if (!version.startsWith(SERIES)) {
            throw new IllegalArgumentException("the dynamic loader finds libpmix " + version + " as " + SONAME
                    + ", and pmixd is made for " + SERIES + "x: use the library of pmixd's own image");
        }
        module = new ServerModule(calls, host, accepted, config.nspace());
        moduleMemory = new NativeBlock(calls, SMALL);
    }

    /**
     * Starts the library's server. Blocks for its initialisation, about 15 ms.
     *
     * @param filter from which the library has its connections, and from nowhere else
     * @throws PmixException if the library refuses
     * @throws IllegalStateException if the environment of this process would make the library keep jobs in shared files:
     *     its parent must set {@code PMIX_MCA_gds=hash}
     * @throws IllegalArgumentException if there is no libpmix, or another than this is made for
     */
    public static LibpmixServer start(ServerConfig config, HandshakeFilter filter, PmixHost host) {
        if (!"hash".equals(System.getenv(DATA_STORE))) {
            throw new IllegalStateException("start this process with " + DATA_STORE + "=hash in its environment");
        }
        LibpmixServer server =
                new LibpmixServer(new Native(SONAME), config.withClientPort(filter.port()), filter.accepted(), host);
        server.initialize();
        return server;
    }

    private void initialize() {
        accepted.serve(calls);
        InfoArray infos = moduleMemory
                .infos(6)
                .string(PMIX_SERVER_NSPACE, config.nspace())
                .rank(PMIX_SERVER_RANK, config.rank())
                .string(PMIX_HOSTNAME, config.hostname())
                .string(PMIX_SERVER_TMPDIR, config.directory())
                .string(PMIX_SYSTEM_TMPDIR, config.directory())
                .bool(PMIX_SERVER_TOOL_SUPPORT, false);
        require(
                "PMIx_server_init",
                calls.call(
                        calls.function("PMIx_server_init"), module.write(moduleMemory), infos.address(), infos.size()));
        if (!accepted.isListening()) {
            throw new IllegalArgumentException("libpmix " + version + " does not listen as 5.0.7 does");
        }
        try (NativeBlock block = new NativeBlock(calls, SMALL)) {
            InfoArray resources = block.infos(2 + MANAGER_VALUES)
                    .string(PMIX_SERVER_START_TIME, now(block))
                    .string(PMIX_SERVER_HOSTNAME, config.hostname());
            addManager(resources, config);
            callWith("PMIx_server_register_resources", resources);
        }
    }

    /** Who manages the session, and where it is. */
    static void addManager(InfoArray to, ServerConfig config) {
        to.string(PMIX_RM_NAME, RM_NAME);
        if (config.version() != null) {
            to.string(PMIX_RM_VERSION, config.version());
        }
        if (config.clusterId() != null) {
            to.string(PMIX_CLUSTER_ID, config.clusterId());
        }
    }

    /** As C writes it, and libpmix the start time of its own servers; a formatter of Java would be loaded for this alone. */
    private String now(NativeBlock block) {
        NativeBlock.Part seconds = block.part(Long.BYTES);
        seconds.buffer().putLong(seconds.offset(), System.currentTimeMillis() / 1_000);
        NativeBlock.Part text = block.part(CTIME_BYTES);
        return Native.string(calls.call(calls.function("ctime_r"), seconds.address(), text.address(), 0), CTIME_BYTES)
                .strip();
    }

    private void callWith(String function, InfoArray infos) {
        require(function, calls.call(calls.function(function), infos.address(), infos.size(), 0, 0, 0, 0, 0));
    }

    /** The library would wait for its own thread, for ever. */
    private void requireOtherThread() {
        if (module.isLibraryThread()) {
            throw new IllegalStateException("what waits for libpmix's thread is called on it");
        }
    }

    @Override
    public void shareTopology(Consumer<String> failed) {
        topology = new HostTopology(calls, failed);
    }

    @Override
    public void registerJob(JobMap map, int pod, PodValues values) {
        requireOtherThread();
        try (NativeBlock block = new NativeBlock(calls, JOB)) {
            InfoArray job =
                    new JobInfos(block, map, pod, values).write(config, topology == null ? null : topology.xml());
            require(
                    "PMIx_server_register_nspace",
                    calls.call(
                            calls.function("PMIx_server_register_nspace"),
                            block.proc(map.nspace(), 0),
                            map.pods().get(pod).rankCount(),
                            job.address(),
                            job.size(),
                            0,
                            0,
                            0));
        }
        module.serve(map, pod);
    }

    @Override
    public void registerResources(JobMap map, int pod) {
        requireOtherThread();
        JobFabric fabric = map.fabric();
        JobPod self = map.pods().get(pod);
        try (NativeBlock block = new NativeBlock(calls, SMALL)) {
            // Of a value that is registered twice libpmix 5.0.7 removes the one that does not hold, and it never
            // removes a part of one.
            InfoArray old = block.infos(JOB_RESOURCES.size());
            JOB_RESOURCES.forEach(key -> old.bool(key, true));
            callWith("PMIx_server_deregister_resources", old);
            InfoArray resources = block.infos(JOB_RESOURCES.size());
            FabricInfos infos = new FabricInfos(block, map.fabrics());
            // Clients learn of their session by a value that stands alone; the job's stands in the array of its
            // session.
            resources.uint32(PMIX_SESSION_ID, map.sessionId());
            if (fabric != null) {
                infos.addFabric(resources, fabric);
            }
            if (!self.devices().isEmpty()) {
                InfoArray node = block.infos(3).string(PMIX_HOSTNAME, self.name());
                infos.addNode(node, self);
                resources.infos(PMIX_NODE_INFO_ARRAY, node);
            }
            callWith("PMIx_server_register_resources", resources);
        }
    }

    @Override
    public void started(int rank, int pid) {
        module.processes().started(rank, pid);
    }

    @Override
    public void registerClient(String nspace, int rank, int uid, int gid) {
        requireOtherThread();
        try (NativeBlock block = new NativeBlock(calls, SMALL)) {
            require(
                    "PMIx_server_register_client",
                    calls.call(
                            calls.function("PMIx_server_register_client"),
                            block.proc(nspace, rank),
                            uid,
                            gid,
                            0,
                            0,
                            0,
                            0));
        }
    }

    @Override
    public Map<String, String> clientEnvironment(String nspace, int rank) {
        return ClientEnvironment.of(config, version, nspace, rank);
    }

    @Override
    public void deregister(String nspace) {
        requireOtherThread();
        try (NativeBlock block = new NativeBlock(calls, SMALL)) {
            calls.call(calls.function("PMIx_server_deregister_nspace"), block.proc(nspace, 0), 0, 0);
        }
        // Without a callback the call has waited for the library's thread, which asks all its questions.
        module.forget(nspace);
    }

    /**
     * Forgets tools that have disconnected: the library itself keeps some memory of each. Returns at once; for the time when none is
     * connected.
     */
    public void forgetTools() {
        for (String nspace = module.nextTool(); nspace != null; nspace = module.nextTool()) {
            NativeBlock block = new NativeBlock(calls, Layout.INFO_SIZE);
            calls.call(
                    calls.function("PMIx_server_deregister_nspace"),
                    block.proc(nspace, 0),
                    operationDone(),
                    module.ticket(block));
        }
    }

    /**
     * Says where tools find this server, as the library would if it were to be connected to itself.
     *
     * @param directory in which a tool looks that is told so by PMIX_SYSTEM_TMPDIR
     * @throws IOException if the files cannot be written
     */
    public void writeRendezvousFiles(Path directory) throws IOException {
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        int dot = host.indexOf('.');
        String name = dot < 0 ? host : host.substring(0, dot);
        String text = ClientEnvironment.uri(config)
                + '\n'
                + version
                + '\n'
                + (int) calls.call(calls.function("getpid"), 0, 0, 0)
                + '\n';
        for (String file : new String[] {"pmix.sys." + name, "pmix." + name + ".tool"}) {
            // Others may write here: nothing that is there is followed or opened.
            Path made = directory.resolve(Path.of(config.directory()).getFileName() + ".uri");
            Files.writeString(made, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.move(made, directory.resolve(file), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    @Override
    public void requestModex(String nspace, int rank, Reply<byte[]> reply) {
        long ticket = module.ticket(reply);
        int status;
        try (NativeBlock block = new NativeBlock(calls, SMALL)) {
            status = (int) calls.call(
                    calls.function("PMIx_server_dmodex_request"), block.proc(nspace, rank), modexResponse(), ticket);
        }
        if (status != PmixStatus.PMIX_SUCCESS) {
            module.withdraw(ticket);
            reply.fail(status);
        }
    }

    @Override
    public void notifyEvent(int code, Proc source, Proc affected, String text) {
        NativeBlock block = new NativeBlock(calls, SMALL);
        InfoArray infos = block.infos(2)
                .proc(PMIX_EVENT_AFFECTED_PROC, affected.nspace(), affected.rank())
                .string(PMIX_EVENT_TEXT_MESSAGE, text);
        notify(code, source, PMIX_RANGE_LOCAL, block, infos, () -> {});
    }

    @Override
    public void notifyFabric(FabricEvent event, Runnable delivered) {
        NativeBlock block = new NativeBlock(calls, SMALL);
        InfoArray infos = block.infos(6)
                .bool(PMIX_EVENT_NON_DEFAULT, true)
                .bool(PMIX_EVENT_DO_NOT_CACHE, true)
                .size(PMIX_FABRIC_INDEX, event.index());
        if (!event.planes().isEmpty()) {
            infos.array(PMIX_FABRIC_PLANE, PmixType.STRING, event.planes().size(), block.strings(event.planes()));
        }
        if (event.coordinatesChanged() != null) {
            infos.bool(FabricEvent.COORDINATES_UPDATED, event.coordinatesChanged());
        }
        if (event.routesChanged() != null) {
            infos.bool(FabricEvent.ROUTES_CHANGED, event.routesChanged());
        }
        notify(event.code(), self(), PMIX_RANGE_LOCAL, block, infos, delivered);
    }

    @Override
    public void notifyLink(LinkEvent event) {
        NativeBlock block = new NativeBlock(calls, SMALL);
        String nspace = event.first().nspace();
        NativeBlock.Part affected = block.part(event.ranks() * Layout.PROC_SIZE);
        for (int i = 0; i < event.ranks(); i++) {
            block.putProc(affected, i * Layout.PROC_SIZE, nspace, event.first().rank() + i);
        }
        InfoArray infos = block.infos(5)
                .bool(PMIX_EVENT_NON_DEFAULT, true)
                .bool(PMIX_EVENT_DO_NOT_CACHE, true)
                .array(PMIX_EVENT_AFFECTED_PROCS, PmixType.PROC, event.ranks(), affected.address())
                .string(PMIX_DEVICE_ID, event.deviceId())
                .string(PMIX_EVENT_TEXT_MESSAGE, event.text());
        notify(event.code(), self(), PMIX_RANGE_LOCAL, block, infos, () -> {});
    }

    @Override
    public void notifyTraffic(TrafficEvent event) {
        NativeBlock block = new NativeBlock(calls, SMALL);
        Proc to = event.to();
        NativeBlock.Part affected = block.part(event.ranks() * Layout.PROC_SIZE);
        for (int i = 0; i < event.ranks(); i++) {
            block.putProc(
                    affected,
                    i * Layout.PROC_SIZE,
                    event.first().nspace(),
                    event.first().rank() + i);
        }
        InfoArray infos = block.infos(TRAFFIC_VALUES + event.devices().size())
                .bool(PMIX_EVENT_NON_DEFAULT, true)
                .bool(PMIX_EVENT_DO_NOT_CACHE, true)
                .array(PMIX_EVENT_CUSTOM_RANGE, PmixType.PROC, 1, block.proc(to.nspace(), to.rank()))
                .array(PMIX_EVENT_AFFECTED_PROCS, PmixType.PROC, event.ranks(), affected.address())
                .uint32(TrafficEvent.PODS, event.pods())
                .uint64(TrafficEvent.TCP_BYTES, event.tcpBytes())
                .string(PMIX_EVENT_TEXT_MESSAGE, event.text());
        if (!event.monitor().id().isEmpty()) {
            infos.string(PMIX_MONITOR_ID, event.monitor().id());
        }
        if (event.devicesKnown()) {
            infos.uint64(TrafficEvent.SENT_BYTES, event.sent()).uint64(TrafficEvent.RECEIVED_BYTES, event.received());
        }
        for (TrafficReport.DeviceTraffic device : event.devices()) {
            InfoArray values = block.infos(4)
                    .string(PMIX_FABRIC_DEVICE_NAME, device.name())
                    .uint64(TrafficEvent.SENT_BYTES, device.sent())
                    .uint64(TrafficEvent.RECEIVED_BYTES, device.received());
            if (!device.deviceId().isEmpty()) {
                values.string(PMIX_DEVICE_ID, device.deviceId());
            }
            infos.infos(TrafficEvent.DEVICE, values);
        }
        notify(event.monitor().code(), self(), PMIX_RANGE_CUSTOM, block, infos, () -> {});
    }

    @Override
    public boolean isConnected(Proc proc) {
        return accepted.count(connection -> connection.isOf(proc.nspace(), proc.rank())) > 0;
    }

    private Proc self() {
        return new Proc(config.nspace(), config.rank());
    }

    /** @param block in which the infos are, and which is closed when the library has done with them */
    private void notify(int code, Proc source, long range, NativeBlock block, InfoArray infos, Runnable delivered) {
        long ticket = module.ticket(block, delivered);
        int status = (int) calls.call(
                calls.function("PMIx_Notify_event"),
                code,
                block.proc(source.nspace(), source.rank()),
                range,
                infos.address(),
                infos.size(),
                operationDone(),
                ticket);
        if (status == PmixStatus.PMIX_OPERATION_SUCCEEDED) {
            module.done(ticket);
        } else if (status != PmixStatus.PMIX_SUCCESS) {
            module.withdraw(ticket);
            require("PMIx_Notify_event", status);
        }
    }

    @Override
    public void reach(Runnable reached) {
        module.onLibraryThread(reached);
    }

    /** Made at first use: most jobs end without either. */
    private synchronized long modexResponse() {
        if (modexResponse == 0) {
            modexResponse = module.modexResponse();
        }
        return modexResponse;
    }

    private synchronized long operationDone() {
        if (operationDone == 0) {
            operationDone = module.operationDone();
        }
        return operationDone;
    }

    @Override
    public void close() {
        requireOtherThread();
        calls.call(calls.function("PMIx_server_finalize"), 0, 0, 0);
        module.close();
        moduleMemory.close();
    }

    private void require(String call, long result) {
        int status = (int) result;
        if (status != PmixStatus.PMIX_SUCCESS && status != PmixStatus.PMIX_OPERATION_SUCCEEDED) {
            Native.Function errorString = calls.function("PMIx_Error_string");
            throw new PmixException(call, status, Native.string(calls.call(errorString, status, 0, 0), 256));
        }
    }

    /** From {@code "OpenPMIx 5.0.7 (PMIx Standard: 4.2, ...)"} the number, which is what clients are told. */
    private static String version(String text) {
        for (String word : text.split("[ ,]")) {
            if (!word.isEmpty() && Character.isDigit(word.charAt(0))) {
                return word;
            }
        }
        return text;
    }
}
