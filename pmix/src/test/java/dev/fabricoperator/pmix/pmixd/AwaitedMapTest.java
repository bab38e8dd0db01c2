/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.pmixd.fence.Answer;
import dev.fabricoperator.pmix.pmixd.fence.Ending;
import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.HeapLimits;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPeer;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.JobTicketCodec;
import dev.fabricoperator.protocol.job.MeshShape;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A map on its way through the pods of a job, over TCP on 127.0.0.1. */
class AwaitedMapTest {
    private final List<Pod> pods = new ArrayList<>();

    /** One pod: what {@link JobEntry} and {@link Attempt} do with a map, without ranks. */
    private static final class Pod implements AwaitedMap.Listener, JobMesh.Listener {
        final EventLoop loop = new EventLoop();
        final MeshPort port;
        final CompletableFuture<JobMap> map = new CompletableFuture<>();
        final CompletableFuture<JobTicket> asks = new CompletableFuture<>();
        final CompletableFuture<Ending> ending = new CompletableFuture<>();
        private @Nullable AwaitedMap awaited;
        private @Nullable JobMesh mesh;

        Pod() throws IOException {
            port = new MeshPort(loop, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0, (who, why) -> {});
            Thread thread = new Thread(loop::run, "pod");
            thread.setDaemon(true);
            thread.start();
        }

        void take(JobTicket ticket) {
            loop.execute(() -> {
                AwaitedMap made = new AwaitedMap(loop, port, ticket, 20_000, this);
                awaited = made;
                made.start();
            });
        }

        /** The map comes from the job service. */
        void take(JobMap whole, int self) {
            loop.execute(() -> {
                AwaitedMap waited = awaited;
                JobMesh made =
                        waited == null ? new JobMesh(loop, port, whole, self, 20_000, this) : waited.goOn(whole, this);
                mesh = made;
                if (waited == null) {
                    made.start();
                } else {
                    waited.replay(made);
                }
                made.forwardMap(JobMapCodec.encode(whole));
                map.complete(whole);
            });
        }

        @Override
        public void handed(JobMap handed, byte[] encoded) {
            take(handed, -1);
        }

        @Override
        public void notHanded(JobTicket ticket) {
            asks.complete(ticket);
        }

        CompletableFuture<byte[]> fence(int[] ranks, byte[] part) {
            CompletableFuture<byte[]> all = new CompletableFuture<>();
            loop.execute(() -> {
                JobMesh known = mesh;
                if (known != null) {
                    known.fence(ranks, part, (status, data) -> all.complete(data));
                }
            });
            return all;
        }

        @Override
        public void modexAsked(int rank, Answer answer) {
            answer.answer(0, new byte[0]);
        }

        @Override
        public void ended(Ending newEnding) {
            ending.complete(newEnding);
        }

        @Override
        public void left() {}

        @Override
        public void warning(String sentence) {}
    }

    private JobMap job(int count) throws IOException {
        List<JobPod> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Pod pod = new Pod();
            pods.add(pod);
            members.add(
                    new JobPod("job-" + i, "host", 0, i, 1, new byte[] {127, 0, 0, 1}, pod.port.port(), "", List.of()));
        }
        return new JobMap("ns.job-0", 0, new byte[32], List.of(new JobApp(0, "job", count)), members, null);
    }

    private static JobTicket ticket(JobMap map, int self, byte[] digest) {
        JobPeer parent = JobPeer.of(map.pods().get(new MeshShape(map.pods().size()).parent(self)));
        return new JobTicket(
                map.nspace(), map.attempt(), map.key(), self, map.pods().size(), parent, digest);
    }

    private static byte[] digest(JobMap map) {
        return JobTicketCodec.digestOf(JobMapCodec.encode(map));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        pods.forEach(pod -> pod.loop.stop());
    }

    @Test
    void podZeroAloneHasTheMapAndEveryPodOfATreeGetsIt() throws Exception {
        JobMap map = job(60);
        byte[] digest = digest(map);
        for (int pod = map.pods().size() - 1; pod > 0; pod--) {
            pods.get(pod).take(ticket(map, pod, digest));
        }
        pods.getFirst().take(map, 0);

        int[] ranks = new int[60];
        List<CompletableFuture<byte[]>> fences = new ArrayList<>();
        for (int pod = 0; pod < 60; pod++) {
            assertThat(get(pods.get(pod).map)).usingRecursiveComparison().isEqualTo(map);
            ranks[pod] = pod;
        }
        for (Pod pod : pods) {
            fences.add(pod.fence(ranks, new byte[] {7}));
        }
        for (CompletableFuture<byte[]> fence : fences) {
            assertThat(get(fence)).hasSize(60);
        }
        assertThat(pods).noneMatch(pod -> pod.asks.isDone());
    }

    @Test
    void anotherMapThanTheJobServicesIsNotTaken() throws Exception {
        JobMap map = job(2);
        pods.get(1).take(ticket(map, 1, new byte[32]));
        pods.get(0).take(map, 0);

        assertThat(get(pods.get(1).asks).self()).isEqualTo(1);
        assertThat(pods.get(1).map).isNotDone();

        pods.get(1).take(map, 1);
        assertThat(get(pods.get(1).map)).isSameAs(map);
        CompletableFuture<byte[]> one = pods.get(0).fence(new int[] {0, 1}, new byte[] {1});
        assertThat(get(pods.get(1).fence(new int[] {0, 1}, new byte[] {2}))).containsExactly(1, 2);
        assertThat(get(one)).containsExactly(1, 2);
    }

    /** A job service that begins anew makes the same nspace again, with another key and perhaps in another order. */
    @Test
    void connectionsOfATicketAreNotKeptForAMapWithAnotherKeyOrAnotherIndex() throws Exception {
        JobMap map = job(3);
        Pod pod = pods.get(1);
        AwaitedMap awaited = CompletableFuture.supplyAsync(
                        () -> new AwaitedMap(pod.loop, pod.port, ticket(map, 1, digest(map)), 20_000, pod),
                        pod.loop::execute)
                .get(60, TimeUnit.SECONDS);
        byte[] key = map.key().clone();
        key[31] ^= 1;
        assertThat(awaited.fits(map, 1)).isTrue();
        assertThat(awaited.fits(new JobMap(map.nspace(), map.attempt(), key, map.apps(), map.pods(), null), 1))
                .isFalse();
        assertThat(awaited.fits(map, 2)).isFalse();
    }

    @Test
    void aNeighbourThatSaysMoreThanCanBeKeptBeforeTheMapIsThereEndsTheAttempt() throws Exception {
        JobMap map = job(2);
        Pod pod = pods.get(1);
        pod.take(ticket(map, 1, digest(map)));
        byte[] message = new byte[8 << 20];
        int most = HeapLimits.ofThisProcess().messageBytes() / message.length + 1;
        pod.loop.execute(() -> {
            for (int sent = 0; sent < most; sent++) {
                Objects.requireNonNull(pod.awaited).received(0, message);
            }
        });
        pod.take(map, 1);
        assertThat(get(pod.ending).text()).contains("pod 0 has sent ", " bytes before this pod had the job's map");
    }

    @Test
    void aParentThatIsLostBeforeItHasTheMapIsNotWaitedForAndEndsTheAttempt() throws Exception {
        JobMap map = job(60);
        byte[] digest = digest(map);
        // Pod 1 waits, too, and is what pod 17 hangs on.
        pods.get(1).take(ticket(map, 1, digest));
        pods.get(17).take(ticket(map, 17, digest));
        assertThat(pods.get(17).asks).isNotDone();
        Thread.sleep(300);
        pods.get(1).loop.stop();

        assertThat(get(pods.get(17).asks).parent().name()).isEqualTo("job-1");
        pods.get(17).take(map, 17);
        assertThat(get(pods.get(17).ending).kind()).isEqualTo(Ending.Kind.LOST);
    }
}
