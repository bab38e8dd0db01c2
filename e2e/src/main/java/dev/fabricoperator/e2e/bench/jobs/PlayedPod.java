/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.pmix.openssl.TlsTrust;
import dev.fabricoperator.pmix.pmixd.loop.Backoff;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.Mesh;
import dev.fabricoperator.pmix.pmixd.mesh.MeshMembership;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.pmixd.mesh.PodNames;
import dev.fabricoperator.pmix.pmixd.service.JobService;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.JobTicketCodec;
import dev.fabricoperator.protocol.job.PodReport;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a pod's pmixd does between its launcher's greeting and the map, with pmixd's own code for TLS, HTTP and the mesh: a connection of its own, with trust of its own, a
 * token, one held answer and one place in the mesh. No library and no ranks; and in place of a process a virtual thread. Of a map that is handed on the digest is
 * compared, and nothing decoded: thousands of pods do that on processors of their own.
 */
final class PlayedPod implements Mesh.Listener {
    private static final long PATIENCE_MILLIS = 120_000;
    private static final int FIRST_PAUSE_MILLIS = 50;
    private static final int LAST_PAUSE_MILLIS = 2_000;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private final EventLoop loop;
    private final int index;
    private final int ranks;
    private final MeshPort port;
    private final JobService service;
    private CompletableFuture<Arrival> arrival = new CompletableFuture<>();
    private @Nullable JobTicket ticket;
    private @Nullable Mesh mesh;
    private volatile long askedNanos;
    private long answeredNanos;

    /**
     * @param askedNanos when it asked
     * @param answeredNanos when the job service had answered, by the map or by a ticket
     * @param atNanos when the map was there
     * @param map its bytes
     * @param ticketBytes of the ticket, 0 where the job service sent the map
     */
    record Arrival(long askedNanos, long answeredNanos, long atNanos, byte[] map, int ticketBytes) {}

    PlayedPod(EventLoop loop, int index, int ranks, ServiceSettings settings) throws IOException {
        this.loop = loop;
        this.index = index;
        this.ranks = ranks;
        this.port = new MeshPort(loop, InetAddress.getByAddress(LOOPBACK), 0, (who, why) -> {});
        this.service = new JobService(settings, TlsTrust.of(settings.authorities()));
    }

    /** Shakes hands ahead, as pmixd does while its launcher starts. */
    CompletableFuture<Void> connect() {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                service.connect();
                connected.complete(null);
            } catch (IOException | RuntimeException e) {
                connected.completeExceptionally(e);
            }
        });
        return connected;
    }

    /** Asks for the attempt after {@code after}. */
    CompletableFuture<Arrival> join(int after) throws IOException {
        byte[] address = {10, 0, (byte) (index >> 8), (byte) index};
        byte[] instance = new byte[16];
        instance[0] = (byte) (index >> 8);
        instance[1] = (byte) index;
        PodReport.OpenDevice own = new PodReport.OpenDevice(
                "eth0",
                null,
                String.format(Locale.ROOT, "0a:58:0a:00:%02x:%02x", index >> 8, index & 0xff),
                null,
                true,
                new EndpointTemplate(EndpointTemplate.Format.FI_SOCKADDR_IN, address, 27001, 0));
        PodReport report = new PodReport(instance, after, LOOPBACK, port.port(), ranks, "0-15", "0", List.of(own));
        CompletableFuture<Arrival> fresh = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> ask(report, fresh));
        return fresh;
    }

    private void ask(PodReport report, CompletableFuture<Arrival> fresh) {
        Backoff pause = new Backoff(FIRST_PAUSE_MILLIS, LAST_PAUSE_MILLIS);
        askedNanos = System.nanoTime();
        while (!fresh.isDone()) {
            try {
                JobService.Joined joined = service.join(report, false);
                long now = System.nanoTime();
                switch (joined) {
                    case JobService.Joined.Whole(JobMap map, byte[] encoded) -> {
                        loop.execute(() -> begin(fresh, now, map, encoded));
                        return;
                    }
                    case JobService.Joined.Ticketed(JobTicket given) -> {
                        loop.execute(() -> begin(fresh, now, given));
                        return;
                    }
                    case JobService.Joined.Refused refused ->
                        fresh.completeExceptionally(new IllegalStateException(refused.text()));
                    case JobService.Joined.NotYet notYet -> {}
                    case JobService.Joined.AttemptGoesOn goesOn -> {}
                }
            } catch (IOException e) {
                System.err.println("pod " + index + ": " + e.getMessage());
                try {
                    TimeUnit.MILLISECONDS.sleep(pause.nextMillis());
                } catch (InterruptedException interrupted) {
                    fresh.completeExceptionally(interrupted);
                }
            } catch (RuntimeException | Error e) {
                fresh.completeExceptionally(e);
            }
        }
    }

    /** Ranks follow the index, and so do the map's pods. */
    private void begin(CompletableFuture<Arrival> fresh, long now, JobMap map, byte[] encoded) {
        renew(fresh, now);
        fresh.complete(new Arrival(askedNanos, now, now, encoded, 0));
        Mesh made = new Mesh(loop, port, MeshMembership.of(map, index), false, PATIENCE_MILLIS);
        mesh = made;
        made.listen(new PodNames(map.pods()), this);
        made.start();
        made.forwardMap(encoded);
    }

    private void begin(CompletableFuture<Arrival> fresh, long now, JobTicket given) {
        renew(fresh, now);
        ticket = given;
        MeshMembership membership = MeshMembership.of(given);
        Mesh made = new Mesh(loop, port, membership, true, PATIENCE_MILLIS);
        mesh = made;
        made.listen(membership.names(), this);
        made.start();
    }

    private void renew(CompletableFuture<Arrival> fresh, long now) {
        if (mesh != null) {
            mesh.close();
        }
        ticket = null;
        arrival = fresh;
        answeredNanos = now;
    }

    @Override
    public void mapped(byte[] encoded) {
        JobTicket given = ticket;
        if (given == null || !Arrays.equals(JobTicketCodec.digestOf(encoded), given.mapDigest())) {
            arrival.completeExceptionally(new IllegalStateException("pod " + index + " was handed another map"));
            return;
        }
        arrival.complete(new Arrival(
                askedNanos, answeredNanos, System.nanoTime(), encoded, JobTicketCodec.encode(given).length));
        if (mesh != null) {
            mesh.forwardMap(encoded);
        }
    }

    @Override
    public void received(int neighbour, byte[] message) {}

    @Override
    public void left(int neighbour) {}

    /** Pods end a round one after the other. */
    @Override
    public void lost(int neighbour, String reason) {}

    @Override
    public void waiting(int neighbour, String sentence) {}

    @Override
    public void refused(String sentence) {}
}
