/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import dev.fabricoperator.protocol.job.JobMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A running PMIx server. Every method may be called from any thread but those that call a {@link PmixHost}, and returns
 * when the library has done the work unless it says otherwise.
 *
 * @see "PMIx Standard, chapter Server"
 */
public interface PmixServer extends AutoCloseable {
    /**
     * Begins to read the topology of this container for the clients of every job that is registered later. Only where clients are in the same container, or see the same devices and
     * may use the same CPUs. Returns at once; a job that is registered before all is read waits for it, two seconds at most.
     *
     * @param failed is told why there is none, on another thread: clients then read it themselves
     */
    void shareTopology(Consumer<String> failed);

    /**
     * Makes a job known: from then on its clients read all of it from the server's memory. Called again for the same
     * nspace it replaces the values.
     *
     * @param pod index into {@link JobMap#pods} of the pod that this server is in
     * @param values of that pod
     * @throws PmixException if the library refuses
     */
    void registerJob(JobMap map, int pod, PodValues values);

    /**
     * Makes known what is of no nspace: the job's fabric, and the devices of one pod. Every nspace that is registered later has
     * it as well, and is of the session of the map. Called again it replaces what was there; nspaces that are registered already keep what they had.
     *
     * @param pod index into {@link JobMap#pods} of the pod that this server is in
     * @throws PmixException if the library refuses
     */
    void registerResources(JobMap map, int pod);

    /**
     * Expects a client. The library compares both ids with those that the client says it has.
     *
     * @throws PmixException if the library refuses
     */
    void registerClient(String nspace, int rank, int uid, int gid);

    /**
     * A process of the job that is served runs; PMIX_QUERY_LOCAL_PROC_TABLE names it.
     *
     * @param pid as this server's pod sees it
     */
    void started(int rank, int pid);

    /** The variables that a client must find in its environment. Asks nothing of the library. */
    Map<String, String> clientEnvironment(String nspace, int rank);

    /** Forgets a job and its clients. */
    void deregister(String nspace);

    /**
     * Asks for what a client of this server has put for its peers. Returns at once; the answer waits for the client to
     * commit, and for one that is never registered it does not come.
     */
    void requestModex(String nspace, int rank, Reply<byte[]> reply);

    /**
     * Delivers an event to those clients of this server that registered for it by its code. Returns at once. (libpmix 5.0.7
     * never hands an event of the server to a handler that was registered for all codes.)
     *
     * @param code of the event
     * @param source of the event
     * @param affected PMIX_EVENT_AFFECTED_PROC
     * @param text PMIX_EVENT_TEXT_MESSAGE
     */
    void notifyEvent(int code, Proc source, Proc affected, String text);

    /**
     * Delivers an event of the fabric as {@link #notifyEvent} does, and to no handler for all codes; a client that registers later is not told.
     *
     * @param delivered runs when the library has handed it to every such client, on a thread that must not wait
     */
    void notifyFabric(FabricEvent event, Runnable delivered);

    /** Delivers an event of a link as {@link #notifyFabric} does. */
    void notifyLink(LinkEvent event);

    /** Delivers a report to the one process that has asked for it, where that has registered for its code. */
    void notifyTraffic(TrafficEvent event);

    /** Whether a client or tool has a connection to this server now. Asks nothing of the library. */
    boolean isConnected(Proc proc);

    /**
     * Returns at once.
     *
     * @param reached runs on the library's thread, after what that has to do now
     */
    void reach(Runnable reached);

    /** Ends the server; the library cannot be started again in this process. */
    @Override
    void close();
}
