/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against Java's own sockets. */
@Timeout(300)
class UnixSocketTest {
    @TempDir
    Path directory;

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve("s")));
    }

    @Test
    void bytesComeAndGoUntilTheEnd() throws IOException {
        UnixSocket server = UnixSocket.listen(directory.resolve("s"));
        try (SocketChannel client = connect()) {
            UnixSocket here = server.accept();
            client.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));
            byte[] bytes = new byte[16];
            assertThat(new String(bytes, 0, here.read(bytes), StandardCharsets.UTF_8))
                    .isEqualTo("hello");

            assertThat(here.write("..and back".getBytes(StandardCharsets.UTF_8), 2, 8))
                    .isEqualTo(8);
            ByteBuffer answer = ByteBuffer.allocate(16);
            client.read(answer);
            assertThat(new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8))
                    .isEqualTo("and back");

            client.shutdownOutput();
            assertThat(here.read(bytes)).isZero();
            here.close();
        } finally {
            server.close();
        }
    }

    @Test
    void writingTakesNothingWhileTheOtherSideDoesNotRead() throws IOException {
        UnixSocket server = UnixSocket.listen(directory.resolve("s"));
        try (SocketChannel client = connect()) {
            UnixSocket here = server.accept();
            byte[] bytes = new byte[100_000];
            int taken = 0;
            int count = here.write(bytes, 0, bytes.length);
            while (count > 0) {
                taken += count;
                count = here.write(bytes, 0, bytes.length);
            }
            assertThat(taken).isPositive();

            client.read(ByteBuffer.allocate(taken));
            assertThat(here.write(bytes, 0, bytes.length)).isPositive();
            here.close();
        } finally {
            server.close();
        }
    }

    @Test
    void whatIsUnreadAtAShutdownIsStillRead() throws IOException {
        UnixSocket server = UnixSocket.listen(directory.resolve("s"));
        try (SocketChannel client = connect()) {
            UnixSocket here = server.accept();
            here.write("last words".getBytes(StandardCharsets.UTF_8), 0, 10);
            here.shutdown();

            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            ByteBuffer part = ByteBuffer.allocate(4);
            while (client.read(part) >= 0) {
                heard.write(part.array(), 0, part.position());
                part.clear();
            }
            assertThat(heard.toString(StandardCharsets.UTF_8)).isEqualTo("last words");
            assertThatThrownBy(() -> here.write(new byte[1], 0, 1)).hasMessage("write: Broken pipe");
            here.close();
        } finally {
            server.close();
        }
    }

    @Test
    void aShutdownWakesWhoAcceptsAndWhoReads() throws Exception {
        UnixSocket server = UnixSocket.listen(directory.resolve("s"));
        try (SocketChannel client = connect()) {
            UnixSocket here = server.accept();
            CompletableFuture<Integer> read =
                    CompletableFuture.supplyAsync(() -> waiting(() -> here.read(new byte[1])), UnixSocketTest::start);
            CompletableFuture<Integer> accept = CompletableFuture.supplyAsync(
                    () -> waiting(() -> {
                        server.accept();
                        return 1;
                    }),
                    UnixSocketTest::start);
            TimeUnit.MILLISECONDS.sleep(50);
            assertThat(read).isNotDone();
            assertThat(accept).isNotDone();

            here.shutdown();
            server.shutdown();
            assertThat(read.get(60, TimeUnit.SECONDS)).isZero();
            assertThat(accept.get(60, TimeUnit.SECONDS)).isEqualTo(-1);
            assertThat(client.isOpen()).isTrue();
            here.close();
        } finally {
            server.close();
        }
    }

    /** The threads that others share may be fewer than wait here. */
    private static void start(Runnable task) {
        Thread.ofPlatform().daemon().start(task);
    }

    private interface Wait {
        int result() throws IOException;
    }

    private static int waiting(Wait wait) {
        try {
            return wait.result();
        } catch (IOException e) {
            return -1;
        }
    }

    @Test
    void aPathThatCannotBeIsNamed() throws IOException {
        Path deep = directory.resolve("d".repeat(108));
        assertThatThrownBy(() -> UnixSocket.listen(deep))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot listen at " + deep + ": File name too long");
        UnixSocket.listen(directory.resolve("s")).close();
        assertThatThrownBy(() -> UnixSocket.listen(directory.resolve("s")))
                .hasMessageContaining("Address already in use");
    }
}
