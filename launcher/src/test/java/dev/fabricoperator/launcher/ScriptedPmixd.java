/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The other end of the launcher's socket, which says exactly what a test lets it say. */
final class ScriptedPmixd implements AutoCloseable {

    private final Path directory;
    private final ServerSocketChannel server;
    private @Nullable SocketChannel connection;
    private @Nullable BufferedReader reader;

    ScriptedPmixd() throws IOException {
        // A socket's path has 107 bytes at most.
        directory = Files.createTempDirectory(Path.of("/tmp"), "pmixd");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path()));
    }

    Path path() {
        return directory.resolve("s");
    }

    /** Waits for the launcher and takes its lines up to {@code end}. */
    List<String> hello() throws IOException {
        connect();
        List<String> lines = new ArrayList<>();
        while (lines.isEmpty() || !lines.getLast().equals("end")) {
            lines.add(line());
        }
        return lines;
    }

    void connect() throws IOException {
        connection = server.accept();
        reader = new BufferedReader(Channels.newReader(connection, StandardCharsets.UTF_8));
    }

    void say(String... lines) throws IOException {
        write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void write(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            Objects.requireNonNull(connection).write(buffer);
        }
    }

    /** What the launcher says next; {@code <closed>} if nothing any more. */
    String line() {
        try {
            String line = Objects.requireNonNull(reader).readLine();
            return line == null ? "<closed>" : line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void disconnect() throws IOException {
        Objects.requireNonNull(connection).close();
    }

    @Override
    public void close() throws IOException {
        if (connection != null) {
            connection.close();
        }
        server.close();
        Files.deleteIfExists(path());
        // Of a launcher that was killed.
        Files.deleteIfExists(directory.resolve("ranks-run"));
        Files.delete(directory);
    }
}
