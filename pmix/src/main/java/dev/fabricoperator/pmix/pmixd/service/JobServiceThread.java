/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.service;

import dev.fabricoperator.pmix.openssl.TlsTrust;
import dev.fabricoperator.pmix.pmixd.loop.Backoff;
import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import dev.fabricoperator.pmix.pmixd.loop.GuardedThread;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobTicket;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.protocol.job.TrafficReport;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Talks to the job service beside the loop, where waiting for an answer holds up nothing. */
public final class JobServiceThread {
    /** Answers; all on the loop. */
    public interface Listener {
        /** @param encoded the map as it came */
        void joined(JobMap map, byte[] encoded);

        /** The job is whole, and another pod will hand the map on. */
        void ticketed(JobTicket ticket);

        /** The job will not become whole. */
        void refused(int exitCode, String text);

        /** Nobody has answered yet. */
        void unanswered(String sentence);

        /** A newer attempt than this one is wanted. */
        void newerWanted(int attempt);

        /** Of the fabric of this attempt. */
        void fabricChanged(int attempt, JobFabricUpdate update);
    }

    private static final int FIRST_PAUSE_MILLIS = 50;
    private static final int LAST_PAUSE_MILLIS = 2_000;
    private static final int LAST_WATCH_PAUSE_MILLIS = 10_000;
    private static final long REPORT_AFTER_MILLIS = 3_000;
    private static final int EVENT_TRIES = 5;
    /** OpenSSL builds and verifies chains on it. */
    private static final int STACK_BYTES = 512 * 1024;

    /** What the thread is asked to do, one after the other. */
    private interface Request {
        void serve(JobService service) throws InterruptedException;
    }

    private final EventLoop loop;
    private final ServiceSettings settings;
    private final Listener listener;
    private final LinkedBlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    /** The job service's thread's own: what it is at, and is at again after a fault. */
    private @Nullable Request current;

    private @Nullable TlsTrust trust;
    private @Nullable JobService service;
    /** The watching thread's own. */
    private @Nullable JobService watchService;

    private final Backoff watchPause = new Backoff(FIRST_PAUSE_MILLIS, LAST_WATCH_PAUSE_MILLIS);
    private final AtomicInteger pending = new AtomicInteger();
    private volatile @Nullable Watch watched;
    private boolean watching;

    public JobServiceThread(EventLoop loop, ServiceSettings settings, Listener listener) {
        this.loop = loop;
        this.settings = settings;
        this.listener = listener;
    }

    /** Begins to connect, so that the hand is shaken before there is anything to say. */
    public void start() {
        GuardedThread.start("job-service", STACK_BYTES, this::serveNext);
    }

    /**
     * Asks until the job is whole, refused, or patience has ended, which gives exit code 124.
     *
     * @param inFull whether a ticket will not do
     */
    public void join(PodReport report, boolean inFull, long patienceMillis) {
        watched = null;
        long started = loop.nowMillis();
        requests.add(to -> join(to, report, inFull, started, patienceMillis));
    }

    public void report(int attempt, String event) {
        tell("'" + event + "'", to -> {
            if (to.report(attempt, event)) {
                loop.execute(() -> listener.newerWanted(attempt));
            }
        });
    }

    /** By the first pod of the attempt. */
    public void tellTraffic(int attempt, TrafficReport report) {
        tell("what its pods have sent", to -> to.tellTraffic(attempt, true, report));
    }

    /** The same while ranks run. One that is not taken is outdated by the next; none while anything else is told. */
    public void tellTrafficSoFar(int attempt, TrafficReport report) {
        if (!isIdle()) {
            return;
        }
        pending.incrementAndGet();
        requests.add(to -> {
            try {
                to.tellTraffic(attempt, false, report);
            } catch (IOException e) {
                // No line each second.
            }
            pending.decrementAndGet();
        });
    }

    /** Something that is told and has no answer. */
    @FunctionalInterface
    private interface Telling {
        void tell(JobService service) throws IOException;
    }

    private void tell(String what, Telling telling) {
        pending.incrementAndGet();
        requests.add(to -> {
            tell(to, what, telling);
            pending.decrementAndGet();
        });
    }

    /** Whether everything has been said of attempts that was to be. */
    public boolean isIdle() {
        return pending.get() == 0;
    }

    /**
     * What is waited for: see {@link JobService#watch}.
     *
     * @param map of the job, with the last values that were told here
     * @param fabric whether this pod is told of its fabric
     * @param impaired as {@link JobFabricUpdate.Impaired#digest} says it
     * @param live whether somebody watches what the job sends, {@code null} where this pod is not told it
     */
    private record Watch(
            JobMap map,
            boolean fabric,
            boolean pending,
            String impaired,
            @Nullable Boolean live) {
        int attempt() {
            return map.attempt();
        }

        long generation() {
            JobFabric known = fabric ? map.fabric() : null;
            return known == null ? -1 : known.generation();
        }

        Watch after(JobFabricUpdate update) {
            if (update instanceof JobFabricUpdate.Impaired now) {
                return new Watch(map, fabric, pending, now.digest(), live);
            }
            if (update instanceof JobFabricUpdate.TrafficWanted(boolean wanted)) {
                return new Watch(map, fabric, pending, impaired, wanted);
            }
            return update instanceof JobFabricUpdate.Updated(JobMap newer, byte[] encoded) && newer.fabric() != null
                    ? new Watch(newer, fabric, false, impaired, live)
                    : new Watch(map, fabric, true, impaired, live);
        }
    }

    /**
     * Waits for news of the map's attempt, on another connection, until another is joined.
     *
     * @param fabric whether other generations of the job's fabric are told to this pod, and not by another one
     * @param traffic the same of whether somebody watches what the job sends
     */
    public void watch(JobMap map, boolean fabric, boolean traffic) {
        watched = new Watch(map, fabric, false, JobFabricUpdate.Impaired.NONE, traffic ? false : null);
        if (!watching) {
            watching = true;
            GuardedThread.start("job-watch", STACK_BYTES, this::watchOnce);
        }
    }

    private boolean serveNext() throws InterruptedException {
        JobService to = service;
        if (to == null) {
            try {
                to = new JobService(settings, trust());
            } catch (IOException e) {
                loop.execute(() -> listener.refused(125, "the job service's CA cannot be used: " + e.getMessage()));
                return false;
            }
            service = to;
            connectAhead(to);
        }
        Request request = current;
        if (request == null) {
            request = requests.take();
            current = request;
        }
        request.serve(to);
        current = null;
        return true;
    }

    /** One for both connections: what the server gives to one to resume, the other may offer. */
    private synchronized TlsTrust trust() throws IOException {
        TlsTrust made = trust;
        if (made == null) {
            made = TlsTrust.of(settings.authorities());
            trust = made;
        }
        return made;
    }

    private static void connectAhead(JobService service) {
        try {
            service.connect();
        } catch (IOException e) {
            Log.line("job service at " + service.target() + " does not answer yet: " + e.getMessage());
        }
    }

    private void join(JobService service, PodReport report, boolean inFull, long asked, long patienceMillis)
            throws InterruptedException {
        long started = asked;
        boolean goesOnTold = false;
        long nextReport = REPORT_AFTER_MILLIS;
        Backoff pause = new Backoff(FIRST_PAUSE_MILLIS, LAST_PAUSE_MILLIS);
        String problem = "";
        while (true) {
            long waited = loop.nowMillis() - started;
            if (waited > patienceMillis) {
                String text = "this job was not whole within " + waited / 1000 + " s"
                        + (problem.isEmpty() ? "" : ": " + problem);
                loop.execute(() -> listener.refused(124, text));
                return;
            }
            try {
                // No switch over the kinds: linking one takes milliseconds of a start, which no cache spares.
                JobService.Joined joined = service.join(report, inFull);
                if (joined instanceof JobService.Joined.Whole(JobMap map, byte[] encoded)) {
                    loop.execute(() -> listener.joined(map, encoded));
                    return;
                }
                if (joined instanceof JobService.Joined.Ticketed(JobTicket ticket)) {
                    loop.execute(() -> listener.ticketed(ticket));
                    return;
                }
                if (joined instanceof JobService.Joined.Refused(int code, String text)) {
                    loop.execute(() -> listener.refused(code, text));
                    return;
                }
                if (joined instanceof JobService.Joined.AttemptGoesOn(String text)) {
                    // Nobody waits for this pod yet.
                    started = loop.nowMillis();
                    nextReport = REPORT_AFTER_MILLIS;
                    if (!goesOnTold) {
                        goesOnTold = true;
                        loop.execute(() -> listener.unanswered(text));
                    }
                }
                pause.reset();
                problem = "";
            } catch (IOException e) {
                problem = "the job service at " + service.target() + " gives no answer: " + e.getMessage();
                if (waited >= nextReport) {
                    String text = problem;
                    loop.execute(() -> listener.unanswered(text));
                    nextReport = waited + 30_000;
                }
                TimeUnit.MILLISECONDS.sleep(Math.min(pauseMillis(e, pause), patienceMillis - waited + 1));
            }
        }
    }

    private static long pauseMillis(IOException problem, Backoff otherwise) {
        return problem instanceof JobService.LaterException later ? later.pauseMillis() : otherwise.nextMillis();
    }

    /** What cannot be told is worth a line, no more: the service sees pods end by itself. */
    private void tell(JobService service, String what, Telling telling) throws InterruptedException {
        Backoff pause = new Backoff(2 * FIRST_PAUSE_MILLIS, LAST_PAUSE_MILLIS);
        for (int tries = 1; tries <= EVENT_TRIES; tries++) {
            try {
                telling.tell(service);
                return;
            } catch (IOException e) {
                if (tries == EVENT_TRIES || e instanceof JobService.NotUnderstoodException) {
                    Log.line("job service not told " + what + ": " + e.getMessage());
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(pauseMillis(e, pause));
            }
        }
    }

    /** Unless another is waited for by now. */
    private synchronized void next(Watch before, @Nullable Watch after) {
        if (before.equals(watched)) {
            watched = after;
        }
    }

    private void changed(Watch watch, JobFabricUpdate update) {
        next(watch, watch.after(update));
        loop.execute(() -> listener.fabricChanged(watch.attempt(), update));
    }

    private boolean watchOnce() throws InterruptedException {
        Watch watch = watched;
        if (watch == null) {
            TimeUnit.MILLISECONDS.sleep(LAST_PAUSE_MILLIS);
            return true;
        }
        try {
            JobService to = watchService;
            if (to == null) {
                to = new JobService(settings, trust());
                watchService = to;
            }
            long asked = loop.nowMillis();
            JobService.Watched found = to.watch(
                    watch.attempt(),
                    watch.generation(),
                    watch.pending(),
                    watch.map().otherGenerations(),
                    watch.map().knownRoutes(),
                    watch.impaired(),
                    watch.live());
            if (found instanceof JobService.Watched.NewerWanted) {
                next(watch, null);
                loop.execute(() -> listener.newerWanted(watch.attempt()));
            } else if (found instanceof JobService.Watched.Fabric(JobFabricUpdate update)) {
                changed(watch, update);
                TimeUnit.MILLISECONDS.sleep(FIRST_PAUSE_MILLIS);
            } else if (found instanceof JobService.Watched.MapWanted) {
                to.tellMap(watch.map());
            } else if (loop.nowMillis() - asked < LAST_PAUSE_MILLIS) {
                TimeUnit.MILLISECONDS.sleep(LAST_PAUSE_MILLIS);
            }
            watchPause.reset();
        } catch (IOException e) {
            // No line: the job service may be away for long, and the job goes on without it.
            if (Boolean.TRUE.equals(watch.live())) {
                // Whether anybody still watches is not known.
                changed(watch, new JobFabricUpdate.TrafficWanted(false));
            }
            TimeUnit.MILLISECONDS.sleep(pauseMillis(e, watchPause));
        }
        return true;
    }
}
