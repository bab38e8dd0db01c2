/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Prometheus sees of what jobs send: of {@value #MOST} jobs, those that have sent most of those that have told something {@link #LATELY}. Who calls it holds a
 * lock. O({@value #MOST}) for a report.
 */
final class JobBytes {
    static final int MOST = 64;
    static final Duration LATELY = Duration.ofMinutes(5);

    private final MeterRegistry meters;
    private final SteadyClock clock;
    private final Map<Name, Counted> jobs = new HashMap<>();

    private record Name(String namespace, String job) {}

    /** @param sent in this attempt of the job with this UID, bytes */
    private record Counted(Counter counter, String uid, int attempt, long sent, Instant toldAt) {
        boolean isOf(String otherUid, int otherAttempt) {
            return uid.equals(otherUid) && attempt == otherAttempt;
        }
    }

    JobBytes(MeterRegistry meters, SteadyClock clock) {
        this.meters = meters;
        this.clock = clock;
    }

    /** Takes a report that is not older than those before. One without devices says nothing. */
    void told(String uid, JobTrafficAnswer answer) {
        Long sent = answer.sentBytes();
        if (sent == null) {
            return;
        }
        Name name = new Name(answer.namespace(), answer.job());
        Counted before = jobs.get(name);
        Counter counter = before == null ? counter(name, sent) : before.counter();
        if (counter == null) {
            return;
        }
        long known = before != null && before.isOf(uid, answer.attempt()) ? before.sent() : 0;
        // The sum goes back where a device is told no more.
        long now = Math.max(known, sent);
        counter.increment(now - known);
        jobs.put(name, new Counted(counter, uid, answer.attempt(), now, clock.instant()));
    }

    /** {@code null} where there is no room for a job that has sent so much. */
    private @Nullable Counter counter(Name name, long sent) {
        if (jobs.size() >= MOST) {
            Instant early = clock.instant().minus(LATELY);
            Map.Entry<Name, Counted> least = jobs.entrySet().stream()
                    .min(Comparator.comparing((Map.Entry<Name, Counted> each) ->
                                    !each.getValue().toldAt().isBefore(early))
                            .thenComparingLong(each -> each.getValue().sent()))
                    .orElseThrow();
            if (!least.getValue().toldAt().isBefore(early) && least.getValue().sent() >= sent) {
                return null;
            }
            meters.remove(least.getValue().counter());
            jobs.remove(least.getKey());
        }
        return Counter.builder("fabric_operator_job_bytes")
                .description(
                        "Bytes that a job has sent, of the jobs that send most. Each replica knows those of all: take the max, not the sum")
                .tag("namespace", name.namespace())
                .tag("job", name.job())
                .register(meters);
    }
}
