/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.fence.Answer;
import dev.fabricoperator.pmix.pmixd.fence.FairShares;
import dev.fabricoperator.pmix.pmixd.fence.Fences;
import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.HeapLimits;
import dev.fabricoperator.pmix.server.Connection;
import dev.fabricoperator.pmix.server.Group;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Published.Found;
import dev.fabricoperator.pmix.server.Published.Publication;
import dev.fabricoperator.pmix.server.Published.Search;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the ranks of one attempt do with each other beyond fences. Connections and groups are fences under a name of their own, between
 * the pods that take part; published data is in pod 0, which is asked. On the loop.
 */
final class JobExchange {
    /** Of what is kept of a connection beside a bit for each rank of the job, and four bytes for each of this pod's that is in it. */
    private static final int CONNECTED_BYTES = 400;

    /**
     * What a pod that cannot remember a connection brings to it. Nobody is connected then, and all learn it when all have come: a failure that is told at once lets the ranks here
     * go on to ever more connections, of each of which a pod that is behind would have to remember that it failed.
     */
    private static final byte[] NO_ROOM = {1};

    private static final int LONG_AND_INT = Long.BYTES + Integer.BYTES;

    private final EventLoop loop;
    private final JobMesh mesh;
    private final Attempt attempt;
    private final int limitBytes = HeapLimits.ofThisProcess().publishedBytes();
    /** Who is connected, and of it the ranks of this pod. */
    private final Map<BitSet, int[]> connected = new HashMap<>();

    private final FairShares connectedShares;
    /** Ranks of this pod of which pod 0 keeps something for as long as they run. */
    private final BitSet known = new BitSet();

    private final BitSet podsDone = new BitSet();
    /** Of each app, how many pods are not done; made when the first one is. */
    private int @Nullable [] podsLeft;

    private @Nullable PublishedData published;
    private long lastContextId;

    JobExchange(EventLoop loop, JobMesh mesh, Attempt attempt) {
        this(loop, mesh, attempt, HeapLimits.ofThisProcess().waitingBytes());
    }

    /** @param connectedLimitBytes of what is kept of connections */
    JobExchange(EventLoop loop, JobMesh mesh, Attempt attempt, int connectedLimitBytes) {
        this.loop = loop;
        this.mesh = mesh;
        this.attempt = attempt;
        this.connectedShares = new FairShares(connectedLimitBytes, attempt.pod().rankCount(), connectedBytes());
    }

    /** Of one set of ranks that are connected. */
    private int connectedBytes() {
        return CONNECTED_BYTES + attempt.map().size() / Byte.SIZE;
    }

    /** A fence of those who connect, and every pod remembers who is connected: only they can disconnect. */
    void connect(Connection asked, Reply<Void> reply) {
        boolean connect = asked.connect();
        int[] ranks = distinctRanks(asked.participants());
        if (ranks.length == 0) {
            reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
            return;
        }
        // No bit is set for a number that any rank may give.
        if (ranks[0] < 0 || ranks[ranks.length - 1] >= attempt.map().size()) {
            reply.fail(Fences.UNREACHABLE);
            return;
        }
        BitSet connection = new BitSet();
        for (int rank : ranks) {
            connection.set(rank);
        }
        if (!connect && !connected.containsKey(connection)) {
            reply.fail(PmixStatus.PMIX_ERR_INVALID_OPERATION);
            return;
        }
        int[] here = Arrays.stream(ranks).filter(attempt.ranks()::isHere).toArray();
        // Also of those that are connected: they may have disconnected before this has its answer.
        boolean taken = connect && connectedShares.take(connectedBytes(), here);
        boolean full = connect && !taken;
        collective(
                connect ? "connect" : "disconnect",
                ranks,
                asked.status(),
                full ? NO_ROOM : new byte[0],
                asked.timeoutSeconds(),
                (status, data) -> {
                    boolean done = status == PmixStatus.PMIX_SUCCESS && data.length == 0;
                    boolean added = done && connect && connected.putIfAbsent(connection, here) == null;
                    boolean removed = done && !connect && connected.remove(connection) != null;
                    if (removed || (taken && !added)) {
                        connectedShares.giveBack(connectedBytes(), here);
                    }
                    reply.answer(data.length == 0 ? status : Fences.OUT_OF_RESOURCE, null);
                });
    }

    /** @param seconds after which it ends for all, 0 for never */
    private void collective(String name, int[] ranks, int localStatus, byte[] data, int seconds, Answer answer) {
        Waiting waiting = new Waiting();
        Runnable expire = mesh.collective(name(name), ranks, localStatus, data, (status, result) -> {
            waiting.over();
            answer.answer(status, result);
        });
        if (seconds > 0) {
            waiting.until(loop, seconds * 1000L, expire);
        }
    }

    private int[] distinctRanks(List<Proc> procs) {
        return Arrays.stream(attempt.ranksOf(procs)).sorted().distinct().toArray();
    }

    /** Ends with the only zero byte in it, so that what follows makes no other name of it. */
    private static byte[] name(String text) {
        return (text + '\0').getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * A fence of the members with their data. Each pod puts a context id before its part, which it gives to no other group; that of the
     * first pod is the group's.
     */
    void group(Group group, Reply<Group.Constructed> reply) {
        int[] ranks = distinctRanks(group.members());
        if (ranks.length == 0) {
            reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
            return;
        }
        byte[] data = group.data();
        byte[] part = ByteBuffer.allocate(LONG_AND_INT + data.length)
                .putLong(group.construct() ? nextContextId() : 0)
                .putInt(data.length)
                .put(data)
                .array();
        if (group.localOnly()) {
            if (group.status() == PmixStatus.PMIX_SUCCESS) {
                answer(group, ranks, part, reply);
            } else {
                reply.fail(group.status());
            }
            return;
        }
        collective(
                (group.construct() ? "construct " : "destruct ") + group.id(),
                ranks,
                group.status(),
                part,
                group.timeoutSeconds(),
                (status, parts) -> {
                    if (status == PmixStatus.PMIX_SUCCESS) {
                        answer(group, ranks, parts, reply);
                    } else {
                        reply.fail(status);
                    }
                });
    }

    /** The time that somebody waits at most. */
    private static final class Waiting {
        private boolean over;
        private EventLoop.@Nullable Timer timer;

        void until(EventLoop loop, long millis, Runnable expire) {
            if (!over) {
                timer = loop.after(millis, expire);
            }
        }

        void over() {
            over = true;
            if (timer != null) {
                timer.cancel();
            }
        }
    }

    private long nextContextId() {
        return (long) attempt.index() << Integer.SIZE | ++lastContextId;
    }

    private void answer(Group group, int[] ranks, byte[] parts, Reply<Group.Constructed> reply) {
        if (!group.construct()) {
            reply.succeed(null);
            return;
        }
        GroupParts all = GroupParts.of(parts);
        if (all == null) {
            reply.fail(PmixStatus.PMIX_ERR_BAD_PARAM);
            return;
        }
        List<Proc> members = new ArrayList<>(ranks.length);
        for (int rank : ranks) {
            members.add(new Proc(attempt.map().nspace(), rank));
        }
        reply.succeed(new Group.Constructed(
                members, group.wantsContextId() ? all.contextId() : Group.NO_CONTEXT_ID, all.data()));
    }

    /**
     * What the pods of a group have brought.
     *
     * @param contextId of the first
     * @param data of all, in their order
     */
    record GroupParts(long contextId, byte[] data) {
        /** {@code null} for parts that no pmixd has written. */
        static @Nullable GroupParts of(byte[] parts) {
            ByteBuffer in = ByteBuffer.wrap(parts);
            ByteBuffer all = ByteBuffer.allocate(parts.length);
            if (parts.length < LONG_AND_INT) {
                return null;
            }
            long contextId = in.getLong(0);
            while (in.remaining() >= LONG_AND_INT) {
                in.getLong();
                int length = in.getInt();
                if (length < 0 || length > in.remaining()) {
                    return null;
                }
                all.put(in.slice(in.position(), length));
                in.position(in.position() + length);
            }
            return in.hasRemaining() ? null : new GroupParts(contextId, Arrays.copyOf(all.array(), all.position()));
        }
    }

    void publish(Proc proc, Publication publication, Reply<Void> reply) {
        if (publication.persistence() == PublishedData.PERSIST_PROC) {
            known.set(proc.rank());
        }
        ask(proc.rank(), PublishedDataCodec.publish(proc.rank(), publication), done(reply));
    }

    void lookup(Proc proc, Search search, Reply<List<Found>> reply) {
        if (search.wanted() > 0) {
            known.set(proc.rank());
        }
        ask(proc.rank(), PublishedDataCodec.lookup(proc.rank(), search), (status, body) -> {
            List<Found> found = status == PmixStatus.PMIX_SUCCESS
                    ? PublishedDataCodec.found(attempt.map().nspace(), body)
                    : null;
            boolean unreadable = status == PmixStatus.PMIX_SUCCESS && found == null;
            reply.answer(unreadable ? PmixStatus.PMIX_ERR_BAD_PARAM : status, found);
        });
    }

    void unpublish(Proc proc, int range, List<String> keys, Reply<Void> reply) {
        ask(proc.rank(), PublishedDataCodec.unpublish(proc.rank(), range, keys), done(reply));
    }

    private static Answer done(Reply<Void> reply) {
        return (status, body) -> reply.answer(status, null);
    }

    /** The attempt has ended. */
    void close() {
        if (published != null) {
            published.close();
        }
    }

    /** A rank of this pod has called PMIx_Finalize. */
    void finalized(int rank) {
        if (known.get(rank)) {
            known.clear(rank);
            ask(JobMesh.NO_RANK, PublishedDataCodec.ended(rank), (status, body) -> {});
        }
    }

    /** Every rank of this pod has ended. */
    void podDone() {
        ask(JobMesh.NO_RANK, PublishedDataCodec.podDone(), (status, body) -> {});
    }

    /** What would not fit into pod 0 is not sent: a message that is too long ends the connection. */
    private void ask(int rank, byte[] body, Answer answer) {
        if (body.length > limitBytes) {
            answer.answer(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE, new byte[0]);
        } else {
            mesh.askRoot(rank, body, answer);
        }
    }

    /** At pod 0. */
    void asked(int pod, byte[] body, Answer answer) {
        if (body.length > limitBytes) {
            answer.answer(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE, new byte[0]);
            return;
        }
        if (published == null) {
            published = new PublishedData(limitBytes, (millis, task) -> loop.after(millis, task)::cancel);
        }
        PublishedDataCodec.handle(body, attempt.map().pods().get(pod), new Asked(published, pod, answer));
    }

    private int[] podsLeft() {
        int[] left = podsLeft;
        if (left == null) {
            left = new int[attempt.map().apps().size()];
            for (JobPod pod : attempt.map().pods()) {
                left[pod.app()]++;
            }
            podsLeft = left;
        }
        return left;
    }

    /** What one pod asks of pod 0. */
    private final class Asked implements PublishedDataCodec.Handler {
        private final PublishedData data;
        private final int pod;
        private final Answer answer;

        Asked(PublishedData data, int pod, Answer answer) {
            this.data = data;
            this.pod = pod;
            this.answer = answer;
        }

        private PublishedData.Origin origin(int rank) {
            return new PublishedData.Origin(
                    pod,
                    attempt.map().pods().get(pod).app(),
                    new Proc(attempt.map().nspace(), rank));
        }

        private void done(int status) {
            answer.answer(status, new byte[0]);
        }

        @Override
        public void publish(int rank, Publication publication) {
            done(data.publish(origin(rank), publication));
        }

        @Override
        public void lookup(int rank, Search search) {
            data.lookup(
                    origin(rank),
                    search,
                    (status, found) ->
                            answer.answer(status, found == null ? new byte[0] : PublishedDataCodec.found(found)));
        }

        @Override
        public void unpublish(int rank, int range, List<String> keys) {
            done(data.unpublish(origin(rank), range, keys));
        }

        @Override
        public void ended(int rank) {
            data.ended(new Proc(attempt.map().nspace(), rank));
            done(PmixStatus.PMIX_SUCCESS);
        }

        @Override
        public void podDone() {
            int app = attempt.map().pods().get(pod).app();
            if (!podsDone.get(pod) && --podsLeft()[app] == 0) {
                data.appEnded(app);
            }
            podsDone.set(pod);
            done(PmixStatus.PMIX_SUCCESS);
        }

        @Override
        public void unreadable() {
            done(PmixStatus.PMIX_ERR_BAD_PARAM);
        }
    }
}
