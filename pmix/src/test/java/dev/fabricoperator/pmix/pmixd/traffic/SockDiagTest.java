/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fabricoperator.pmix.pmixd.traffic.TcpConnections.Connection;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One after another: the kernel tells every listener of this network of the flood of connections that one of them makes. */
@Execution(ExecutionMode.SAME_THREAD)
class SockDiagTest {
    private static final int BYTES = 5_000_000;
    private static final long LONGEST_WAIT_SECONDS = 30;

    /** Sends from 127.0.0.2 and reads all of it. */
    private static void send(Socket from, Socket to) throws IOException {
        byte[] piece = new byte[BYTES / 100];
        InputStream in = to.getInputStream();
        for (int sent = 0; sent < BYTES; sent += piece.length) {
            from.getOutputStream().write(piece);
            in.readNBytes(piece.length);
        }
    }

    private static List<Connection> to(List<Connection> all, int port) {
        return all.stream().filter(each -> each.peerPort() == port).toList();
    }

    @Test
    void aConnectionCountsWhatThePeerHasConfirmedWhileItIsOpenAndWhenItHasBeenClosed() throws Exception {
        for (String address : List.of("127.0.0.2", "::1")) {
            int tries = 0;
            // Whoever closes many connections on this machine meanwhile may leave the kernel no room to tell of this
            // one.
            while (!isCountedWhole(InetAddress.ofLiteral(address))) {
                assertThat(++tries).as("tries with %s", address).isLessThan(20);
            }
        }
    }

    /** False where the kernel says that it has missed something. */
    private static boolean isCountedWhole(InetAddress own) throws Exception {
        try (SockDiag calls = new SockDiag(true);
                ServerSocket server = new ServerSocket(0, 1, own)) {
            Socket from = new Socket();
            from.connect(new InetSocketAddress(own, server.getLocalPort()));
            List<Connection> open = new ArrayList<>();
            try (from;
                    Socket to = server.accept()) {
                send(from, to);
                calls.open(open::add);
                assertThat(to(open, server.getLocalPort())).singleElement().satisfies(each -> {
                    assertThat(each.acknowledged()).isCloseTo(BYTES, within(2L));
                    assertThat(each.peer()).isEqualTo(own.getAddress());
                    assertThat(each.local()).isEqualTo(from.getLocalAddress().getAddress());
                    assertThat(each.localPort()).isEqualTo(from.getLocalPort());
                    assertThat(each.inode()).isPositive();
                });
                send(from, to);
            }
            List<Connection> closed = new ArrayList<>();
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
            while (to(closed, server.getLocalPort()).isEmpty() && System.nanoTime() < until) {
                if (calls.closed(closed::add) > 0) {
                    return false;
                }
                Thread.sleep(10);
            }
            assertThat(to(closed, server.getLocalPort())).singleElement().satisfies(each -> {
                assertThat(each.acknowledged()).isCloseTo(2L * BYTES, within(3L));
                assertThat(each.cookie())
                        .isEqualTo(to(open, server.getLocalPort()).getFirst().cookie());
            });
            return true;
        }
    }

    @Test
    void whereTheKernelHadNoRoomToTellOfClosedConnectionsThatIsSaid() throws Exception {
        try (SockDiag calls = new SockDiag(true);
                ServerSocket server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.3"))) {
            for (int i = 0; i < 1_500; i++) {
                try (Socket from = new Socket(server.getInetAddress(), server.getLocalPort());
                        Socket to = server.accept()) {
                    from.shutdownOutput();
                    assertThat(to.getInputStream().read()).isNegative();
                }
            }
            int missed = 0;
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
            while (missed == 0 && System.nanoTime() < until) {
                missed += calls.closed(each -> {});
                Thread.sleep(10);
            }
            assertThat(missed).isPositive();
        }
    }

    @Test
    void bytesOfAnybodyAreNoConnectionOrOne() {
        Random random = new Random(3);
        for (int round = 0; round < 10_000; round++) {
            byte[] bytes = new byte[random.nextInt(400)];
            random.nextBytes(bytes);
            ByteBuffer messages = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
            if (bytes.length > 20) {
                messages.putInt(0, random.nextInt(bytes.length + 1)).putShort(4, (short) 20);
            }
            SockDiag.take(messages, each -> assertThat(each.peer()).isNotEmpty());
        }
    }

    @Test
    void anAddressIsTheSameHoweverItIsWritten() throws Exception {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        mapped[12] = 10;
        mapped[15] = 7;
        assertThat(SockDiag.plain(mapped)).isEqualTo(new byte[] {10, 0, 0, 7});
        byte[] other = InetAddress.getByName("fd00::1").getAddress();
        assertThat(SockDiag.plain(other)).isEqualTo(other);
    }
}
