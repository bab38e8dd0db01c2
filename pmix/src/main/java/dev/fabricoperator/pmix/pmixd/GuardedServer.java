/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.libpmix.HandshakeFilter;
import dev.fabricoperator.pmix.libpmix.HandshakeFilter.Clients;
import dev.fabricoperator.pmix.libpmix.LibpmixServer;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.pmixd.loop.RateLimitedLog;
import dev.fabricoperator.pmix.server.FabricEvent;
import dev.fabricoperator.pmix.server.LinkEvent;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.PmixServer;
import dev.fabricoperator.pmix.server.PodValues;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.ServerConfig;
import dev.fabricoperator.pmix.server.TrafficEvent;
import dev.fabricoperator.protocol.job.JobMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** libpmix with the filter before it: whoever may register may also connect, and nobody else. */
final class GuardedServer implements PmixServer {
    /** On a machine with too much to do the library's thread may have to wait for its turn. */
    private static final long LEAVE_MILLIS = 20_000;

    private final HandshakeFilter filter;
    private final PmixServer server;

    private GuardedServer(HandshakeFilter filter, PmixServer server) {
        this.filter = filter;
        this.server = server;
    }

    /**
     * @param config whose {@code clientPort} is where the filter shall listen, 0 for any
     * @param clients who may connect
     * @param refused is told why a connection was refused, on the filter's thread
     * @throws IOException if the filter finds no port
     */
    static GuardedServer start(ServerConfig config, Clients clients, PmixHost host, Consumer<String> refused)
            throws IOException {
        RateLimitedLog pauses = new RateLimitedLog();
        HandshakeFilter filter = HandshakeFilter.open(config.clientPort(), clients, new HandshakeFilter.Listener() {
            @Override
            public void refused(String reason) {
                refused.accept(reason);
            }

            @Override
            public void notAccepted(String reason) {
                pauses.line("connections to the PMIx port wait: " + reason);
            }
        });
        LibpmixServer library = LibpmixServer.start(config, filter, host);
        filter.reserve(config.nspace());
        filter.whenLastToolLeaves(library::forgetTools);
        try {
            library.writeRendezvousFiles(Path.of(config.clientDirectory()));
        } catch (IOException e) {
            Log.line("tools do not find this server: " + e);
        }
        return new GuardedServer(filter, library);
    }

    @Override
    public void shareTopology(Consumer<String> failed) {
        server.shareTopology(failed);
    }

    @Override
    public void registerJob(JobMap map, int pod, PodValues values) {
        server.registerJob(map, pod, values);
    }

    @Override
    public void registerResources(JobMap map, int pod) {
        server.registerResources(map, pod);
    }

    @Override
    public void registerClient(String nspace, int rank, int uid, int gid) {
        filter.expect(nspace, rank, uid, gid);
        server.registerClient(nspace, rank, uid, gid);
    }

    @Override
    public void started(int rank, int pid) {
        server.started(rank, pid);
    }

    @Override
    public Map<String, String> clientEnvironment(String nspace, int rank) {
        return server.clientEnvironment(nspace, rank);
    }

    @Override
    public void deregister(String nspace) {
        int left = filter.forget(nspace, LEAVE_MILLIS);
        if (left > 0) {
            // Ranks of the next attempt might not be heard.
            throw new IllegalStateException("libpmix has not closed " + left + " connections of " + nspace + " within "
                    + LEAVE_MILLIS / 1000 + " s");
        }
        server.deregister(nspace);
    }

    @Override
    public void requestModex(String nspace, int rank, Reply<byte[]> reply) {
        server.requestModex(nspace, rank, reply);
    }

    @Override
    public void notifyEvent(int code, Proc source, Proc affected, String text) {
        server.notifyEvent(code, source, affected, text);
    }

    @Override
    public void notifyFabric(FabricEvent event, Runnable delivered) {
        server.notifyFabric(event, delivered);
    }

    @Override
    public void notifyLink(LinkEvent event) {
        server.notifyLink(event);
    }

    @Override
    public void notifyTraffic(TrafficEvent event) {
        server.notifyTraffic(event);
    }

    @Override
    public boolean isConnected(Proc proc) {
        return server.isConnected(proc);
    }

    @Override
    public void reach(Runnable reached) {
        server.reach(reached);
    }

    @Override
    public void close() {
        filter.close();
        server.close();
    }
}
