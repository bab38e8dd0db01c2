/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The thread that owns pmixd's state. {@link #execute} and {@link #executeHere} may be called from any thread (upcalls of libpmix do), everything else
 * from the loop's own, from a task, or before {@link #run}.
 */
public final class EventLoop {
    /** Readiness of a channel; runs on the loop, must not block. */
    public interface Ready {
        void ready(SelectionKey key);
    }

    /** A task at a time; {@link #cancel} makes it nothing. */
    public final class Timer implements Comparable<Timer> {
        private final long atNanos;
        private final Runnable task;
        private boolean cancelled;

        private Timer(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.task = task;
        }

        public void cancel() {
            if (!cancelled) {
                cancelled = true;
                forgetCancelled();
            }
        }

        @Override
        public int compareTo(Timer other) {
            return Long.signum(atNanos - other.atNanos);
        }
    }

    /** A timer that is later than this was held up by what is not the loop's doing. */
    private static final long LATE_NANOS = 1_000_000_000L;

    private static final int KEPT_CANCELLED = 64;

    private final Selector selector;
    /** Of who uses what the loop owns: its thread but while that waits, or a thread that runs a task in the meantime. */
    private final ReentrantLock turn = new ReentrantLock();

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long heldUpNanos;
    /** Since the last time that they were taken out of the queue; some may have left it since. */
    private int cancelledTimers;

    private volatile boolean stopped;
    /** That is in {@link #run}. */
    private volatile @Nullable Thread thread;

    public EventLoop() {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs a task on the loop, after those that were handed in before it. */
    public void execute(Runnable task) {
        boolean first;
        synchronized (tasks) {
            first = tasks.isEmpty();
            tasks.add(task);
        }
        if (first && !stopped) {
            selector.wakeup();
        }
    }

    /**
     * As {@link #execute}, but at once and on the caller's thread where the loop has nothing to do: waking another thread takes longer than most tasks. Never
     * waits for the loop. The task must not wait for what the caller's thread would do, nor close a channel but by {@link #onOwnThread}.
     */
    public void executeHere(Runnable task) {
        if (!runHere(task)) {
            execute(task);
        }
    }

    /** @return false if it is not the caller's turn: others are handed in, or one is running, perhaps further up the caller's own stack, or the loop is about to */
    private boolean runHere(Runnable task) {
        if (turn.isHeldByCurrentThread() || turn.hasQueuedThreads() || !turn.tryLock()) {
            return false;
        }
        try {
            if (thread == null || stopped || hasTasks()) {
                return false;
            }
            task.run();
        } catch (RuntimeException | Error e) {
            // Ends the loop, as everywhere.
            execute(() -> {
                throw e;
            });
        } finally {
            turn.unlock();
        }
        return true;
    }

    /** For a task that may wait or close channels: at once where the caller is the loop's thread, else after what is handed in. */
    public void onOwnThread(Runnable task) {
        if (isElsewhere()) {
            execute(task);
        } else {
            task.run();
        }
    }

    private boolean isElsewhere() {
        Thread own = thread;
        return own != null && own != Thread.currentThread();
    }

    /** The selector learns at once what has changed, also while it waits. */
    private void tellSelector() {
        if (isElsewhere()) {
            selector.wakeup();
        }
    }

    public Timer after(long milliseconds, Runnable task) {
        Timer timer = new Timer(System.nanoTime() + milliseconds * 1_000_000, task);
        timers.add(timer);
        if (timers.peek() == timer) {
            tellSelector();
        }
        return timer;
    }

    /** For what a channel's handler is called. */
    public void setInterest(SelectionKey key, int operations) {
        if (key.interestOps() != operations) {
            key.interestOps(operations);
            tellSelector();
        }
    }

    /** What waits for an hour may be over after a moment, a thousand times in a second: together as often as half of them are. */
    private void forgetCancelled() {
        if (++cancelledTimers > KEPT_CANCELLED + timers.size() / 2) {
            timers.removeIf(timer -> timer.cancelled);
            cancelledTimers = 0;
        }
    }

    /** Timers that are kept. */
    int timers() {
        return timers.size();
    }

    /** Milliseconds of a clock that only goes forward. */
    public long nowMillis() {
        return System.nanoTime() / 1_000_000;
    }

    /**
     * The same without the time in which this loop got no processor, as of a virtual machine that is moved, or on a node that others keep busy. What was not heard in it may have
     * been said. Seen by the next timer that is late: what passed before that was due counts as awake. On the loop's thread.
     */
    public long awakeMillis() {
        return (System.nanoTime() - heldUpNanos) / 1_000_000;
    }

    public SelectionKey register(SelectableChannel channel, int operations, Ready handler) throws IOException {
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, operations, handler);
        tellSelector();
        return key;
    }

    /** Runs until {@link #stop}, then closes every channel. A task that throws ends it: what it held is then unknown. */
    public void run() {
        turn.lock();
        thread = Thread.currentThread();
        try {
            while (!stopped) {
                select();
                runReady();
                runTimers();
                runTasks();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            stopped = true;
            closeChannels();
            turn.unlock();
        }
    }

    private void select() throws IOException {
        long millis = waitMillis();
        turn.unlock();
        try {
            selector.select(millis);
        } finally {
            turn.lock();
        }
    }

    private void closeChannels() {
        try {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Zero is "for ever" to a selector, hence at least one. */
    private long waitMillis() {
        Timer next = timers.peek();
        while (next != null && next.cancelled) {
            timers.poll();
            next = timers.peek();
        }
        if (hasTasks()) {
            return 1;
        }
        return next == null ? 0 : Math.max(1, (next.atNanos - System.nanoTime()) / 1_000_000);
    }

    private boolean hasTasks() {
        synchronized (tasks) {
            return !tasks.isEmpty();
        }
    }

    private void runReady() {
        Iterator<SelectionKey> keys = selector.selectedKeys().iterator();
        while (keys.hasNext()) {
            SelectionKey key = keys.next();
            keys.remove();
            if (key.isValid() && key.attachment() instanceof Ready handler) {
                handler.ready(key);
            }
        }
    }

    private void runTimers() {
        long now = System.nanoTime();
        Timer next = timers.peek();
        if (next != null && now - next.atNanos > LATE_NANOS) {
            heldUpNanos += now - next.atNanos;
        }
        while (next != null && next.atNanos - now <= 0) {
            timers.poll();
            if (!next.cancelled) {
                next.task.run();
            }
            next = timers.peek();
        }
    }

    private void runTasks() {
        @Nullable Runnable task = nextTask();
        while (task != null) {
            task.run();
            task = nextTask();
        }
    }

    private @Nullable Runnable nextTask() {
        synchronized (tasks) {
            return tasks.poll();
        }
    }

    /** From any thread: {@link #run} returns soon. */
    public void stop() {
        stopped = true;
        selector.wakeup();
    }
}
