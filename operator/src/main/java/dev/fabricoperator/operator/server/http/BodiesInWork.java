/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Bounds what is made of bodies at one time, by their bytes: objects take up to fifty times as much as their JSON. Whoever came first goes first. */
public final class BodiesInWork {
    private final int most;
    private final Duration patience;
    private final Semaphore room;

    /**
     * @param most bytes at one time, or one body that has more
     * @param patience how long a body waits for others
     */
    public BodiesInWork(int most, Duration patience) {
        this.most = most;
        this.patience = patience;
        this.room = new Semaphore(most, true);
    }

    /** What is made of a body. */
    public interface Work<T> {
        T run() throws IOException;
    }

    /**
     * @return what the work returns, {@code null} where others took too long
     * @throws IOException that of the work
     */
    public <T> @Nullable T run(byte[] body, Work<T> work) throws IOException, InterruptedException {
        int bytes = Math.min(body.length, most);
        if (!room.tryAcquire(bytes, patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return null;
        }
        try {
            return work.run();
        } finally {
            room.release(bytes);
        }
    }
}
