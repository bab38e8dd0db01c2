/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fabricoperator.pmix.pmixd.mesh.HeapLimits;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobMeshTest {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private static final long PATIENCE = 60_000;
    private final List<Node> nodes = new ArrayList<>();
    private final InetAddress loopback = InetAddress.getLoopbackAddress();

    @AfterEach
    void closeAll() {
        nodes.forEach(Node::close);
    }

    private JobMap listen(int pods, int ranksPerPod) throws IOException {
        List<JobPod> listening = new ArrayList<>();
        JobMap shape = SimulatedJob.map(
                IntStream.range(0, pods).map(pod -> ranksPerPod).toArray(), loopback.getAddress(), 1);
        for (JobPod pod : shape.pods()) {
            Node node = new Node(nodes.size(), loopback, 0);
            nodes.add(node);
            listening.add(at(pod, node.port.port()));
        }
        return with(shape, listening);
    }

    private static JobPod at(JobPod pod, int port) {
        return new JobPod(
                pod.name(), pod.host(), 0, pod.firstRank(), pod.rankCount(), pod.address(), port, "", List.of());
    }

    private static JobMap with(JobMap map, List<JobPod> pods) {
        return new JobMap(map.nspace(), map.attempt(), map.key(), map.apps(), pods, null);
    }

    private static JobMap movedTo(JobMap map, int pod, int port) {
        List<JobPod> pods = new ArrayList<>(map.pods());
        pods.set(pod, at(pods.get(pod), port));
        return with(map, pods);
    }

    private JobMap start(int pods, int ranksPerPod) throws IOException {
        JobMap map = listen(pods, ranksPerPod);
        nodes.forEach(node -> node.join(map, PATIENCE));
        return map;
    }

    private void assertAllFence(int ranks, byte[]... parts) {
        int[] all = IntStream.range(0, ranks).toArray();
        List<CompletableFuture<Node.Result>> results = new ArrayList<>();
        int bytes = 0;
        for (Node node : nodes) {
            results.add(node.fence(all, parts[node.self]));
            bytes += parts[node.self].length;
        }
        for (CompletableFuture<Node.Result> each : results) {
            Node.Result result = Node.get(each);
            assertThat(result.status()).isZero();
            assertThat(result.data()).hasSize(bytes);
            int at = 0;
            for (byte[] part : parts) {
                assertThat(Arrays.copyOfRange(result.data(), at, at + part.length))
                        .isEqualTo(part);
                at += part.length;
            }
        }
    }

    private byte[][] parts(int bytes) {
        byte[][] parts = new byte[nodes.size()][];
        for (int pod = 0; pod < parts.length; pod++) {
            parts[pod] = new byte[bytes];
            new Random(pod).nextBytes(parts[pod]);
        }
        return parts;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 16})
    void podsFenceWithAndWithoutDataAndAskOneAnother(int pods) throws IOException {
        start(pods, 2);
        assertAllFence(2 * pods, parts(0));
        assertAllFence(2 * pods, parts(3000));
        assertAllFence(2 * pods, parts(200_000));
        Node.Result modex = Node.get(nodes.get(pods - 1).modex(1));
        assertThat(modex.data()).containsExactly(0, 1);
        Node.Result back = Node.get(nodes.get(pods / 2).modex(2 * pods - 1));
        assertThat(back.data()).containsExactly(pods - 1, 2 * pods - 1);
    }

    @Test
    void fortyPodsAreATreeAndFence() throws IOException {
        start(40, 1);
        assertAllFence(40, parts(500));
        assertThat(Node.get(nodes.get(39).modex(38)).data()).containsExactly(38, 38);
    }

    /** As in a job some of whose pods began before the operator was upgraded. */
    @Test
    void messagesOfALaterVersionAreLeftAsideAndTheJobGoesOn() throws IOException {
        start(4, 1);
        assertAllFence(4, parts(10));
        nodes.get(3).onLoop(() -> {
            for (byte kind : new byte[] {99, 5, 99}) {
                nodes.get(3).mesh().send(0, new byte[] {kind, 1, 2, 3});
            }
            nodes.get(3).mesh().send(0, new byte[] {Wire.RUN, 99, 1, 2, 3});
            return true;
        });
        assertAllFence(4, parts(10));
        assertThat(nodes).allSatisfy(node -> assertThat(node.endings).isEmpty());
        assertThat(nodes.getFirst().warnings)
                .singleElement()
                .asString()
                .contains("a message of kind 99 of ", "all others that this version");
    }

    @Test
    void aPodThatAsksPodZeroForAnotherOneEndsTheAttempt() throws IOException {
        start(4, 1);
        assertAllFence(4, parts(10));
        nodes.get(3).onLoop(() -> {
            nodes.get(3).mesh().send(0, new Wire.RootRequest(2, 1, new byte[1]).encode());
            return true;
        });
        await().until(() -> !nodes.getFirst().endings.isEmpty());
        assertThat(nodes.getFirst().endings.getFirst().text()).contains("asks pod 0 for pod 2, which is not below it");
    }

    /** Pod 0 is mpirun's, and of the others every third one has no rank in this run. */
    private void startRun(int pods) throws IOException {
        JobMap shape = SimulatedJob.map(
                IntStream.range(0, pods).map(pod -> pod % 3 == 0 ? 0 : 1).toArray(), loopback.getAddress(), 1);
        List<JobPod> listening = new ArrayList<>();
        for (JobPod pod : shape.pods()) {
            Node node = new Node(nodes.size(), loopback, 0);
            nodes.add(node);
            listening.add(at(pod, node.port.port()));
        }
        JobMap map = with(shape, listening);
        nodes.forEach(node -> node.join(map, PATIENCE));
    }

    private static void send(Node from, RunMessage.Kind kind, int pod, String text) {
        from.onLoop(() -> {
            from.mesh().send(new RunMessage(kind, pod, 7, text.getBytes(StandardCharsets.UTF_8)));
            return true;
        });
    }

    private static List<String> heard(Node node) {
        return node.received.stream()
                .map(each -> each.kind() + " " + each.pod() + " " + each.number() + " "
                        + new String(each.text(), StandardCharsets.UTF_8))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 40})
    void whatIsSaidOfARunGoesWhereItBelongs(int pods) throws IOException {
        startRun(pods);
        int last = pods - 1;
        send(nodes.getFirst(), RunMessage.Kind.START, 0, "argument ring");
        send(nodes.getFirst(), RunMessage.Kind.INPUT, last, "input x");
        send(nodes.get(last), RunMessage.Kind.OUTPUT, last, "output 3 1 y");
        send(nodes.get(last), RunMessage.Kind.DONE, last, "");

        await().until(() -> nodes.getFirst().received.size() == 2
                && nodes.get(last).received.size() == 2);
        for (Node node : nodes.subList(1, last)) {
            await().until(() -> !node.received.isEmpty());
            assertThat(heard(node)).containsExactly("START 0 7 argument ring");
        }
        assertThat(heard(nodes.get(last))).containsExactly("START 0 7 argument ring", "INPUT " + last + " 7 input x");
        assertThat(heard(nodes.getFirst()))
                .containsExactly("OUTPUT " + last + " 7 output 3 1 y", "DONE " + last + " 7 ");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 40})
    void thatARankHasFailedIsHeardInEveryPodAndTheSurestCounts(int pods) throws IOException {
        startRun(pods);
        Node last = nodes.getLast();
        rankFailed(last, 1);
        rankFailed(nodes.getFirst(), 0);
        for (Node node : nodes) {
            await().until(() -> node.onLoop(() -> node.mesh().certaintyHeard()) == 1);
        }
        rankFailed(nodes.getFirst(), 2);
        await().until(() -> last.onLoop(() -> last.mesh().certaintyHeard()) == 2);
    }

    private static void rankFailed(Node node, int certainty) {
        node.onLoop(() -> {
            node.mesh().rankFailed(certainty);
            return true;
        });
    }

    @Test
    void ranksFenceThoughPodZeroAndOthersHaveNone() throws IOException {
        startRun(40);
        int[] all = IntStream.range(0, 26).toArray();
        List<CompletableFuture<Node.Result>> results = new ArrayList<>();
        for (Node node : nodes) {
            if (node.self % 3 != 0) {
                results.add(node.fence(all, new byte[] {(byte) node.self}));
            }
        }
        byte[] wanted = new byte[26];
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = (byte) (i / 2 * 3 + i % 2 + 1);
        }
        for (CompletableFuture<Node.Result> each : results) {
            assertThat(Node.get(each).data()).isEqualTo(wanted);
        }
        assertThat(Node.get(nodes.get(1).modex(25)).data()).containsExactly(38, 25);
    }

    @Test
    void whatOnlyMpirunsPodMaySayOfARunEndsTheAttemptWhereAnotherSaysIt() throws IOException {
        startRun(3);
        Node liar = nodes.get(1);
        liar.onLoop(() -> {
            byte[] stop = new Wire.Run(new RunMessage(RunMessage.Kind.STOP, 0, 1)).encode();
            liar.mesh().send(0, stop);
            return true;
        });
        await().until(() -> !nodes.get(2).endings.isEmpty());
        assertThat(nodes.get(2).endings.getFirst().text()).contains("says of a run what comes from the other side");
    }

    @Test
    void podsThatComeLateAreWaitedFor() throws Exception {
        JobMap map = listen(4, 1);
        int[] all = {0, 1, 2, 3};
        nodes.get(3).join(map, PATIENCE);
        nodes.get(1).join(map, PATIENCE);
        CompletableFuture<Node.Result> early = nodes.get(3).fence(all, new byte[] {3});
        CompletableFuture<Node.Result> alsoEarly = nodes.get(1).fence(all, new byte[] {1});
        Thread.sleep(300);
        nodes.get(0).join(map, PATIENCE);
        nodes.get(2).join(map, PATIENCE);
        nodes.get(0).fence(all, new byte[] {0});
        nodes.get(2).fence(all, new byte[] {2});
        assertThat(Node.get(early).data()).containsExactly(0, 1, 2, 3);
        assertThat(Node.get(alsoEarly).data()).containsExactly(0, 1, 2, 3);
    }

    /** Has a port that refuses connections, and that nobody else gets meanwhile. */
    private Socket boundAndNotListening() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(loopback, 0));
        return socket;
    }

    @Test
    void aPortThatOpensLaterIsTriedUntilItDoes() throws IOException {
        Socket reserved = boundAndNotListening();
        int port = reserved.getLocalPort();
        JobMap shape = SimulatedJob.map(new int[] {1, 1}, loopback.getAddress(), 1);
        nodes.add(new Node(1, loopback, 0));
        JobMap map = movedTo(movedTo(shape, 0, port), 1, nodes.get(0).port.port());
        nodes.get(0).join(map, PATIENCE);
        CompletableFuture<Node.Result> waiting = nodes.get(0).fence(new int[] {0, 1}, new byte[] {1});
        reserved.close();
        Node root = new Node(0, loopback, port);
        nodes.add(root);
        root.join(map, PATIENCE);
        root.fence(new int[] {0, 1}, new byte[] {0});
        assertThat(Node.get(waiting).data()).containsExactly(0, 1);
    }

    @Test
    void theEndOfOneIsToldToAllOnceAndFencesThatWaitAreAnswered() throws IOException {
        start(8, 1);
        assertAllFence(8, parts(1));
        List<CompletableFuture<Node.Result>> waiting = new ArrayList<>();
        for (Node node : nodes.subList(0, 7)) {
            waiting.add(node.fence(IntStream.range(0, 8).toArray(), new byte[1]));
        }
        Ending ending = new Ending(Ending.Kind.FAILED, 7, 7, 3, "rank 7 exited with 3");
        Node last = nodes.get(7);
        last.loop.execute(() -> last.mesh().end(ending));
        for (Node node : nodes) {
            await().until(() -> !node.endings.isEmpty());
            assertThat(node.endings).containsExactly(ending);
        }
        for (CompletableFuture<Node.Result> each : waiting) {
            assertThat(Node.get(each).status()).isEqualTo(PmixStatus.PMIX_ERR_LOST_CONNECTION);
        }
    }

    @Test
    void anEndBeforeAnybodyIsConnectedStillArrives() throws IOException {
        JobMap map = listen(3, 1);
        nodes.get(2).join(map, PATIENCE);
        Node last = nodes.get(2);
        Ending ending = new Ending(Ending.Kind.FAILED, 2, 2, 9, "rank 2 exited with 9");
        last.loop.execute(() -> {
            last.mesh().end(ending);
            last.mesh().leave();
        });
        nodes.get(0).join(map, PATIENCE);
        nodes.get(1).join(map, PATIENCE);
        await().until(() ->
                !nodes.get(1).endings.isEmpty() && !nodes.get(0).endings.isEmpty());
        assertThat(nodes.get(1).endings).containsExactly(ending);
        await().until(() -> last.onLoop(() -> last.mesh().isFlushed()));
    }

    @Test
    void aPodThatIsKilledIsNamedToAllOthers() throws IOException {
        start(4, 1);
        assertAllFence(4, parts(1));
        nodes.get(2).close();
        for (int pod : new int[] {0, 1, 3}) {
            await().until(() -> !nodes.get(pod).endings.isEmpty());
            Ending ending = nodes.get(pod).endings.get(0);
            assertThat(ending.kind()).isEqualTo(Ending.Kind.LOST);
            assertThat(ending.pod()).isEqualTo(2);
            assertThat(ending.text())
                    .startsWith("pod 2 (job-2, 127.0.0.1, port ")
                    .contains("is lost:");
        }
    }

    @Test
    void podsThatAreDoneLeaveInAnyOrderAndNobodyIsLost() throws IOException {
        start(40, 1);
        for (Node node : nodes) {
            node.loop.execute(() -> leaveWhenPossible(node));
        }
        for (Node node : nodes) {
            await().until(() -> node.onLoop(() -> node.mesh().isFlushed()));
            assertThat(node.endings).isEmpty();
        }
    }

    private static void leaveWhenPossible(Node node) {
        node.mesh().doneHere();
        if (node.mesh().mayLeave()) {
            node.mesh().leave();
        } else {
            node.loop.after(5, () -> leaveWhenPossible(node));
        }
    }

    @Test
    void aFenceWithPodsThatAreDoneFails() throws IOException {
        start(3, 1);
        assertAllFence(3, parts(1));
        CompletableFuture<Node.Result> waiting = nodes.get(2).fence(new int[] {0, 1, 2}, new byte[1]);
        Node second = nodes.get(1);
        second.loop.execute(second.mesh()::leave);
        assertThat(Node.get(waiting).status()).isEqualTo(PmixStatus.PMIX_ERR_UNREACH);
        assertThat(Node.get(nodes.get(2).modex(1)).status()).isEqualTo(PmixStatus.PMIX_ERR_UNREACH);
        assertThat(nodes.get(2).endings).isEmpty();
    }

    @Test
    void garbageOnThePortIsNamedAndDisturbsNobody() throws Exception {
        JobMap map = start(2, 1);
        Random random = new Random(1);
        for (int i = 0; i < 50; i++) {
            try (Socket socket = new Socket(loopback, map.pods().get(0).port())) {
                byte[] garbage = new byte[1 + random.nextInt(3000)];
                random.nextBytes(garbage);
                socket.getOutputStream().write(garbage);
            }
        }
        assertAllFence(2, parts(100));
        await().until(() -> nodes.get(0).warnings.size() >= 50);
        assertThat(nodes.get(0).warnings)
                .anySatisfy(warning -> assertThat(warning).contains("does not speak the protocol of pmixd"));
        assertThat(nodes.get(0).endings).isEmpty();
    }

    @Test
    void somebodyWithoutTheJobsKeyIsNeverAPodOfIt() throws IOException {
        JobMap map = listen(2, 1);
        byte[] guess = new byte[32];
        guess[0] = 1;
        nodes.get(0).join(map, PATIENCE);
        try (Node thief = new Node(1, loopback, 0)) {
            thief.join(new JobMap(map.nspace(), 0, guess, map.apps(), map.pods(), null), PATIENCE);
            await().untilAsserted(() -> assertThat(nodes.get(0).warnings)
                    .filteredOn(warning -> warning.contains("calls itself pod 1") && warning.contains("not authentic"))
                    .hasSizeGreaterThan(1));
        }
        nodes.get(1).join(map, PATIENCE);
        assertAllFence(2, parts(10));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 40})
    void newsOfTheFabricGoDownTheTreeInOrderAndAlsoToPodsThatConnectLater(int pods) throws Exception {
        JobMap map = listen(pods, 1);
        nodes.get(0).join(map, PATIENCE);
        byte[] encoded = JobMapCodec.encode(map);
        nodes.get(0).onLoop(() -> {
            nodes.get(0).mesh().tellBelow(new JobFabricUpdate.Pending());
            nodes.get(0).mesh().tellBelow(new JobFabricUpdate.Updated(map, encoded));
            return true;
        });
        nodes.subList(1, pods).forEach(node -> node.join(map, PATIENCE));
        await().untilAsserted(() -> assertThat(nodes.subList(1, pods)).allSatisfy(JobMeshTest::assertUpdatedLast));
        nodes.get(0).onLoop(() -> {
            nodes.get(0).mesh().tellBelow(new JobFabricUpdate.Pending());
            return true;
        });
        await().untilAsserted(() -> assertThat(nodes.subList(1, pods))
                .allSatisfy(node -> assertThat(node.fabricUpdates.getLast()).isEqualTo(new JobFabricUpdate.Pending())));
        assertThat(nodes.get(0).fabricUpdates).isEmpty();
    }

    private static void assertUpdatedLast(Node node) {
        assertThat(node.fabricUpdates).isNotEmpty();
        assertThat(node.fabricUpdates.getLast()).isInstanceOf(JobFabricUpdate.Updated.class);
    }

    @Test
    void newsOfTheFabricAreTakenFromTheParentAlone() throws IOException {
        byte[] update = new Wire.Fabric(new JobFabricUpdate.Pending().encoded()).encode();
        assertThat(endingOf(0, 1, update)).contains("pod 1 (job-1) sent an update of the fabric to a pod above it");
        assertThat(nodes).allSatisfy(node -> assertThat(node.fabricUpdates).isEmpty());
    }

    @Test
    void theResultOfAFenceIsTakenFromTheParentAlone() throws IOException {
        FenceKey key = FenceKey.of(new byte[0], new int[] {0, 1, 2}, 2);
        BitSet pods = new BitSet();
        pods.set(0, 3);
        byte[] down = Wire.FenceDown.of(key, 0, pods, List.of(Wire.Part.of(1, new byte[30])))
                .encode();
        assertThat(endingOf(0, 1, down)).contains("pod 1 (job-1) sent the result of a fence to a pod above it");
    }

    @Test
    void aPartOfAFenceIsTakenFromAChildAlone() throws IOException {
        BitSet pods = new BitSet();
        pods.set(0, 3);
        byte[] up = new Wire.FenceUp(FenceKey.of(new byte[0], new int[] {0, 1, 2}, 2), 0, pods, List.of()).encode();
        assertThat(endingOf(1, 0, up)).contains("pod 0 (job-0) sent a part of a fence to a pod below it");
    }

    @Test
    void anAnswerOfPodZeroIsTakenFromTheParentAlone() throws IOException {
        assertThat(endingOf(0, 1, new Wire.RootAnswer(0, 1, 0, new byte[0]).encode()))
                .contains("pod 1 (job-1) sent an answer of pod 0 to a pod above it");
    }

    /** What is asked through the parent would have no answer any more. */
    @Test
    void aFarewellOfTheParentIsItsLoss() throws IOException {
        assertThat(endingOf(1, 0, new byte[] {1})).contains("pod 0 (job-0", "farewell to a pod below it");
    }

    /** What ends the attempt in pod {@code to} of three, to which a neighbour sends what it should not. */
    private String endingOf(int to, int from, byte[] message) throws IOException {
        start(3, 1);
        assertAllFence(3, parts(10));
        nodes.get(from).onLoop(() -> {
            nodes.get(from).mesh().send(to, message);
            return true;
        });
        await().until(() -> nodes.stream().allMatch(node -> !node.endings.isEmpty()));
        return nodes.get(to).endings.get(0).text();
    }

    @Test
    void aPodThatDoesNotReadWhatItIsSentIsLostBeforeItFillsTheHeap() throws IOException {
        start(2, 1);
        assertAllFence(2, parts(10));
        CountDownLatch end = new CountDownLatch(1);
        nodes.get(1).loop.execute(() -> awaitEnd(end));
        byte[] large = new byte[8 << 20];
        large[0] = 127;
        nodes.get(0).onLoop(() -> {
            for (long sent = 0; sent < mostLarge(large) && nodes.get(0).endings.isEmpty(); sent++) {
                nodes.get(0).mesh().send(1, large);
            }
            return true;
        });
        end.countDown();
        assertThat(nodes.get(0).endings).hasSize(1);
        assertThat(nodes.get(0).endings.get(0).text()).contains("pod 1 (job-1", "does not read what it is sent");
    }

    @Test
    void aPodThatIsLostWhileItIsSentWhatHasWaitedForItEndsTheAttempt() throws IOException {
        JobMap map = listen(2, 1);
        nodes.get(0).join(map, PATIENCE);
        byte[] large = new byte[8 << 20];
        large[0] = 127;
        nodes.get(0).onLoop(() -> {
            for (long sent = 0; sent < mostLarge(large); sent++) {
                nodes.get(0).mesh().send(1, large);
            }
            return true;
        });
        CountDownLatch end = new CountDownLatch(1);
        // Of a message of a kind that it does not know.
        nodes.get(1).whenWarned = () -> awaitEnd(end);
        nodes.get(1).join(map, PATIENCE);
        await().until(() -> nodes.get(0).endings.size() == 1);
        end.countDown();
        assertThat(nodes.get(0).onLoop(() -> nodes.get(0).mesh().hasLeft(1))).isTrue();
    }

    /** More than wait for one pod. */
    private static long mostLarge(byte[] large) {
        return 3L * HeapLimits.ofThisProcess().messageBytes() / large.length + 20;
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aPodThatCannotBeReachedIsNamedWithWhatToAllow() throws IOException {
        JobMap map = listen(2, 1);
        int closed;
        try (Socket reserved = boundAndNotListening()) {
            closed = reserved.getLocalPort();
            nodes.get(1).join(movedTo(map, 0, closed), 9_500);
            await().until(() -> !nodes.get(1).endings.isEmpty());
        }
        assertThat(nodes.get(1).warnings)
                .anySatisfy(warning -> assertThat(warning)
                        .containsPattern(
                                "pod 0 \\(job-0, 127.0.0.1, port " + closed + "\\) cannot be reached for [3-9] s")
                        .contains("Connection refused")
                        .contains("NetworkPolicy"));
        assertThat(nodes.get(1).endings.get(0).kind()).isEqualTo(Ending.Kind.LOST);
    }

    /** What a proxy between two pods does to the bytes from the child to the root. */
    private interface Meddler {
        /** @return whether to go on */
        boolean pass(byte[] bytes, int count, int total, OutputStream out) throws IOException;
    }

    private String endingThrough(Meddler meddler) throws IOException {
        JobMap map = listen(2, 1);
        try (ServerSocket proxy = new ServerSocket(0, 1, loopback)) {
            Thread pump = new Thread(() -> proxy(proxy, map.pods().get(0).port(), meddler));
            pump.setDaemon(true);
            pump.start();
            nodes.get(0).join(map, PATIENCE);
            nodes.get(1).join(movedTo(map, 0, proxy.getLocalPort()), PATIENCE);
            assertAllFence(2, parts(10));
            nodes.get(1).fence(new int[] {0, 1}, new byte[5000]);
            await().until(() -> !nodes.get(0).endings.isEmpty());
            return nodes.get(0).endings.get(0).text();
        }
    }

    private static void proxy(ServerSocket from, int to, Meddler meddler) {
        try (Socket child = from.accept();
                Socket root = new Socket(InetAddress.getLoopbackAddress(), to)) {
            Thread back = new Thread(() -> {
                try {
                    root.getInputStream().transferTo(child.getOutputStream());
                } catch (IOException e) {
                    // One of them has ended, which is what the test is about.
                }
            });
            back.setDaemon(true);
            back.start();
            InputStream in = child.getInputStream();
            byte[] buffer = new byte[100_000];
            int total = 0;
            int count = in.read(buffer);
            boolean pass = true;
            while (count > 0 && pass) {
                total += count;
                pass = meddler.pass(buffer, count, total, root.getOutputStream());
                count = pass ? in.read(buffer) : -1;
            }
        } catch (IOException e) {
            // As above.
        }
    }

    @Test
    void anAlteredByteEndsTheAttemptWithItsName() throws IOException {
        assertThat(endingThrough((bytes, count, total, out) -> {
                    if (total > 4000) {
                        bytes[count - 100] ^= 1;
                    }
                    out.write(bytes, 0, count);
                    return true;
                }))
                .contains("pod 1 (job-1")
                .contains("not authentic");
    }

    @Test
    void aRepeatedFrameEndsTheAttemptWithItsName() throws IOException {
        assertThat(endingThrough((bytes, count, total, out) -> {
                    out.write(bytes, 0, count);
                    if (total > 4000) {
                        out.write(bytes, 0, count);
                    }
                    return true;
                }))
                .contains("not authentic: altered, repeated or out of order");
    }

    @Test
    void aConnectionThatIsCutInAMessageEndsTheAttemptWithItsName() throws IOException {
        assertThat(endingThrough((bytes, count, total, out) -> {
                    out.write(bytes, 0, total > 4000 ? count / 2 : count);
                    return total <= 4000;
                }))
                .containsAnyOf("in the middle of a message", "Connection reset");
    }
}
