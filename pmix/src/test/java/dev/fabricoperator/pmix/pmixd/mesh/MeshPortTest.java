/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.protocol.job.JobPeer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What strangers may do to the port of a pod, over real sockets: two pods of one job, the root listens. */
@Timeout(300)
class MeshPortTest {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private static final String NSPACE = "ns.job-0";
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final List<Pod> pods = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private Pod root;

    private static final class Pod implements Mesh.Listener {
        final EventLoop loop = new EventLoop();
        final List<String> refused = new CopyOnWriteArrayList<>();
        final List<String> lost = new CopyOnWriteArrayList<>();
        final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
        final MeshPort port;
        final Thread thread = new Thread(loop::run, "pod");
        private @Nullable Mesh mesh;

        Pod() throws IOException {
            port = new MeshPort(loop, LOOPBACK, 0, (who, why) -> refused.add(who + " " + why));
            thread.setDaemon(true);
            thread.start();
        }

        void join(int self, int pods, byte[] key, @Nullable JobPeer parent) {
            onLoop(() -> {
                PodNames names = PodNames.of(0, new JobPeer("job-0", LOOPBACK.getAddress(), 1));
                Mesh made =
                        new Mesh(loop, port, new MeshMembership(NSPACE, key, self, pods, parent, names), false, 60_000);
                made.listen(names, this);
                made.start();
                mesh = made;
                return true;
            });
        }

        void send(int to, byte[] message) {
            onLoop(() -> {
                if (mesh != null) {
                    mesh.send(to, message);
                }
                return true;
            });
        }

        <T> T onLoop(Supplier<T> task) {
            CompletableFuture<T> done = new CompletableFuture<>();
            loop.execute(() -> done.complete(task.get()));
            try {
                return done.get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("the loop does not answer", e);
            }
        }

        @Override
        public void received(int neighbour, byte[] message) {
            messages.add(message);
        }

        @Override
        public void left(int neighbour) {}

        @Override
        public void lost(int neighbour, String reason) {
            lost.add(reason);
        }

        @Override
        public void waiting(int neighbour, String sentence) {}

        @Override
        public void refused(String sentence) {
            refused.add(sentence);
        }
    }

    @BeforeEach
    void listen() throws IOException {
        root = pod();
    }

    private Pod pod() throws IOException {
        Pod pod = new Pod();
        pods.add(pod);
        return pod;
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        pods.forEach(pod -> pod.loop.stop());
    }

    private Socket connect(Pod to) throws IOException {
        Socket socket = new Socket(LOOPBACK, to.port.port());
        socket.setSoTimeout(60_000);
        sockets.add(socket);
        return socket;
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static byte[] greeting(int from, int to) {
        return Greeting.fresh(Greeting.digestOf(NSPACE), from, to).bytes();
    }

    private void assertThatAChildIsServed() throws Exception {
        Pod child = pod();
        child.join(1, 2, new byte[32], new JobPeer("job-0", LOOPBACK.getAddress(), root.port.port()));
        child.send(0, new byte[] {Mesh.FIRST_FREE_TYPE, 7});
        assertThat(root.messages.poll(60, TimeUnit.SECONDS)).containsExactly(Mesh.FIRST_FREE_TYPE, 7);
        assertThat(root.lost).isEmpty();
    }

    @Test
    void aConnectionThatIsResetWhileItWaitsForItsAttemptDisturbsNobody() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Socket socket = connect(root);
            socket.getOutputStream().write(greeting(1, 0));
            waiting.add(socket);
        }
        // Until the port has read all greetings, and reads no more of these connections.
        await().until(() -> root.onLoop(() -> root.port.greeted()) == 8);
        for (Socket socket : waiting) {
            reset(socket);
        }
        root.join(0, 2, new byte[32], null);
        assertThatAChildIsServed();
    }

    @Test
    void connectionsThatSayNothingAreFewAtATimeAndDelayNobody() throws Exception {
        root.join(0, 2, new byte[32], null);
        for (int i = 0; i < 3 * MeshPort.MAX_PENDING; i++) {
            connect(root);
        }
        await().until(() -> root.refused.size() >= 2 * MeshPort.MAX_PENDING);
        assertThat(root.refused).allSatisfy(line -> assertThat(line).contains("was the oldest of 256"));
        assertThatAChildIsServed();
    }

    @Test
    void halfAGreetingIsNotWaitedForLongerThanTenSeconds() throws Exception {
        Socket socket = connect(root);
        socket.getOutputStream().write(greeting(1, 0), 0, 40);
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
        // It is told after the connection has been closed.
        await().until(() -> !root.refused.isEmpty());
        assertThat(root.refused).singleElement().asString().contains("sent no greeting within 10 s");
    }

    @Test
    void aFrameThatIsNoProofIsRefusedBeforeItIsGathered() throws Exception {
        root.join(0, 2, new byte[32], null);
        Socket socket = connect(root);
        socket.getOutputStream().write(greeting(1, 0));
        socket.getOutputStream()
                .write(ByteBuffer.allocate(Integer.BYTES)
                        .putInt(FrameSeal.PLAIN_BYTES)
                        .array());
        InputStream in = socket.getInputStream();
        // The answer to the greeting and the root's own proof, then the end without one byte of that frame.
        assertThat(in.readAllBytes()).hasSizeLessThanOrEqualTo(Greeting.BYTES + 64);
        await().until(() -> !root.refused.isEmpty());
        assertThat(root.refused.getFirst()).contains("calls itself pod 1").contains("before it proved");
        assertThatAChildIsServed();
    }

    /** Whoever knows a job's name may greet as its pods do; the pod's own connection to its parent must not make room for that. */
    @Test
    void greetingsOfStrangersDoNotEndTheConnectionToTheParent() throws Exception {
        Pod child = pod();
        // The parent answers nothing as long as it has not heard of the attempt.
        child.join(1, 40, new byte[32], new JobPeer("job-0", LOOPBACK.getAddress(), root.port.port()));
        await().until(() -> root.onLoop(() -> root.port.greeted()) == 1);
        for (int i = 0; i < 200; i++) {
            connect(child).getOutputStream().write(greeting(17, 1));
        }
        await().until(() -> child.refused.size() >= 100);
        assertThat(root.onLoop(() -> root.port.greeted())).isEqualTo(1);
        assertThat(root.refused).isEmpty();
    }

    @Test
    void garbageAfterAGoodGreetingResetsAndSilenceDisturbNobody() throws Exception {
        root.join(0, 2, new byte[32], null);
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            Socket socket = connect(root);
            byte[] garbage = new byte[random.nextInt(2_000)];
            random.nextBytes(garbage);
            if (i % 3 > 0) {
                socket.getOutputStream().write(greeting(i % 5, i % 2));
            }
            socket.getOutputStream().write(garbage);
            if (i % 2 == 0) {
                reset(socket);
            }
        }
        assertThatAChildIsServed();
        assertThat(root.thread.isAlive()).isTrue();
    }
}
