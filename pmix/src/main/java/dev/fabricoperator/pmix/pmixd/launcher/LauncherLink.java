/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.pmix.foreign.UnixSocket;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.protocol.job.JobLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** One connection to the launcher's socket: lines in both directions. A thread reads, all else happens on the loop. */
final class LauncherLink {
    /** Arguments and variables of a run may be as long as the kernel takes them. */
    private static final int LINE_BYTES = 256 * 1024;
    /** Of a greeting; that of a host with 16 adapters has 3,000. */
    private static final int GREETING_BYTES = 256 * 1024;
    /** Answers that whoever asks has not read. */
    private static final int MAX_UNREAD_ANSWERS = 16;

    /** Of what ranks put by PMI-1 between two fences; more than PMI_PUT_BYTES of the launcher, which refuses first. */
    private static final int PAIRS_CHARACTERS = 4 * 1024 * 1024;

    private static final String PMI = "pmi-";
    private static final String PMI_PUT = "pmi-put ";
    private static final int READ_BYTES = 4096;
    private static final long RETRY_MILLIS = 5;

    private final UnixSocket connection;
    private final EventLoop loop;
    private final LauncherSocket socket;
    private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    private ByteBuffer in = ByteBuffer.allocate(READ_BYTES);
    /** What has been read waits for the loop: nothing more is read meanwhile, so that a flood stays with who makes it. */
    private final Semaphore taken = new Semaphore(1);

    private LauncherFacts.@Nullable Lines facts;
    private int greetingBytes;
    private int ranks;
    private @Nullable RunLines asked;
    private StringBuilder pairs = new StringBuilder();
    private long unsentBytes;
    private boolean greeted;
    private boolean waiting;
    private boolean closed;

    LauncherLink(UnixSocket connection, EventLoop loop, LauncherSocket socket) {
        this.connection = connection;
        this.loop = loop;
        this.socket = socket;
    }

    void start() {
        LauncherSocket.thread("launcher-link", this::read);
    }

    void send(String lines) {
        if (!closed) {
            ByteBuffer bytes = ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8));
            out.add(bytes);
            unsentBytes += bytes.remaining();
            write();
        }
    }

    private void write() {
        try {
            while (!closed && !waiting && !out.isEmpty()) {
                ByteBuffer first = out.element();
                int count = connection.write(first.array(), first.position(), first.remaining());
                first.position(first.position() + count);
                unsentBytes -= count;
                if (!first.hasRemaining()) {
                    out.remove();
                } else if (count == 0) {
                    waiting = true;
                    loop.after(RETRY_MILLIS, () -> {
                        waiting = false;
                        write();
                    });
                }
            }
        } catch (IOException e) {
            // What it said before it went is still to be read; the end shows there.
            out.clear();
            unsentBytes = 0;
        }
    }

    long unsentBytes() {
        return unsentBytes;
    }

    /** In a thread of its own, which says last that it does not use the connection any more. */
    private void read() {
        String end = "closed its connection";
        try {
            byte[] bytes = new byte[READ_BYTES];
            int count = connection.read(bytes);
            while (count > 0) {
                byte[] read = Arrays.copyOf(bytes, count);
                taken.acquireUninterruptibly();
                loop.execute(() -> {
                    received(read);
                    goOnReading();
                });
                count = connection.read(bytes);
            }
        } catch (IOException e) {
            end = "its connection failed: " + e.getMessage();
        }
        String reason = end;
        loop.execute(() -> {
            close(reason);
            connection.close();
            socket.left(this);
        });
    }

    /** What the ranks write waits in the launcher while the mesh has enough of it. */
    private void goOnReading() {
        if (!closed && greeted && socket.listener().run().holdsBack()) {
            loop.after(RETRY_MILLIS, this::goOnReading);
        } else {
            taken.release();
        }
    }

    private void received(byte[] bytes) {
        if (closed) {
            return;
        }
        if (in.remaining() < bytes.length) {
            in = ByteBuffer.wrap(Arrays.copyOf(in.array(), in.capacity() + bytes.length))
                    .position(in.position());
        }
        in.put(bytes);
        try {
            takeLines();
        } catch (IllegalArgumentException e) {
            close("its text cannot be understood: " + e.getMessage());
        }
    }

    private void takeLines() {
        int start = 0;
        byte[] bytes = in.array();
        for (int i = 0; i < in.position(); i++) {
            if (bytes[i] == '\n') {
                String line = new String(bytes, start, i - start, StandardCharsets.UTF_8);
                if (!greeted || !takeOfPmi(line) && !takeOfRun(line)) {
                    take(LineFormat.unescape(line));
                }
                start = i + 1;
            }
        }
        in.limit(in.position()).position(start);
        if (in.remaining() >= LINE_BYTES) {
            throw new IllegalArgumentException("a line of more than " + LINE_BYTES + " bytes");
        }
        in.compact();
    }

    /** @return whether it is a line of ranks that speak PMI-1; what they have put is handed on as it is */
    private boolean takeOfPmi(String line) {
        if (!line.startsWith(PMI)) {
            return false;
        }
        if (line.startsWith(PMI_PUT)) {
            if (pairs.length() + line.length() > PAIRS_CHARACTERS) {
                throw new IllegalArgumentException("more than " + PAIRS_CHARACTERS + " characters of PMI at a time");
            }
            pairs.append(line, PMI_PUT.length(), line.length()).append('\n');
            return true;
        }
        if (!closed) {
            takePmiEvent(line.split(" ", 4));
        }
        return true;
    }

    private void takePmiEvent(String[] words) {
        LauncherPmi pmi = socket.listener().pmi();
        switch (words[0]) {
            case "pmi-init" -> pmi.begun(rank(words));
            case "pmi-finalize" -> pmi.finalized(rank(words));
            case "pmi-version" -> pmi.versionRefused(rank(words));
            case "pmi-spawn" -> pmi.spawnRefused(rank(words));
            case "pmi-abort" ->
                pmi.aborted(rank(words), number(words, 2), words.length < 4 ? "" : LineFormat.unescape(words[3]));
            case "pmi-publish" -> pmi.publish(rank(words), word(words, 2), LineFormat.unescape(word(words, 3)));
            case "pmi-lookup" -> pmi.lookup(rank(words), word(words, 2));
            case "pmi-unpublish" -> pmi.unpublish(rank(words), word(words, 2));
            case "pmi-fence" -> {
                String put = pairs.toString();
                pairs = new StringBuilder();
                pmi.fence(put);
            }
            default -> {}
        }
    }

    /** @return whether it is a line of a run, whose text is handed on as it is */
    private boolean takeOfRun(String line) {
        if (closed) {
            return true;
        }
        LauncherRun run = socket.listener().run();
        RunLines gathering = asked;
        if (gathering != null) {
            if (gathering.add(line)) {
                asked = null;
                run.asked(gathering.request(), gathering.lines());
            }
            return true;
        }
        int blank = line.indexOf(' ');
        switch (blank < 0 ? line : line.substring(0, blank)) {
            case "run" -> asked = new RunLines(LineFormat.split(line, ' '));
            case "output" -> {
                int next = line.indexOf(' ', blank + 1);
                if (blank < 0 || next < 0) {
                    throw new IllegalArgumentException("output of no rank");
                }
                int localRank = rank(new String[] {"output", line.substring(blank + 1, next)});
                run.output(localRank, line.substring(next + 1));
            }
            case "input", "input-end" -> run.input(line);
            case "taken" -> run.inputTaken(number(LineFormat.split(line, ' ').toArray(new String[0]), 1));
            case "signal" -> run.signal(number(LineFormat.split(line, ' ').toArray(new String[0]), 1));
            case "stop" -> {
                String[] words = line.split(" ", 3);
                run.stop(number(words, 1), words.length < 3 ? "" : LineFormat.unescape(words[2]));
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void take(String line) {
        if (closed) {
            return;
        }
        String[] words = LineFormat.split(line, ' ').toArray(new String[0]);
        if (words.length == 0) {
            return;
        }
        LauncherFacts.Lines gathering = facts;
        if (greeted) {
            takeEvent(words);
        } else if (gathering != null) {
            greetingBytes += line.length();
            if (greetingBytes > GREETING_BYTES) {
                throw new IllegalArgumentException("a greeting of more than " + GREETING_BYTES + " characters");
            }
            if (words[0].equals("end")) {
                LauncherFacts complete = gathering.facts();
                greeted = true;
                ranks = complete.ranks();
                socket.listener().greeted(complete);
            } else {
                gathering.add(words);
            }
        } else if (words[0].equals("hello")) {
            if (!socket.claim(this)) {
                send(LauncherText.stop(125, "this pod's ranks are run by another launcher already"));
                close("came second");
            } else {
                facts = new LauncherFacts.Lines();
            }
        } else if (words[0].equals("ready?")) {
            if (out.size() >= MAX_UNREAD_ANSWERS) {
                throw new IllegalArgumentException("it asks and does not read the answers");
            }
            send(socket.isReady() ? "yes\n" : "no\n");
        } else {
            throw new IllegalArgumentException("it begins with '" + words[0] + "'");
        }
    }

    private void takeEvent(String[] words) {
        switch (words[0]) {
            case "started" -> socket.listener().started(rank(words), number(words, 2));
            case "exited" -> socket.listener().exited(rank(words), number(words, 2), number(words, 3));
            case "ending" -> socket.listener().ending();
            case "done" -> socket.listener().done();
            default -> {}
        }
    }

    private int rank(String[] words) {
        int rank = number(words, 1);
        // With mpirun's --oversubscribe there are more than slots.
        if (rank < 0 || rank >= (socket.listener().run().isServed() ? JobLimits.RANKS_PER_POD : ranks)) {
            throw new IllegalArgumentException("it speaks of rank " + rank + " of " + ranks);
        }
        return rank;
    }

    private static int number(String[] words, int index) {
        return Integer.parseInt(word(words, index));
    }

    private static String word(String[] words, int index) {
        if (index >= words.length) {
            throw new IllegalArgumentException("'" + words[0] + "' with " + (words.length - 1) + " words after it");
        }
        return words[index];
    }

    /** @return whether it was open */
    boolean close(String reason) {
        if (closed) {
            return false;
        }
        closed = true;
        connection.shutdown();
        socket.closed(this, reason);
        return true;
    }
}
