/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes over the socket, by real connections; the time that looks take is played. */
class SubnetEventsTest {
    @TempDir
    private Path directory;

    private final Semaphore heard = new Semaphore(0);
    private volatile Instant now = Instant.EPOCH;
    private Path socket;
    private SubnetEvents events;

    @BeforeEach
    void listen() throws IOException {
        socket = directory.resolve("opensm.sock");
        events = new SubnetEvents(socket, () -> now, heard::release, Duration.ofSeconds(2));
    }

    @AfterEach
    void close() throws IOException {
        events.close();
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    private void say(String line) throws Exception {
        try (SocketChannel channel = connect()) {
            channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            // Nobody reads a line to its end that is too long.
            assertThat(line).hasSizeGreaterThan(100);
        }
        assertThat(heard.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    }

    /** A look that takes so long. */
    private void look(Duration taken) {
        Instant began = now;
        events.begin();
        now = now.plus(taken);
        events.end(began);
    }

    @Test
    void oneLineAsksForOneLookAtOnce() throws Exception {
        assertThat(events.untilLook()).isNull();
        say("link\n");
        assertThat(events.untilLook()).isEqualTo(Duration.ZERO);
        assertThat(events.begin()).as("others tables").isFalse();
        assertThat(events.untilLook()).isNull();
        say("routes\n");
        say("up\n");
        assertThat(events.begin()).as("others tables").isTrue();
        assertThat(events.untilLook()).isNull();
    }

    @Test
    void tablesAreWholeBetweenTheEndOfOneChangeAndTheBeginOfTheNext() throws Exception {
        assertThat(events.settled()).isNull();
        say("up\n");
        Long mark = events.settled();
        assertThat(mark).isNotNull();
        assertThat(events.isStill(Objects.requireNonNull(mark))).isTrue();
        say("link\n");
        assertThat(events.settled()).isNull();
        say("routes\n");
        say("up\n");
        assertThat(events.isStill(mark)).isFalse();
        assertThat(events.settled()).isNotNull().isNotEqualTo(mark);
        now = now.plusSeconds(11);
        assertThat(events.settled()).as("long ago").isNull();
    }

    @Test
    void looksThatAreAskedForWithoutPauseTakeHalfOfTheTimeAndThenATenth() throws Exception {
        Duration look = Duration.ofSeconds(1);
        int looks = 0;
        for (Instant end = now.plusSeconds(20); now.isBefore(end); looks++) {
            say("link\n");
            now = now.plus(events.untilLook());
            look(look);
        }
        assertThat(looks).isBetween(9, 12);
        looks = 0;
        for (Instant end = now.plusSeconds(100); now.isBefore(end); looks++) {
            say("link\n");
            now = now.plus(events.untilLook());
            look(look);
        }
        assertThat(looks).isBetween(9, 12);
        now = now.plusSeconds(100);
        say("link\n");
        assertThat(events.untilLook()).as("after a quiet time").isEqualTo(Duration.ZERO);
    }

    @Test
    void aLineThatIsCutOrOfAnotherKindIsALookAndOneMessage() throws Exception {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            say("up\n");
            say("li");
            assertThat(events.untilLook()).isEqualTo(Duration.ZERO);
            assertThat(events.settled()).isNull();
            say("");
            say("\0\0\0\0");
            say("x".repeat(100_000));
            try (SocketChannel silent = connect()) {
                assertThat(silent.isConnected()).isTrue();
                // Whoever says nothing holds up others for a moment only.
                say("link\n");
            }
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    }

    @Test
    void aFloodIsOneLook() throws Exception {
        for (int i = 0; i < 500; i++) {
            say("link\n");
        }
        events.begin();
        assertThat(events.untilLook()).isNull();
    }

    @Test
    void aSocketThatWasLeftIsReplaced() throws Exception {
        SubnetEvents other = new SubnetEvents(socket, () -> now, heard::release);
        say("up\n");
        assertThat(other.settled()).isNotNull();
        other.close();
        assertThat(Files.exists(socket)).isFalse();
    }
}
