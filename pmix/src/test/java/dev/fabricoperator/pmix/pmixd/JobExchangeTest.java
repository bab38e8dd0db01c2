/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.pmix.server.Connection;
import dev.fabricoperator.pmix.server.Group;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One pod with two ranks, which needs no other for its answers, unless a test has one. */
class JobExchangeTest {
    private static final String NSPACE = "default.job-0123abcd-0";

    private final List<Integer> statuses = new ArrayList<>();
    private final JobExchange exchange;

    JobExchangeTest() throws IOException {
        EventLoop loop = new EventLoop();
        JobPod pod = new JobPod("job-0", "host-0", 0, 0, 2, new byte[4], 1, "0", List.of());
        JobMap map = new JobMap(NSPACE, 0, new byte[32], List.of(new JobApp(0, "workers", 2)), List.of(pod), null);
        exchange = Played.attempt(loop, map).exchange();
    }

    private static List<Proc> ranks(int... ranks) {
        List<Proc> procs = new ArrayList<>();
        for (int rank : ranks) {
            procs.add(new Proc(NSPACE, rank));
        }
        return procs;
    }

    private void connect(boolean connect, int status, int... ranks) {
        exchange.connect(
                new Connection(connect, ranks(ranks), status, 0), (answered, nothing) -> statuses.add(answered));
    }

    /** PMIX_RANK_UNDEF, PMIX_RANK_LOCAL_NODE, one too many and one whose bit would take a quarter of a gigabyte. */
    @ParameterizedTest
    @ValueSource(ints = {-1, -3, 2, Integer.MAX_VALUE})
    void aConnectionWithARankThatTheJobDoesNotHaveIsUnreachable(int rank) {
        connect(true, 0, 0, rank);
        connect(false, 0, 0, rank);
        assertThat(statuses).containsExactly(PmixStatus.PMIX_ERR_UNREACH, PmixStatus.PMIX_ERR_UNREACH);
    }

    @Test
    void aConnectionOfWhichAParticipantIsGoneIsNone() {
        connect(true, PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, 0, 1);
        connect(false, 0, 0, 1);
        connect(true, 0, 0, 1);
        connect(false, 0, 0, 1);
        assertThat(statuses)
                .containsExactly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, PmixStatus.PMIX_ERR_INVALID_OPERATION, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGroupOfWhichAMemberIsGoneIsNone(boolean localOnly) {
        for (int status : new int[] {PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, 0}) {
            exchange.group(
                    new Group("g", true, localOnly, true, ranks(0, 1), new byte[0], status, 0),
                    (answered, group) -> statuses.add(answered));
        }
        assertThat(statuses).containsExactly(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, 0);
    }

    /** A pod's loop with its place in the mesh. */
    private record OtherPod(EventLoop loop, JobMesh mesh) {
        static <T> T on(EventLoop loop, Supplier<T> task) {
            CompletableFuture<T> done = new CompletableFuture<>();
            loop.execute(() -> done.complete(task.get()));
            return done.orTimeout(60, TimeUnit.SECONDS).join();
        }

        void enter(String name, int... ranks) {
            byte[] encoded = (name + '\0').getBytes(StandardCharsets.ISO_8859_1);
            CompletableFuture<Integer> answered = new CompletableFuture<>();
            loop.execute(
                    () -> mesh.collective(encoded, ranks, 0, new byte[0], (status, data) -> answered.complete(status)));
            assertThat(answered.orTimeout(60, TimeUnit.SECONDS).join()).isZero();
        }
    }

    /** Rank 0 may have three connections. Its pod asks to connect once more and to disconnect together, and the other pod disconnects first. */
    @Test
    void aConnectionThatIsMadeAgainWhileItEndsCountsOnce() throws IOException {
        List<EventLoop> loops = List.of(new EventLoop(), new EventLoop());
        try {
            InetAddress loopback = InetAddress.getLoopbackAddress();
            List<MeshPort> ports = new ArrayList<>();
            List<JobPod> pods = new ArrayList<>();
            for (int pod = 0; pod < 2; pod++) {
                MeshPort port = new MeshPort(loops.get(pod), loopback, 0, (who, why) -> {});
                ports.add(port);
                pods.add(new JobPod(
                        "job-" + pod,
                        "host",
                        0,
                        2 * pod,
                        2 + 4 * pod,
                        loopback.getAddress(),
                        port.port(),
                        "",
                        List.of()));
            }
            JobMap map = new JobMap(NSPACE, 0, new byte[32], List.of(new JobApp(0, "workers", 8)), pods, null);
            List<JobMesh> meshes = new ArrayList<>();
            for (int pod = 0; pod < 2; pod++) {
                JobMesh mesh = new JobMesh(
                        loops.get(pod), ports.get(pod), map, pod, 60_000, Played.as(JobMesh.Listener.class));
                mesh.start();
                meshes.add(mesh);
            }
            int bytesOfOne = 401;
            JobExchange tested =
                    new JobExchange(loops.get(0), meshes.get(0), Played.attempt(loops.get(0), map), 6 * bytesOfOne);
            for (EventLoop loop : loops) {
                Thread thread = new Thread(loop::run, "pod");
                thread.setDaemon(true);
                thread.start();
            }
            OtherPod other = new OtherPod(loops.get(1), meshes.get(1));
            IntFunction<CompletableFuture<Integer>> connect = rank -> asked(loops.get(0), tested, true, rank);
            IntFunction<CompletableFuture<Integer>> disconnect = rank -> asked(loops.get(0), tested, false, rank);

            CompletableFuture<Integer> first = connect.apply(2);
            other.enter("connect", 0, 2);
            assertThat(first.join()).isZero();
            for (int round = 0; round < 3; round++) {
                CompletableFuture<Integer> again = connect.apply(2);
                CompletableFuture<Integer> ended = disconnect.apply(2);
                other.enter("disconnect", 0, 2);
                assertThat(ended.join()).isZero();
                other.enter("connect", 0, 2);
                assertThat(again.join()).isZero();
            }
            for (int rank = 3; rank < 5; rank++) {
                CompletableFuture<Integer> another = connect.apply(rank);
                other.enter("connect", 0, rank);
                assertThat(another.join()).isZero();
            }
            CompletableFuture<Integer> full = connect.apply(5);
            assertThat(full).as("refused before the other pod has come").isNotDone();
            other.enter("connect", 0, 5);
            assertThat(full.join()).isEqualTo(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE);
        } finally {
            loops.forEach(EventLoop::stop);
        }
    }

    /** Returns when it has been asked, which it may be together with others; not when it is answered. */
    private static CompletableFuture<Integer> asked(EventLoop loop, JobExchange tested, boolean connect, int rank) {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        return OtherPod.on(loop, () -> {
            tested.connect(
                    new Connection(connect, ranks(0, rank), 0, 0), (answered, nothing) -> status.complete(answered));
            return status.orTimeout(60, TimeUnit.SECONDS);
        });
    }
}
