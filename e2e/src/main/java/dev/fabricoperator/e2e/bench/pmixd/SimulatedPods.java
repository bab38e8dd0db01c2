/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.pmixd;

import dev.fabricoperator.pmix.pmixd.fence.Answer;
import dev.fabricoperator.pmix.pmixd.fence.Ending;
import dev.fabricoperator.pmix.pmixd.fence.JobMesh;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The mesh of a job in one process, over TCP on 127.0.0.1: what each pod's event loop does, on a few loops for all. */
final class SimulatedPods implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 60_000;

    private final List<EventLoop> loops = new ArrayList<>();
    private final List<JobMesh> meshes = new ArrayList<>();
    private final int[] ranks;
    private final JobMap map;
    private volatile CountDownLatch untold = new CountDownLatch(0);

    SimulatedPods(int pods, int ranksPerPod, int threads) throws IOException {
        for (int i = 0; i < Math.min(pods, threads); i++) {
            EventLoop loop = new EventLoop();
            loops.add(loop);
        }
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        List<MeshPort> ports = new ArrayList<>();
        List<JobPod> members = new ArrayList<>();
        for (int pod = 0; pod < pods; pod++) {
            MeshPort port = new MeshPort(loopOf(pod), loopback, 0, (who, why) -> System.err.println(who + ' ' + why));
            ports.add(port);
            members.add(new JobPod(
                    "pod-" + pod,
                    "host",
                    0,
                    pod * ranksPerPod,
                    ranksPerPod,
                    loopback.getAddress(),
                    port.port(),
                    "",
                    List.of()));
        }
        map = new JobMap(
                "bench.job-0", 0, new byte[32], List.of(new JobApp(0, "job", pods * ranksPerPod)), members, null);
        ranks = new int[pods * ranksPerPod];
        Arrays.setAll(ranks, rank -> rank);
        for (int pod = 0; pod < pods; pod++) {
            JobMesh mesh = new JobMesh(loopOf(pod), ports.get(pod), map, pod, PATIENCE_MILLIS, new Listening());
            meshes.add(mesh);
            loopOf(pod).execute(mesh::start);
        }
        for (EventLoop loop : loops) {
            Thread thread = new Thread(loop::run, "pods");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private EventLoop loopOf(int pod) {
        return loops.get(pod % loops.size());
    }

    /**
     * One fence of all ranks.
     *
     * @param bytes that each pod brings
     * @return nanoseconds from the first pod's entry to the last pod's answer
     */
    long fence(int bytes) throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(meshes.size());
        long expected = (long) bytes * meshes.size();
        Answer answer = (status, data) -> {
            if (status != 0 || data.length != expected) {
                throw new IllegalStateException("status " + status + ", " + data.length + " bytes");
            }
            answered.countDown();
        };
        long start = System.nanoTime();
        for (int pod = 0; pod < meshes.size(); pod++) {
            JobMesh mesh = meshes.get(pod);
            byte[] part = new byte[bytes];
            loopOf(pod).execute(() -> mesh.fence(ranks, part, answer));
        }
        answered.await();
        return System.nanoTime() - start;
    }

    /**
     * New values of the fabric for all pods.
     *
     * @return nanoseconds from the moment when the first pod has them to the moment when the last pod has read them
     */
    long tell(JobFabricUpdate news) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(meshes.size() - 1);
        untold = told;
        long start = System.nanoTime();
        loopOf(0).execute(() -> meshes.getFirst().tellBelow(news));
        told.await();
        return System.nanoTime() - start;
    }

    JobMap map() {
        return map;
    }

    @Override
    public void close() {
        for (EventLoop loop : loops) {
            loop.stop();
        }
    }

    private final class Listening implements JobMesh.Listener {
        @Override
        public void fabricChanged(JobFabricUpdate news) {
            untold.countDown();
        }

        @Override
        public void modexAsked(int rank, Answer answer) {
            answer.answer(0, new byte[0]);
        }

        /** Loops are stopped one after the other. */
        @Override
        public void ended(Ending ending) {}

        @Override
        public void left() {}

        @Override
        public void warning(String sentence) {
            System.err.println(sentence);
        }
    }
}
