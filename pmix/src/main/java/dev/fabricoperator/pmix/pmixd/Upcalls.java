/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.RateLimitedLog;
import dev.fabricoperator.pmix.server.Connection;
import dev.fabricoperator.pmix.server.Group;
import dev.fabricoperator.pmix.server.PmixHost;
import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Published;
import dev.fabricoperator.pmix.server.Reply;
import dev.fabricoperator.pmix.server.TrafficMonitor;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes what the library asks from its thread to the loop. Questions that ranks wait for are answered or passed on by that thread itself where the loop has
 * nothing to do; what may end an attempt is not, since the loop then waits for the library.
 */
final class Upcalls implements PmixHost {
    /** Answers on the loop. */
    interface Listener {
        void fence(List<Proc> participants, int status, byte[] data, Reply<byte[]> reply);

        void directModex(Proc proc, Reply<byte[]> reply);

        void connected(Proc proc);

        void finalized(Proc proc);

        void aborted(Proc proc, int status, String message);

        /** {@code null} while none is served. */
        @Nullable
        Attempt attempt();

        /** A line that a rank has for the pod's log. */
        void logged(String line);
    }

    private final EventLoop loop;
    private final Listener listener;
    /** Ranks may say as much as they like. */
    private final RateLimitedLog log = new RateLimitedLog();

    Upcalls(EventLoop loop, Listener listener) {
        this.loop = loop;
        this.listener = listener;
    }

    @Override
    public void fence(List<Proc> participants, boolean collect, int status, byte[] data, Reply<byte[]> reply) {
        loop.executeHere(() -> listener.fence(participants, status, data, reply));
    }

    @Override
    public void directModex(Proc proc, Reply<byte[]> reply) {
        loop.executeHere(() -> listener.directModex(proc, reply));
    }

    @Override
    public void connected(Proc proc) {
        loop.execute(() -> listener.connected(proc));
    }

    /** The rank's exit, which the launcher tells, comes to the loop after it. */
    @Override
    public void finalized(Proc proc) {
        loop.execute(() -> listener.finalized(proc));
    }

    @Override
    public void abort(Proc proc, int status, String message, List<Proc> targets, Reply<Void> reply) {
        loop.execute(() -> asRank(proc, reply, () -> {
            listener.aborted(proc, status, message);
            reply.succeed(null);
        }));
    }

    @Override
    public void event(int code, @Nullable Proc source, @Nullable String text) {
        loop.execute(() -> log.line(
                "event " + code + (source == null ? "" : " of " + nameOf(source)) + (text == null ? "" : ": " + text)));
    }

    @Override
    public void refused(Proc proc, String what) {
        loop.execute(() -> log.line(nameOf(proc) + ": " + what));
    }

    @Override
    public void unsupported(Proc proc, String sentence) {
        loop.execute(() -> listener.logged(nameOf(proc) + ": " + sentence));
    }

    /** Of the ranks' user, but none of them: it may ask, and not act as one of them. */
    private boolean isTool(Proc proc) {
        Attempt attempt = listener.attempt();
        return attempt != null && !attempt.map().nspace().equals(proc.nspace());
    }

    private String nameOf(Proc proc) {
        return isTool(proc) ? "tool " + proc.nspace() : "rank " + proc.rank();
    }

    @Override
    public void connect(Connection connection, Reply<Void> reply) {
        ask(reply, exchange -> exchange.connect(connection, reply));
    }

    @Override
    public void group(Group group, Reply<Group.Constructed> reply) {
        ask(reply, exchange -> exchange.group(group, reply));
    }

    @Override
    public void publish(Proc proc, Published.Publication publication, Reply<Void> reply) {
        askAs(proc, reply, exchange -> exchange.publish(proc, publication, reply));
    }

    @Override
    public void lookup(Proc proc, Published.Search search, Reply<List<Published.Found>> reply) {
        askAs(proc, reply, exchange -> exchange.lookup(proc, search, reply));
    }

    @Override
    public void unpublish(Proc proc, int range, List<String> keys, Reply<Void> reply) {
        askAs(proc, reply, exchange -> exchange.unpublish(proc, range, keys, reply));
    }

    private void askAs(Proc proc, Reply<?> reply, Consumer<JobExchange> question) {
        loop.executeHere(() -> asRank(proc, reply, () -> askAttempt(reply, question)));
    }

    private void asRank(Proc proc, Reply<?> reply, Runnable action) {
        if (isTool(proc)) {
            reply.fail(PmixStatus.PMIX_ERR_NO_PERMISSIONS);
        } else {
            action.run();
        }
    }

    private void ask(Reply<?> reply, Consumer<JobExchange> question) {
        loop.executeHere(() -> askAttempt(reply, question));
    }

    private void askAttempt(Reply<?> reply, Consumer<JobExchange> question) {
        Attempt attempt = listener.attempt();
        if (attempt == null) {
            reply.fail(PmixStatus.PMIX_ERR_LOST_CONNECTION);
        } else {
            question.accept(attempt.exchange());
        }
    }

    /** Not on the library's thread, which the answer comes back to. */
    @Override
    public void monitor(Proc proc, TrafficMonitor monitor, Reply<Void> reply) {
        loop.execute(() -> {
            Attempt attempt = listener.attempt();
            reply.answer(attempt == null ? PmixStatus.PMIX_ERR_LOST_CONNECTION : attempt.monitor(proc, monitor), null);
        });
    }

    @Override
    public void cancelMonitor(Proc proc, String id, Reply<Void> reply) {
        loop.execute(() -> {
            Attempt attempt = listener.attempt();
            if (attempt != null) {
                attempt.cancelMonitor(proc, id);
            }
            reply.succeed(null);
        });
    }

    @Override
    public void log(Proc proc, List<String> lines, Reply<Void> reply) {
        loop.execute(() -> asRank(proc, reply, () -> {
            lines.forEach(line -> listener.logged("rank " + proc.rank() + " to " + line));
            if (lines.isEmpty()) {
                reply.fail(PmixStatus.PMIX_ERR_NOT_SUPPORTED);
            } else {
                reply.succeed(null);
            }
        }));
    }
}
