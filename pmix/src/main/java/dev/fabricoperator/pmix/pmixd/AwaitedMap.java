/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.pmixd.loop.RateLimitedLog;
import dev.fabricoperator.pmix.pmixd.mesh.HeapLimits;
import dev.fabricoperator.pmix.pmixd.mesh.Mesh;
import dev.fabricoperator.pmix.pmixd.mesh.MeshMembership;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.JobTicketCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The time between a ticket and the map: connects to the neighbours and waits for the parent to hand the map on. Where that
 * takes too long, or the parent is lost, the job service has the map, too. On the loop.
 */
public final class AwaitedMap implements Mesh.Listener {
    /** Longer than connections take that are tried again; not derived from a measurement. */
    private static final long PATIENCE_MILLIS = 5_000;

    private static final long MOST_EARLY_BYTES = HeapLimits.ofThisProcess().messageBytes();
    /** Of what is kept beside a message itself. */
    private static final int EARLY_BYTES = 100;

    /** What becomes of it; one of the two, once. */
    public interface Listener {
        /** @param encoded the map's bytes, as the job service made them */
        void handed(JobMap map, byte[] encoded);

        /** The job service is to be asked. */
        void notHanded(JobTicket ticket);
    }

    private final EventLoop loop;
    private final JobTicket ticket;
    private final Mesh mesh;
    private final Listener listener;
    /** Neighbours may already have the map, and say things that only {@link JobMesh} understands. */
    private final List<Consumer<Mesh.Listener>> early = new ArrayList<>();

    private long earlyBytes;

    private final RateLimitedLog refusals = new RateLimitedLog();
    private boolean over;

    /** @param patienceMillis how long neighbours may be unreachable, once the map is there */
    public AwaitedMap(EventLoop loop, MeshPort port, JobTicket ticket, long patienceMillis, Listener listener) {
        this.loop = loop;
        this.ticket = ticket;
        this.listener = listener;
        MeshMembership membership = MeshMembership.of(ticket);
        this.mesh = new Mesh(loop, port, membership, true, patienceMillis);
        mesh.listen(membership.names(), this);
    }

    public void start() {
        mesh.start();
        loop.after(
                PATIENCE_MILLIS, () -> giveUp("the map has not been handed on for " + PATIENCE_MILLIS / 1000 + " s"));
    }

    private void giveUp(String reason) {
        if (!over) {
            over = true;
            Log.line(reason + ": the job service is asked for the map");
            listener.notHanded(ticket);
        }
    }

    /**
     * Whether this is the map that the ticket is for, so that {@link #goOn} can be called with it. The job service may have begun
     * anew meanwhile, and made another map under the same nspace.
     *
     * @param self index of this pod in the map
     */
    boolean fits(JobMap map, int self) {
        return map.nspace().equals(ticket.nspace())
                && map.pods().size() == ticket.pods()
                && self == ticket.self()
                && Arrays.equals(map.key(), ticket.key());
    }

    /** The connections go to the attempt; {@link #replay} follows when it can hear. */
    public JobMesh goOn(JobMap map, JobMesh.Listener attempt) {
        over = true;
        return new JobMesh(mesh, map, ticket.self(), attempt);
    }

    public void replay(Mesh.Listener attempt) {
        early.forEach(event -> event.accept(attempt));
        early.clear();
    }

    void close() {
        over = true;
        mesh.close();
    }

    @Override
    public void mapped(byte[] encoded) {
        if (over) {
            return;
        }
        if (!Arrays.equals(JobTicketCodec.digestOf(encoded), ticket.mapDigest())) {
            giveUp(ticket.parent().name() + " hands on another map than the job service has made");
            return;
        }
        try {
            JobMap map = JobMapCodec.decode(encoded);
            over = true;
            listener.handed(map, encoded);
        } catch (JobCodecException e) {
            giveUp("the job's map cannot be read: " + e.getMessage());
        }
    }

    /** A neighbour that says more than any message may have would fill the heap: it is taken for lost. */
    @Override
    public void received(int neighbour, byte[] message) {
        if (earlyBytes > MOST_EARLY_BYTES) {
            return;
        }
        earlyBytes += EARLY_BYTES + message.length;
        if (earlyBytes <= MOST_EARLY_BYTES) {
            early.add(attempt -> attempt.received(neighbour, message));
        } else {
            early.clear();
            early.add(attempt -> attempt.lost(
                    neighbour,
                    "pod " + neighbour + " has sent " + earlyBytes + " bytes before this pod had the job's map"));
        }
    }

    @Override
    public void left(int neighbour) {
        early.add(attempt -> attempt.left(neighbour));
    }

    @Override
    public void lost(int neighbour, String reason) {
        early.add(attempt -> attempt.lost(neighbour, reason));
        giveUp(reason);
    }

    @Override
    public void waiting(int neighbour, String sentence) {
        Log.line(sentence);
    }

    @Override
    public void refused(String sentence) {
        refusals.line("refused " + sentence);
    }
}
