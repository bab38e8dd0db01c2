/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.mesh.MeshPort;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One pod's side of the mesh on a thread of its own, over real sockets. */
final class Node implements JobMesh.Listener, AutoCloseable {
    record Result(int status, byte[] data) {}

    final EventLoop loop = new EventLoop();
    final MeshPort port;
    final int self;
    final List<Ending> endings = new CopyOnWriteArrayList<>();
    final List<String> warnings = new CopyOnWriteArrayList<>();
    final List<RunMessage> received = new CopyOnWriteArrayList<>();
    final List<JobFabricUpdate> fabricUpdates = new CopyOnWriteArrayList<>();
    /** On the loop. */
    volatile Runnable whenWarned = () -> {};

    private final Thread thread = new Thread(loop::run, "node");
    private @Nullable JobMesh mesh;

    Node(int self, InetAddress address, int wantedPort) throws IOException {
        this.self = self;
        this.port = new MeshPort(loop, address, wantedPort, (who, why) -> warnings.add(who + " " + why));
        thread.setDaemon(true);
        thread.start();
    }

    void join(JobMap map, long patienceMillis) {
        onLoop(() -> {
            JobMesh created = new JobMesh(loop, port, map, self, patienceMillis, this);
            mesh = created;
            created.start();
            return true;
        });
    }

    JobMesh mesh() {
        JobMesh current = mesh;
        if (current == null) {
            throw new IllegalStateException("not joined");
        }
        return current;
    }

    CompletableFuture<Result> fence(int[] ranks, byte[] data) {
        CompletableFuture<Result> result = new CompletableFuture<>();
        loop.execute(() -> mesh().fence(ranks, data, (status, all) -> result.complete(new Result(status, all))));
        return result;
    }

    CompletableFuture<Result> modex(int rank) {
        CompletableFuture<Result> result = new CompletableFuture<>();
        loop.execute(() -> mesh().modex(rank, (status, all) -> result.complete(new Result(status, all))));
        return result;
    }

    <T> T onLoop(Supplier<T> task) {
        CompletableFuture<T> done = new CompletableFuture<>();
        loop.execute(() -> done.complete(task.get()));
        return get(done);
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void modexAsked(int rank, Answer answer) {
        answer.answer(0, new byte[] {(byte) self, (byte) rank});
    }

    @Override
    public void ended(Ending ending) {
        endings.add(ending);
    }

    @Override
    public void onRunMessage(RunMessage message) {
        received.add(message);
    }

    @Override
    public void fabricChanged(JobFabricUpdate update) {
        fabricUpdates.add(update);
    }

    @Override
    public void left() {}

    @Override
    public void warning(String sentence) {
        warnings.add(sentence);
        whenWarned.run();
    }

    /** As a process that is killed: its sockets end, nothing is said. */
    @Override
    public void close() {
        loop.stop();
    }
}
