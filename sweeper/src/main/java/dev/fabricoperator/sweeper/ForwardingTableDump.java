/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;

/**
 * Forwarding tables of all switches as a program of infiniband-diags prints them: read, so that a torn text is not passed on, and kept compressed in a
 * file, since the text of 2,000 switches is 250 MB.
 *
 * @param tables to tell whether the next dump says anything else
 * @param gzip the text compressed, in a file that has no name any more: it is gone with this process however that ends
 * @param digest SHA-256 of the compressed text, 64 lower-case hex digits
 */
record ForwardingTableDump(ForwardingTables tables, FileChannel gzip, String digest) implements AutoCloseable {
    private static final long MAXIMUM_BYTES = 1L << 30;
    private static final int BUFFER = 1 << 16;

    /**
     * Runs the program. The caller closes the result.
     *
     * @throws IOException if it fails, does not end in time, or finds no switch
     * @throws BadInputException if its output cannot be understood
     */
    static ForwardingTableDump of(List<String> command, Duration limit)
            throws IOException, BadInputException, InterruptedException {
        Path errors = Files.createTempFile("tables", ".err");
        Path file = Files.createTempFile("tables", ".gz");
        FileChannel gzip = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        Files.deleteIfExists(file);
        boolean done = false;
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectError(errors.toFile())
                    .start();
            // On a thread of its own: a read from a process cannot be interrupted, and ends when the process does.
            FutureTask<ForwardingTableDump> reading =
                    new FutureTask<>(() -> read(command.getFirst(), process.getInputStream(), gzip));
            Thread.ofVirtual().name("forwarding-tables").start(reading);
            try {
                ForwardingTableDump dump = reading.get(limit.toMillis(), TimeUnit.MILLISECONDS);
                int code = process.waitFor();
                if (code != 0 || dump.tables.all().isEmpty()) {
                    throw new IOException(command.getFirst()
                            + (code == 0 ? " finds no switch: " : " ended with " + code + ": ")
                            + Subnet.words(errors));
                }
                done = true;
                return dump;
            } catch (TimeoutException e) {
                throw new IOException(command.getFirst() + " has not ended within " + limit.toSeconds() + " s", e);
            } finally {
                process.destroyForcibly();
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case BadInputException bad -> throw bad;
                case IOException failed -> throw failed;
                case null, default -> throw new IllegalStateException(e.getCause());
            }
        } finally {
            Files.deleteIfExists(errors);
            if (!done) {
                gzip.close();
            }
        }
    }

    private static ForwardingTableDump read(String program, InputStream said, FileChannel gzip)
            throws IOException, BadInputException {
        MessageDigest sha256 = Sha256.begin();
        ForwardingTables tables;
        try (OutputStream kept = new GZIPOutputStream(new DigestOutputStream(Unclosed.of(gzip), sha256), BUFFER);
                BufferedReader text = new BufferedReader(
                        new InputStreamReader(new Copied(program, said, kept), StandardCharsets.UTF_8), BUFFER)) {
            tables = ForwardingTableReader.read(program, text);
        }
        return new ForwardingTableDump(tables, gzip, HexFormat.of().formatHex(sha256.digest()));
    }

    /** Sends the compressed text. */
    void send(OutputStream out) throws IOException {
        ByteBuffer part = ByteBuffer.allocate(BUFFER);
        long at = 0;
        while (gzip.read(part, at) > 0) {
            at += part.position();
            out.write(part.array(), 0, part.position());
            part.clear();
        }
    }

    @Override
    public void close() throws IOException {
        gzip.close();
    }

    /** A stream into a channel that stays open behind it. */
    private static final class Unclosed extends FilterOutputStream {
        private Unclosed(OutputStream out) {
            super(out);
        }

        static OutputStream of(FileChannel channel) {
            return new Unclosed(Channels.newOutputStream(channel));
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    /** A stream of which all that is read is written to another one as well. */
    private static final class Copied extends FilterInputStream {
        private final String program;
        private final OutputStream copy;
        private long bytes;

        Copied(String program, InputStream in, OutputStream copy) {
            super(in);
            this.program = program;
            this.copy = copy;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int count = in.read(buffer, offset, length);
            if (count > 0) {
                copy.write(buffer, offset, count);
                bytes += count;
                if (bytes > MAXIMUM_BYTES) {
                    throw new IOException(program + " says more than " + MAXIMUM_BYTES + " bytes");
                }
            }
            return count;
        }
    }
}
