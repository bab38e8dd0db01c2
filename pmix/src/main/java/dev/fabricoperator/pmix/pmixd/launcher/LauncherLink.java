/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One connection to the launcher's socket: lines in both directions. */
final class LauncherLink implements EventLoop.Ready {
    private static final int LINE_BYTES = 256 * 1024;

    private final SocketChannel channel;
    private final LauncherSocket socket;
    private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    private ByteBuffer in = ByteBuffer.allocate(4096);
    private @Nullable SelectionKey key;
    private LauncherFacts.@Nullable Lines facts;
    private boolean greeted;
    private boolean closed;

    LauncherLink(SocketChannel channel, LauncherSocket socket) {
        this.channel = channel;
        this.socket = socket;
    }

    void registered(SelectionKey newKey) {
        key = newKey;
    }

    boolean isFlushed() {
        return closed || out.isEmpty();
    }

    void send(String lines) {
        if (!closed) {
            out.add(ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8)));
            write();
        }
    }

    private void write() {
        try {
            while (!out.isEmpty()) {
                channel.write(out.peek());
                if (out.peek().hasRemaining()) {
                    break;
                }
                out.poll();
            }
            if (key != null) {
                key.interestOps(out.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
        } catch (IOException e) {
            // What it said before it went is still to be read; the end shows there.
            out.clear();
        }
    }

    @Override
    public void ready(SelectionKey selected) {
        if (selected.isWritable()) {
            write();
        }
        if (selected.isValid() && selected.isReadable()) {
            read();
        }
    }

    private void read() {
        try {
            int count = channel.read(in);
            while (count > 0 && !closed) {
                takeLines();
                count = closed ? 0 : channel.read(in);
            }
            if (count < 0) {
                close("closed its connection");
            }
        } catch (IOException e) {
            close("its connection failed: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            close("its text cannot be understood: " + e.getMessage());
        }
    }

    private void takeLines() {
        int start = 0;
        byte[] bytes = in.array();
        for (int i = 0; i < in.position(); i++) {
            if (bytes[i] == '\n') {
                take(Words.unescape(new String(bytes, start, i - start, StandardCharsets.UTF_8)));
                start = i + 1;
            }
        }
        in.limit(in.position()).position(start);
        if (in.remaining() >= LINE_BYTES) {
            throw new IllegalArgumentException("a line of more than " + LINE_BYTES + " bytes");
        }
        if (start == 0 && in.limit() == in.capacity()) {
            in = ByteBuffer.wrap(Arrays.copyOf(bytes, 2 * bytes.length)).position(in.limit());
        } else {
            in.compact();
        }
    }

    private void take(String line) {
        if (closed) {
            return;
        }
        String[] words = Words.split(line, ' ').toArray(new String[0]);
        if (words.length == 0) {
            return;
        }
        LauncherFacts.Lines gathering = facts;
        if (greeted) {
            takeEvent(words);
        } else if (gathering != null) {
            if (words[0].equals("end")) {
                LauncherFacts complete = gathering.facts();
                greeted = true;
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
            send(socket.isReady() ? "yes\n" : "no\n");
        } else {
            throw new IllegalArgumentException("it begins with '" + words[0] + "'");
        }
    }

    private void takeEvent(String[] words) {
        switch (words[0]) {
            case "started" -> socket.listener().started(number(words, 1), number(words, 2));
            case "exited" -> socket.listener().exited(number(words, 1), number(words, 2), number(words, 3));
            case "done" -> socket.listener().done();
            default -> {}
        }
    }

    private static int number(String[] words, int index) {
        if (index >= words.length) {
            throw new IllegalArgumentException("'" + words[0] + "' with " + (words.length - 1) + " numbers");
        }
        return Integer.parseInt(words[index]);
    }

    private void close(String reason) {
        if (closed) {
            return;
        }
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            // Closed either way.
        }
        socket.closed(this, reason);
    }
}
