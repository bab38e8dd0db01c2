/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import dev.fabricoperator.operator.server.http.Exchange;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * The body of a response. One block is on its way at a time: who writes waits until the client's socket has taken it, or until a
 * deadline, so that a client that reads slowly costs one block of memory.
 */
final class BlockingBody extends OutputStream {
    static final int BLOCK_BYTES = 64 * 1024;

    private final Exchange exchange;
    private final HttpServerResponse response;
    private final long deadlineNanos;
    private Buffer block = Buffer.buffer(BLOCK_BYTES);

    BlockingBody(Exchange exchange, Duration atMost) {
        this.exchange = exchange;
        this.response = exchange.response();
        this.deadlineNanos = System.nanoTime() + atMost.toNanos();
    }

    @Override
    public void write(int b) throws IOException {
        block.appendByte((byte) b);
        sendWhenFull();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int now = Math.min(length - done, BLOCK_BYTES - block.length());
            block.appendBytes(bytes, offset + done, now);
            done += now;
            sendWhenFull();
        }
    }

    private void sendWhenFull() throws IOException {
        if (block.length() >= BLOCK_BYTES) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        if (block.length() > 0) {
            Buffer full = block;
            block = Buffer.buffer(BLOCK_BYTES);
            exchange.awaitTaken(response.write(full), deadlineNanos - System.nanoTime());
        }
    }

    @Override
    public void close() throws IOException {
        flush();
        exchange.awaitTaken(response.end(), deadlineNanos - System.nanoTime());
    }
}
