/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection. Greeting in each direction, then frames; the first frame of each side is {@link #CONFIRM}, and a side that
 * opens it knows that the other has the job's key. A message is one or more frames, each with a leading byte that says
 * whether more of the message follows.
 */
final class Link implements EventLoop.Ready {
    /** What the connection's holder learns; all on the loop. */
    interface Holder {
        /** The other side's greeting has come. */
        void greeted(Link link, Greeting greeting);

        /** The other side has proved that it has the job's key. */
        void opened(Link link);

        void received(Link link, byte[] message);

        /** Once, and nothing after it. */
        void closed(Link link, String reason);
    }

    private enum Stage {
        CONNECTING,
        GREETING,
        PAUSED,
        CONFIRMING,
        OPEN,
        /** Everything is said; what still comes is read and dropped, so that the other side reads all before it sees the end. */
        DRAINING,
        CLOSED
    }

    private static final byte[] CONFIRM = {'c', 'o', 'n', 'f', 'i', 'r', 'm'};
    private static final int CONFIRM_FRAME_BYTES = 1 + CONFIRM.length + FrameSeal.TAG_BYTES;
    private static final int FRAME_BUFFER = 4096;

    private final EventLoop loop;
    private final SocketChannel channel;
    private final SelectionKey key;
    private Holder holder;
    private Stage stage;
    /** No more than the greeting until it has come: many may connect. */
    private ByteBuffer in = ByteBuffer.allocate(Greeting.BYTES);

    private @Nullable ByteBuffer out;
    private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private @Nullable FrameSeal sealing;
    private @Nullable FrameSeal opening;
    /** Frames of a message that is not complete. */
    private final List<ByteBuffer> gathered = new ArrayList<>();

    private int gatheredBytes;
    private int longestMessage;
    private boolean closeWhenWritten;
    private long heardAtMillis;
    private long saidAtMillis;

    /** A connection that is being made or was accepted; it greets when told to. */
    Link(EventLoop loop, SocketChannel channel, Holder holder, boolean connecting) throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.holder = holder;
        this.stage = connecting ? Stage.CONNECTING : Stage.GREETING;
        this.heardAtMillis = loop.awakeMillis();
        this.saidAtMillis = heardAtMillis;
        this.key = loop.register(channel, connecting ? SelectionKey.OP_CONNECT : SelectionKey.OP_READ, this);
    }

    void greet(Greeting greeting) {
        out = ByteBuffer.wrap(greeting.bytes());
        write();
    }

    /** Until {@link #answer}: the attempt that the other side means is not known yet. */
    void pauseReading() {
        stage = Stage.PAUSED;
        key.interestOps(0);
    }

    /**
     * Answers a greeting. The other side may have gone since: then the new holder is told that the connection is closed.
     *
     * @return whether it is still there, so that {@link #seal} can follow
     */
    boolean answer(Holder newHolder, Greeting greeting) {
        holder = newHolder;
        greet(greeting);
        return stage != Stage.CLOSED;
    }

    /** Both greetings are known: from here on everything is sealed. */
    void seal(FrameSeal toSeal, FrameSeal toOpen, int longestMessageBytes) {
        sealing = toSeal;
        opening = toOpen;
        longestMessage = longestMessageBytes;
        stage = Stage.CONFIRMING;
        in = ByteBuffer.allocate(FRAME_BUFFER);
        waiting.addFirst(ByteBuffer.wrap(CONFIRM));
        waitingBytes += CONFIRM.length;
        write();
    }

    /**
     * Queues a message; the array belongs to the link from now on and may be given to others too. Who asks on and reads no answers would
     * fill the heap: where more waits than any two messages the connection ends.
     */
    void send(byte[] message) {
        if (stage == Stage.CLOSED || stage == Stage.DRAINING) {
            return;
        }
        waiting.add(ByteBuffer.wrap(message));
        waitingBytes += message.length;
        if (stage != Stage.OPEN) {
            return;
        }
        write();
        if (waitingBytes > 2L * longestMessage) {
            fail("does not read what it is sent: " + waitingBytes + " bytes wait");
        }
    }

    /** Who sends may be on a thread that the holder's steps would wait for. */
    private void fail(String reason) {
        loop.onOwnThread(() -> close(reason));
    }

    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    boolean isClosed() {
        return stage == Stage.CLOSED;
    }

    /** Of {@link EventLoop#awakeMillis}. */
    long heardAtMillis() {
        return heardAtMillis;
    }

    long saidAtMillis() {
        return saidAtMillis;
    }

    void closeIfConnecting(String reason) {
        if (stage == Stage.CONNECTING) {
            close(reason);
        }
    }

    void closeWhenWritten() {
        closeWhenWritten = true;
        try {
            drainIfWritten();
        } catch (IOException e) {
            close("closed here");
        }
    }

    private void drainIfWritten() throws IOException {
        if (closeWhenWritten && out == null && waiting.isEmpty() && stage == Stage.OPEN) {
            stage = Stage.DRAINING;
            channel.shutdownOutput();
        }
    }

    void close(String reason) {
        if (stage == Stage.CLOSED) {
            return;
        }
        stage = Stage.CLOSED;
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            // The descriptor is gone either way.
        }
        holder.closed(this, reason);
    }

    @Override
    public void ready(SelectionKey selected) {
        try {
            if (selected.isConnectable()) {
                channel.finishConnect();
                key.interestOps(SelectionKey.OP_READ);
                stage = Stage.GREETING;
                write();
            }
            if (selected.isValid() && selected.isWritable()) {
                write();
            }
            if (selected.isValid() && selected.isReadable()) {
                read();
            }
        } catch (IOException e) {
            close(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
        }
    }

    private void read() throws IOException {
        // Less than there was room for was all; what comes later makes the channel ready again.
        boolean full = true;
        int count = 0;
        while (full) {
            int room = in.remaining();
            count = channel.read(in);
            full = count > 0 && count == room;
            if (count > 0) {
                heardAtMillis = loop.awakeMillis();
                if (stage == Stage.DRAINING) {
                    in.clear();
                } else {
                    parse();
                }
                if (stage == Stage.CLOSED || stage == Stage.PAUSED) {
                    return;
                }
            }
        }
        if (count < 0) {
            close(
                    stage == Stage.DRAINING
                            ? "closed here"
                            : in.position() == 0 && gatheredBytes == 0
                                    ? "closed the connection without farewell"
                                    : "closed the connection in the middle of a message");
        }
    }

    /** Takes what is complete out of the buffer, and leaves room for the rest of what is not. */
    private void parse() {
        try {
            if (stage == Stage.GREETING) {
                takeGreeting();
                return;
            }
            in.flip();
            boolean more = true;
            while (more) {
                more = (stage == Stage.CONFIRMING || stage == Stage.OPEN) && takeFrame();
            }
            in.compact();
        } catch (MeshException e) {
            close(String.valueOf(e.getMessage()));
        }
    }

    private void takeGreeting() throws MeshException {
        if (in.position() >= Long.BYTES && in.getLong(0) != Greeting.MAGIC) {
            throw Greeting.foreign();
        }
        if (in.hasRemaining()) {
            return;
        }
        Greeting greeting = Greeting.parse(in.flip());
        in.clear();
        holder.greeted(this, greeting);
    }

    private boolean takeFrame() throws MeshException {
        FrameSeal seal = opening;
        if (seal == null || in.remaining() < FrameSeal.HEADER_BYTES) {
            return false;
        }
        int length = seal.checkLength(in.getInt(in.position()));
        if (stage == Stage.CONFIRMING && length != CONFIRM_FRAME_BYTES) {
            throw unproven();
        }
        if (in.remaining() < FrameSeal.HEADER_BYTES + length) {
            if (in.capacity() < FrameSeal.HEADER_BYTES + length) {
                in = ByteBuffer.allocate(FrameSeal.HEADER_BYTES + length)
                        .put(in)
                        .flip();
            }
            return false;
        }
        in.getInt();
        ByteBuffer plain = seal.open(in.slice(in.position(), length));
        in.position(in.position() + length);
        boolean last = plain.get() == 0;
        if (plain.remaining() > longestMessage - gatheredBytes) {
            throw new MeshException("sent a message of more than " + longestMessage + " bytes");
        }
        gathered.add(plain);
        gatheredBytes += plain.remaining();
        if (last) {
            take(message());
        }
        return true;
    }

    /** Joined once, when its length is known: growing it on the way would take twice the memory. */
    private byte[] message() {
        byte[] message = new byte[gatheredBytes];
        int at = 0;
        for (ByteBuffer each : gathered) {
            int count = each.remaining();
            each.get(message, at, count);
            at += count;
        }
        gathered.clear();
        gatheredBytes = 0;
        return message;
    }

    private static MeshException unproven() {
        return new MeshException("sent something else before it proved that it has the job's key");
    }

    private void take(byte[] message) throws MeshException {
        if (stage == Stage.OPEN) {
            holder.received(this, message);
        } else if (Arrays.equals(message, CONFIRM)) {
            stage = Stage.OPEN;
            holder.opened(this);
            write();
        } else {
            throw unproven();
        }
    }

    /** Until the other side has proved itself, only the greeting and the confirmation leave. */
    private void write() {
        if (stage == Stage.CONNECTING || stage == Stage.DRAINING || stage == Stage.CLOSED) {
            return;
        }
        try {
            boolean writable = true;
            while (writable && prepare()) {
                ByteBuffer now = out;
                if (now != null) {
                    channel.write(now);
                    saidAtMillis = loop.awakeMillis();
                    writable = !now.hasRemaining();
                    if (writable) {
                        out = null;
                    }
                }
            }
            loop.setInterest(key, writable ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            drainIfWritten();
        } catch (IOException e) {
            fail(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
        }
    }

    /** Seals the next frame if there is one; frames are sealed as they leave, so that a message is held once for all links. */
    private boolean prepare() {
        if (out != null) {
            return true;
        }
        FrameSeal seal = sealing;
        ByteBuffer next = waiting.peek();
        if (seal == null || next == null || (stage != Stage.OPEN && seal.number() > 0)) {
            return false;
        }
        int part = Math.min(next.remaining(), FrameSeal.PLAIN_BYTES - 1);
        boolean last = part == next.remaining();
        ByteBuffer plain = ByteBuffer.allocate(1 + part);
        plain.put((byte) (last ? 0 : 1)).put(next.slice(next.position(), part)).flip();
        next.position(next.position() + part);
        waitingBytes -= part;
        if (last) {
            waiting.poll();
        }
        ByteBuffer frame = ByteBuffer.allocate(FrameSeal.HEADER_BYTES + 1 + part + FrameSeal.TAG_BYTES);
        seal.seal(plain, frame);
        out = frame.flip();
        return true;
    }
}
