/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.server.PmixServer;
import org.jspecify.annotations.Nullable;

/**
 * Ends the loop where libpmix's thread does not do any more what it is asked, since every rank of the pod would wait without end. 5.0.7 does not come
 * back, for example, where two ranks of a pod give PMIx_Connect a PMIX_TIMEOUT: it sets one timer twice.
 */
final class LibraryWatch {
    static final long EVERY_MILLIS = 30_000;
    /** As long as a connection may wait for that thread. */
    static final long LIMIT_MILLIS = 120_000;

    private static final int PARTS = 12;

    private final EventLoop loop;
    private final PmixServer pmix;
    private final long everyMillis;
    private final long limitMillis;
    /** Parts of the limit that the last question has waited. */
    private int waited;

    private EventLoop.@Nullable Timer timer;
    private boolean closed;

    LibraryWatch(EventLoop loop, PmixServer pmix, long everyMillis, long limitMillis) {
        this.loop = loop;
        this.pmix = pmix;
        this.everyMillis = everyMillis;
        this.limitMillis = limitMillis;
        askLater();
    }

    private void askLater() {
        loop.after(everyMillis, this::ask);
    }

    /** By a thread of its own: the library's may hold the lock that the question needs. */
    private void ask() {
        if (closed) {
            return;
        }
        waited = 0;
        waitForAnswer();
        Thread thread = new Thread(() -> pmix.reach(() -> loop.execute(this::reached)));
        thread.setName("library-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void reached() {
        if (timer != null) {
            timer.cancel();
        }
        askLater();
    }

    /** In parts: time in which this process gets no processor is one of them, however long it is. */
    private void waitForAnswer() {
        timer = loop.after(limitMillis / PARTS, () -> {
            if (closed) {
                return;
            }
            if (++waited == PARTS) {
                throw new IllegalStateException("libpmix has not answered for " + limitMillis / 1000 + " s");
            }
            waitForAnswer();
        });
    }

    void close() {
        closed = true;
    }
}
