/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.pmix.foreign.Native;
import dev.fabricoperator.pmix.server.Reply;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An answer that goes to a function of libpmix, once. Any thread may give it, also before the question has returned: the library moves
 * most such answers to its own thread, and those that it does not are brought there.
 */
abstract class CReply<T> implements Reply<T> {
    final Native calls;
    final long function;
    final long callbackData;
    private final AtomicBoolean answered = new AtomicBoolean();

    /** @param function may be NULL: nobody waits */
    CReply(Native calls, long function, long callbackData) {
        this.calls = calls;
        this.function = function;
        this.callbackData = callbackData;
    }

    @Override
    public final void answer(int status, @Nullable T value) {
        if (answered.compareAndSet(false, true) && function != 0) {
            deliver(new Native.Function(function), status, value);
        }
    }

    /** Nobody is there any more who could be answered: the library has freed what {@link #callbackData} points to. */
    final void withdraw() {
        answered.set(true);
    }

    abstract void deliver(Native.Function target, int status, @Nullable T value);

    /** {@code void (*pmix_op_cbfunc_t)(pmix_status_t status, void *cbdata)}. */
    static final class Done extends CReply<Void> {
        private boolean expires;
        private long expiryNanos;

        Done(Native calls, long function, long callbackData) {
            super(calls, function, callbackData);
        }

        /** From then on the library answers by itself. */
        void expire(long nanoTime) {
            expires = true;
            expiryNanos = nanoTime;
        }

        @Override
        void deliver(Native.Function target, int status, @Nullable Void value) {
            if (!expires || System.nanoTime() - expiryNanos < 0) {
                calls.call(target, status, callbackData, 0);
            }
        }
    }

    /**
     * <pre>
     * void (*pmix_modex_cbfunc_t)(pmix_status_t status, const char *data, size_t ndata, void *cbdata,
     *                             pmix_release_cbfunc_t release_fn, void *release_cbdata)
     * </pre>
     *
     * The data is ours until the release function is called, which is C's {@code free}.
     */
    static class Modex extends CReply<byte[]> {
        Modex(Native calls, long function, long callbackData) {
            super(calls, function, callbackData);
        }

        @Override
        void deliver(Native.Function target, int status, byte @Nullable [] value) {
            if (value == null || value.length == 0) {
                calls.call(target, status, 0, 0, callbackData, 0, 0, 0);
                return;
            }
            long copy = calls.allocate(value.length);
            Native.view(copy, value.length).put(value);
            calls.call(target, status, copy, value.length, callbackData, calls.freeAddress(), copy, 0);
        }
    }

    /** To a question for what a rank has put. */
    static final class DirectModex extends Modex {
        private final Set<DirectModex> open;
        private final String nspace;

        /**
         * @param open those that wait for their answer, which it leaves when it has it
         * @param nspace of the rank
         */
        DirectModex(Native calls, long function, long callbackData, Set<DirectModex> open, String nspace) {
            super(calls, function, callbackData);
            this.open = open;
            this.nspace = nspace;
        }

        String nspace() {
            return nspace;
        }

        @Override
        void deliver(Native.Function target, int status, byte @Nullable [] value) {
            open.remove(this);
            super.deliver(target, status, value);
        }
    }
}
