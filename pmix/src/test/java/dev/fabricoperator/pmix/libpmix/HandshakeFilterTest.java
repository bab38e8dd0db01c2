/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fabricoperator.pmix.libpmix.HandshakeFilter.Clients;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter between a socket that plays a client and one that plays the library. */
class HandshakeFilterTest {
    private static final String NSPACE = "ns.job-1234-0";
    private static final int UID = own("unix:uid");
    private static final int GID = own("unix:gid");
    private static final byte[] GOOD = HandshakeBytes.of(NSPACE, 3, UID, GID);

    private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();
    private PlayedLibrary library;
    private HandshakeFilter filter;

    @BeforeEach
    void open() throws IOException {
        open(Duration.ofSeconds(60));
    }

    private void open(Duration libraryLimit) throws IOException {
        filter = HandshakeFilter.open(0, Clients.OfContainer, libraryLimit, refused::add);
        library = new PlayedLibrary(filter);
        filter.expect(NSPACE, 3, UID, GID);
    }

    private void openWithShortLibraryLimit() throws IOException {
        close();
        open(Duration.ofSeconds(2));
    }

    @AfterEach
    void close() {
        filter.close();
        library.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", filter.port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private String reason() throws InterruptedException {
        String reason = refused.poll(60, TimeUnit.SECONDS);
        return reason == null ? "none" : reason;
    }

    @Test
    void aGoodHandshakeReachesTheLibraryWholeAndLaterBytesPassBothWays() throws IOException {
        try (Socket client = connect()) {
            // In two pieces, cut within the header.
            client.getOutputStream().write(GOOD, 0, 9);
            client.getOutputStream().flush();
            client.getOutputStream().write(GOOD, 9, GOOD.length - 9);
            try (PlayedLibrary.Connection accepted = library.accept()) {
                assertThat(accepted.getInputStream().readNBytes(GOOD.length)).isEqualTo(GOOD);
                byte[] much = new byte[3_000_000];
                new Random(1).nextBytes(much);
                Thread.ofPlatform().daemon().start(() -> {
                    try {
                        accepted.getOutputStream().write(much);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
                assertThat(client.getInputStream().readNBytes(much.length)).isEqualTo(much);
                client.getOutputStream().write(7);
                assertThat(accepted.getInputStream().read()).isEqualTo(7);
                client.close();
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        }
        assertThat(refused).isEmpty();
    }

    @Test
    void anAcceptedConnectionSendsEachMessageAtOnce() throws IOException {
        try (Socket client = connect()) {
            client.getOutputStream().write(GOOD);
            try (PlayedLibrary.Connection accepted = library.accept()) {
                assertThat(accepted.sendsAtOnce())
                        .as("TCP_NODELAY, which the library does not set itself")
                        .isTrue();
            }
        }
    }

    /** What was looked at is what the library reads: an urgent byte is passed over by who reads, and comes back when another one follows. */
    @Test
    void aHandshakeWithAnUrgentByteIsNotWhole() throws IOException, InterruptedException {
        try (Socket client = connect()) {
            client.getOutputStream().write(GOOD, 0, 20);
            client.sendUrgentData(GOOD[20]);
            client.getOutputStream().write(GOOD, 21, GOOD.length - 21);
            assertThat(reason()).isEqualTo("no handshake within 5 s");
        }
    }

    private static int own(String attribute) {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), attribute);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ns.job-1234-0 | 4 | 0 | no rank of this pod",
                "ns.other | 3 | 0 | no rank of this pod",
                "ns.job-1234-0 | 3 | 7 | rank 3 says that it is user %2$d:%3$d, but was started as %1$d:%3$d"
            })
    void whoIsNotExpectedIsRefusedByNameAndDisconnected(String nspace, int rank, int more, String why)
            throws IOException, InterruptedException {
        try (Socket client = connect()) {
            client.getOutputStream().write(HandshakeBytes.of(nspace, rank, UID + more, GID));
            assertThat(reason()).isEqualTo(why.formatted(UID, UID + more, GID));
            InputStream in = client.getInputStream();
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    /** Its handshake is right to the last byte: only the kernel knows better. */
    @Test
    void aProcessOfAnotherUserThatSpeaksAsARankIsRefused() throws IOException, InterruptedException {
        filter.expect(NSPACE, 5, UID + 7, GID);
        try (Socket client = connect()) {
            client.getOutputStream().write(HandshakeBytes.of(NSPACE, 5, UID + 7, GID));
            assertThat(reason())
                    .isEqualTo("a process of user %d says that it is rank 5, which was started as user %d"
                            .formatted(UID, UID + 7));
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aToolOfTheRanksUserPassesAndTheLastOneIsToldOf() throws IOException, InterruptedException {
        BlockingQueue<String> left = new LinkedBlockingQueue<>();
        filter.whenLastToolLeaves(() -> left.add("left"));
        byte[] named = HandshakeBytes.tool("pquery.pod-0.17", UID, GID);
        byte[] unnamed = HandshakeBytes.tool(null, UID, GID);
        try (Socket first = connect();
                Socket second = connect()) {
            first.getOutputStream().write(named);
            try (PlayedLibrary.Connection firstAccepted = library.accept()) {
                assertThat(firstAccepted.getInputStream().readNBytes(named.length))
                        .isEqualTo(named);
                second.getOutputStream().write(unnamed);
                try (PlayedLibrary.Connection secondAccepted = library.accept()) {
                    assertThat(secondAccepted.getInputStream().readNBytes(unnamed.length))
                            .isEqualTo(unnamed);
                    second.close();
                    assertThat(secondAccepted.getInputStream().read()).isEqualTo(-1);
                }
                assertThat(left.poll(100, TimeUnit.MILLISECONDS)).isNull();
                first.close();
                assertThat(firstAccepted.getInputStream().read()).isEqualTo(-1);
            }
        }
        assertThat(left.poll(60, TimeUnit.SECONDS)).isEqualTo("left");
        assertThat(refused).isEmpty();
    }

    @Test
    void aToolOfAnotherUserOrWithANameThatIsTakenIsRefused() throws IOException, InterruptedException {
        filter.reserve("pmixd.ns.pod-0");
        Map<byte[], String> reasons = new LinkedHashMap<>();
        reasons.put(
                HandshakeBytes.tool("pquery.pod-0.17", UID + 1, GID),
                "a tool of user " + (UID + 1) + ", who has no rank in this pod now");
        reasons.put(HandshakeBytes.tool(NSPACE, UID, GID), "a tool with a name that is taken");
        reasons.put(HandshakeBytes.tool("pmixd.ns.pod-0", UID, GID), "a tool with a name that is taken");
        String nextAttempt = NSPACE.substring(0, NSPACE.lastIndexOf('-') + 1) + 1;
        reasons.put(HandshakeBytes.tool(nextAttempt, UID, GID), "a tool with a name that is taken");
        for (Map.Entry<byte[], String> each : reasons.entrySet()) {
            try (Socket client = connect()) {
                client.getOutputStream().write(each.getKey());
                assertThat(reason()).isEqualTo(each.getValue());
                assertThat(client.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    /** What it says of itself is what the filter wants to hear. */
    @Test
    void aToolThatSaysItIsOfTheRanksUserAndIsNotIsRefused() throws IOException, InterruptedException {
        filter.expect(NSPACE, 4, UID + 1, GID);
        try (Socket client = connect()) {
            client.getOutputStream().write(HandshakeBytes.tool("pquery.pod-0.17", UID + 1, GID));
            assertThat(reason())
                    .isEqualTo("a process of user " + UID + " says that it is a tool, which was started as user "
                            + (UID + 1));
        }
    }

    /** A refusal would tell Open MPI that there is no server, and it would run the program alone. */
    @Test
    void aRankThatConnectsWhenItsAttemptHasEndedIsNeitherRefusedNorAnswered() throws Exception {
        filter.forget(NSPACE, 1_000);
        try (Socket late = connect()) {
            late.getOutputStream().write(GOOD);
            late.setSoTimeout(300);
            assertThatExceptionOfType(SocketTimeoutException.class)
                    .isThrownBy(() -> late.getInputStream().read());
            assertThat(refused).isEmpty();
        }
        filter.expect("ns.job-1234-1", 3, UID, GID);
        try (Socket next = connect()) {
            next.getOutputStream().write(HandshakeBytes.of("ns.job-1234-1", 3, UID, GID));
            try (PlayedLibrary.Connection accepted = library.accept()) {
                assertThat(accepted.getInputStream().readNBytes(GOOD.length)).hasSize(GOOD.length);
            }
        }
        filter.forget("ns.job-1234-1", 1_000);
        try (Socket longGone = connect()) {
            longGone.getOutputStream().write(GOOD);
            assertThat(reason()).isEqualTo("no rank of this pod");
        }
    }

    /** Whether a client that hangs on to its socket is still there or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void forgettingAJobWaitsUntilTheLibraryHasSeenItsConnectionsEnd(boolean clientStays) throws Exception {
        try (Socket client = connect()) {
            client.getOutputStream().write(GOOD);
            PlayedLibrary.Connection accepted = library.accept();
            accepted.getInputStream().readNBytes(GOOD.length);
            if (!clientStays) {
                client.close();
            }
            CompletableFuture<Integer> left = CompletableFuture.supplyAsync(() -> filter.forget(NSPACE, 60_000));
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            assertThat(left).isNotDone();
            accepted.close();
            assertThat(left.get(60, TimeUnit.SECONDS)).isZero();
        }
    }

    @Test
    void aLibraryThatNeverClosesIsNotWaitedForForGood() throws IOException {
        try (Socket client = connect()) {
            client.getOutputStream().write(GOOD);
            try (PlayedLibrary.Connection accepted = library.accept()) {
                accepted.getInputStream().readNBytes(GOOD.length);
                assertThat(filter.forget("ns.another", 1_000)).isZero();
                assertThat(filter.forget(NSPACE, 1_000)).isEqualTo(1);
            }
        }
    }

    @Test
    void aSilentConnectionDelaysNobody() throws IOException {
        try (Socket silent = connect();
                Socket client = connect()) {
            assertThat(silent.isConnected()).isTrue();
            client.getOutputStream().write(GOOD);
            try (PlayedLibrary.Connection accepted = library.accept()) {
                assertThat(accepted.getInputStream().readNBytes(GOOD.length)).isEqualTo(GOOD);
            }
        }
    }

    @Test
    void aLibraryThatTakesNoConnectionsDelaysNobody() throws Exception {
        openWithShortLibraryLimit();
        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i < HandshakeFilter.MAX_PER_RANK; i++) {
                Socket client = connect();
                clients.add(client);
                client.getOutputStream().write(GOOD);
            }
            Socket stranger = connect();
            clients.add(stranger);
            stranger.getOutputStream().write(HandshakeBytes.of(NSPACE, 4, UID, GID));
            assertThat(reason()).isEqualTo("no rank of this pod");
            assertThat(reason()).isEqualTo("libpmix takes no connections, not within 2 s");
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void aLibraryThatIsGoneIsNamed() throws IOException, InterruptedException {
        openWithShortLibraryLimit();
        library.close();
        try (Socket client = connect()) {
            client.getOutputStream().write(GOOD);
            assertThat(reason()).startsWith("libpmix takes no connections");
        }
    }

    @Test
    void moreThanAHandshakeIsNone() throws IOException, InterruptedException {
        byte[] more = java.util.Arrays.copyOf(GOOD, GOOD.length + 5);
        try (Socket client = connect()) {
            client.getOutputStream().write(more);
            assertThat(reason()).isEqualTo("more than a handshake");
        }
    }

    /** Ranks of a pod connect at once: whoever holds connections open must not keep them out. */
    @Test
    void connectionsWithoutAHandshakeMakeRoomForOnesThatHaveOne() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * HandshakeFilter.MAX_UNDECIDED; i++) {
                silent.add(connect());
            }
            try (Socket client = connect()) {
                client.getOutputStream().write(GOOD);
                try (PlayedLibrary.Connection accepted = library.accept()) {
                    assertThat(accepted.getInputStream().readNBytes(GOOD.length))
                            .isEqualTo(GOOD);
                }
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
        assertThat(reason()).contains("was the oldest of " + HandshakeFilter.MAX_UNDECIDED);
    }

    @Test
    void aHandshakeOfMoreThanSixteenKibibytesIsRefusedByItsHeader() throws Exception {
        ByteBuffer header = ByteBuffer.allocate(Handshake.HEADER).order(ByteOrder.nativeOrder());
        header.putInt(-1).putInt(-1).putInt(Handshake.MAX_BYTES + 1).putInt(0);
        try (Socket client = connect()) {
            client.getOutputStream().write(header.array());
            assertThat(reason()).isEqualTo("a handshake of " + (Handshake.MAX_BYTES + 1) + " bytes");
        }
    }

    @Test
    void oneRankHasFewConnectionsAtATime() throws Exception {
        List<Closeable> sockets = new ArrayList<>();
        try {
            for (int i = 0; i <= HandshakeFilter.MAX_PER_RANK; i++) {
                Socket client = connect();
                sockets.add(client);
                client.getOutputStream().write(GOOD);
                if (i < HandshakeFilter.MAX_PER_RANK) {
                    sockets.add(library.accept());
                }
            }
            assertThat(reason()).isEqualTo("rank 3 has 8 connections already");
        } finally {
            for (Closeable socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void resetsAndGarbageAtEveryLengthDisturbNobody() throws Exception {
        Random random = new Random(3);
        for (int i = 0; i < 400; i++) {
            Socket socket = connect();
            byte[] bytes = GOOD.clone();
            if (i % 2 == 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            socket.getOutputStream().write(bytes, 0, random.nextInt(bytes.length));
            if (i % 3 > 0) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        }
        try (Socket client = connect()) {
            client.getOutputStream().write(GOOD);
            try (PlayedLibrary.Connection accepted = library.accept()) {
                assertThat(accepted.getInputStream().readNBytes(GOOD.length)).isEqualTo(GOOD);
            }
        }
    }
}
