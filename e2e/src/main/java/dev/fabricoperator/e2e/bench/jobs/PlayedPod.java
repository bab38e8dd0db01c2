/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.jobs;

import dev.fabricoperator.pmix.job.EndpointTemplate;
import dev.fabricoperator.pmix.job.JobFabricUpdate;
import dev.fabricoperator.pmix.job.JobMap;
import dev.fabricoperator.pmix.job.JobTicket;
import dev.fabricoperator.pmix.job.JobTicketCodec;
import dev.fabricoperator.pmix.job.PodReport;
import dev.fabricoperator.pmix.pmixd.AwaitedMap;
import dev.fabricoperator.pmix.pmixd.fence.Answer;
import dev.fabricoperator.pmix.pmixd.fence.Ending;
import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.pmixd.service.JobServiceThread;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a pod's pmixd does between its launcher's greeting and the first rank, with pmixd's own code; no library, no ranks. */
final class PlayedPod implements JobServiceThread.Listener, AwaitedMap.Listener, JobMesh.Listener {
    private static final long PATIENCE_MILLIS = 120_000;

    private final EventLoop loop;
    private final int index;
    private final int ranks;
    private final MeshPort port;
    private final JobServiceThread service;
    private CompletableFuture<Arrival> arrival = new CompletableFuture<>();
    private int ticketBytes;
    private @Nullable PodReport report;
    private @Nullable AwaitedMap awaited;
    private @Nullable JobMesh mesh;

    /**
     * @param atNanos when the map was there, decoded
     * @param bytes of the map
     * @param handed whether it came from another pod
     * @param ticketBytes of the ticket, 0 for none
     */
    record Arrival(long atNanos, int attempt, int bytes, boolean handed, int ticketBytes) {}

    PlayedPod(EventLoop loop, int index, int ranks, ServiceSettings settings) throws IOException {
        this.loop = loop;
        this.index = index;
        this.ranks = ranks;
        this.port = new MeshPort(loop, InetAddress.getByAddress(loopback()), 0, (who, why) -> {});
        this.service = new JobServiceThread(loop, settings, this);
        service.start();
    }

    private static byte[] loopback() {
        return new byte[] {127, 0, 0, 1};
    }

    /** Asks for the attempt after {@code after}. */
    CompletableFuture<Arrival> join(int after) throws IOException {
        CompletableFuture<Arrival> fresh = new CompletableFuture<>();
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
        PodReport made = new PodReport(instance, after, loopback(), port.port(), ranks, "0-15", "0", List.of(own));
        loop.execute(() -> {
            if (mesh != null) {
                mesh.close();
                mesh = null;
            }
            arrival = fresh;
            report = made;
            service.join(made, false, PATIENCE_MILLIS);
        });
        return fresh;
    }

    @Override
    public void ticketed(JobTicket ticket) {
        ticketBytes = JobTicketCodec.encode(ticket).length;
        AwaitedMap made = new AwaitedMap(loop, port, ticket, PATIENCE_MILLIS, this);
        awaited = made;
        made.start();
    }

    @Override
    public void notHanded(JobTicket ticket) {
        PodReport asked = report;
        if (asked != null) {
            service.join(asked, true, PATIENCE_MILLIS);
        }
    }

    @Override
    public void handed(JobMap map, byte[] encoded) {
        take(map, encoded, true);
    }

    @Override
    public void joined(JobMap map, byte[] encoded) {
        take(map, encoded, false);
    }

    private void take(JobMap map, byte[] encoded, boolean handed) {
        arrival.complete(new Arrival(System.nanoTime(), map.attempt(), encoded.length, handed, ticketBytes));
        AwaitedMap waited = awaited;
        awaited = null;
        JobMesh made =
                waited == null ? new JobMesh(loop, port, map, index, PATIENCE_MILLIS, this) : waited.goOn(map, this);
        if (waited == null) {
            made.start();
        } else {
            waited.replay(made);
        }
        made.forwardMap(encoded);
        mesh = made;
    }

    @Override
    public void refused(int exitCode, String text) {
        arrival.completeExceptionally(new IllegalStateException(text));
    }

    @Override
    public void unanswered(String sentence) {
        System.err.println(sentence);
    }

    @Override
    public void newerWanted(int attempt) {}

    @Override
    public void fabricChanged(int attempt, JobFabricUpdate news) {}

    @Override
    public void modexAsked(int rank, Answer answer) {
        answer.answer(0, new byte[0]);
    }

    /** Pods end a round one after the other. */
    @Override
    public void ended(Ending ending) {}

    @Override
    public void left() {}

    @Override
    public void warning(String sentence) {}
}
