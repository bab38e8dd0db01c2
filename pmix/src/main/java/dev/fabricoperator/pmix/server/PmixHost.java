/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a PMIx server asks of the process that hosts it. Every method is called on the library's only progress thread: it
 * returns at once, calls no method of {@link PmixServer} and answers through its {@link Reply}, then or later. An
 * exception that escapes is answered with PMIX_ERROR.
 *
 * @see "PMIx Standard, chapter Server, pmix_server_module_t"
 */
public interface PmixHost {
    /**
     * All local participants that are left have arrived, and some participant is elsewhere.
     *
     * @param participants as the callers gave them; a WILDCARD rank stands for the whole namespace
     * @param collect whether the callers asked for data (PMIX_COLLECT_DATA)
     * @param status 0; another one where a local participant is gone that has not arrived (PMIX_LOCAL_COLLECTIVE_STATUS)
     * @param data of this server's participants, opaque, possibly empty
     * @param reply every server's data one behind the other, in one order on all servers
     */
    void fence(List<Proc> participants, boolean collect, int status, byte[] data, Reply<byte[]> reply);

    /**
     * A client asks for what {@code proc}, which lives elsewhere, has put.
     *
     * @param reply what {@link PmixServer#requestModex} gave at its server
     */
    void directModex(Proc proc, Reply<byte[]> reply);

    /** A client has connected. */
    void connected(Proc proc);

    /** A client has called PMIx_Finalize, and is answered when this returns. */
    void finalized(Proc proc);

    /**
     * A client has called PMIx_Abort and waits.
     *
     * @param targets to be ended; empty is the caller's whole namespace
     */
    void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply);

    /**
     * A client has reported an event for processes beyond this server.
     *
     * @param source {@code null} if it did not say
     * @param text PMIX_EVENT_TEXT_MESSAGE, {@code null} if it did not say
     */
    void event(int code, @Nullable Proc source, @Nullable String text);

    /** A client wants something that is refused here; {@code what} is a sentence for a log. */
    void refused(Proc proc, String what);

    /** @param call of the library that wants more processes */
    static String spawnRefusal(String call) {
        return call
                + " (MPI_Comm_spawn) is not supported: a job has the pods that its Job or JobSet declares; set its completions to the number of processes that the program"
                + " needs, and start all at once";
    }

    /** The same of what the author of the program has to know. */
    default void unsupported(Proc proc, String sentence) {
        refused(proc, sentence);
    }

    /** All local participants that are left have called PMIx_Connect or PMIx_Disconnect, and some participant is elsewhere. */
    default void connect(Connection connection, Reply<Void> reply) {
        refused(
                connection.participants().getFirst(),
                connection.connect() ? "PMIx_Connect (MPI_Comm_connect, MPI_Comm_accept)" : "PMIx_Disconnect");
        reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
    }

    /** All local members construct a group, or destruct one that has members elsewhere. */
    default void group(Group group, Reply<Group.Constructed> reply) {
        refused(group.members().getFirst(), "PMIx_Group (MPI_Comm_create_from_group)");
        reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
    }

    /** A client publishes all of it or nothing. */
    default void publish(Proc proc, Published.Publication publication, Reply<Void> reply) {
        refused(proc, "PMIx_Publish (MPI_Publish_name)");
        reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
    }

    /** A client looks for what others have published. */
    default void lookup(Proc proc, Published.Search search, Reply<List<Published.Found>> reply) {
        refused(proc, "PMIx_Lookup (MPI_Lookup_name)");
        reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
    }

    /**
     * A client withdraws what it has published.
     *
     * @param keys empty for all
     */
    default void unpublish(Proc proc, int range, List<String> keys, Reply<Void> reply) {
        refused(proc, "PMIx_Unpublish (MPI_Unpublish_name)");
        reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
    }

    /** A client wants to be told, again and again, what its job sends; one with the id of another of the same client takes its place. */
    default void monitor(Proc proc, TrafficMonitor monitor, Reply<Void> reply) {
        refused(proc, "PMIx_Process_monitor");
        reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
    }

    /**
     * A client wants no more reports; when it is answered, none follows.
     *
     * @param id empty for all of that client
     */
    default void cancelMonitor(Proc proc, String id, Reply<Void> reply) {
        reply.succeed(null);
    }

    /**
     * A client has called PMIx_Log. The answer must not be given before this method has returned: the library holds a lock.
     *
     * @param lines what it says, each with its channel before it
     */
    void log(Proc proc, List<String> lines, Reply<Void> reply);
}
