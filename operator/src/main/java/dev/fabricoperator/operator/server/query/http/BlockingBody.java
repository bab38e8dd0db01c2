/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The body of a response. One block is on its way at a time: who writes waits until the client's socket has taken it, or until a
 * deadline, so that a client that reads slowly costs one block of memory.
 */
final class BlockingBody extends OutputStream {
    static final int BLOCK_BYTES = 64 * 1024;

    private final HttpServerResponse response;
    private final long deadlineNanos;
    private Buffer block = Buffer.buffer(BLOCK_BYTES);

    BlockingBody(HttpServerResponse response, Duration atMost) {
        this.response = response;
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
            await(response.write(full), deadlineNanos - System.nanoTime());
        }
    }

    @Override
    public void close() throws IOException {
        flush();
        await(response.end(), deadlineNanos - System.nanoTime());
    }

    static void await(Future<Void> sent, long nanos) throws IOException {
        try {
            sent.toCompletionStage().toCompletableFuture().get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the client is gone", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the client reads too slowly", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server stops");
        }
    }
}
