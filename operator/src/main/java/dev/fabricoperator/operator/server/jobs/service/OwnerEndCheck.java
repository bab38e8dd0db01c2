/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.cluster.Backoff;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobEnd;
import dev.fabricoperator.operator.launch.JobOwners;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Asks after the owner of a job of which no pod is left, or not every one: it may have given up, as a Job without a retry left does, and then no
 * pod is there to say so, or others wait in vain, also for pods that it asks for no more. Also why a job has failed: its time may have been over. Asks after a second at most, two, four and so on up to a minute; each
 * minute where all seems to be well with a job that another replica has begun.
 */
final class OwnerEndCheck {
    private static final Logger LOG = Logger.getLogger(OwnerEndCheck.class);
    private static final Backoff SELDOM = new Backoff(Duration.ofMinutes(1), Duration.ofMinutes(1));
    private static final Backoff PAUSE = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

    private final ServedJob job;
    private final JobOwners owners;
    private final Consumer<DirectJob> latest;
    private final AtomicBoolean asking = new AtomicBoolean();
    private int asked;
    private @Nullable Instant next;

    /** @param latest is told what an owner that has not ended asks for */
    OwnerEndCheck(ServedJob job, JobOwners owners, Consumer<DirectJob> latest) {
        this.job = job;
        this.owners = owners;
        this.latest = latest;
    }

    /** For one thread; the API server is asked on another. */
    void check(Instant now) {
        if (!job.asksOwner()) {
            asked = 0;
            next = null;
            return;
        }
        if (next != null && now.isBefore(next)) {
            return;
        }
        boolean ask = next != null;
        next = now.plus((job.isOfAnother() ? SELDOM : PAUSE).after(asked + 1));
        if (ask && asking.compareAndSet(false, true)) {
            asked++;
            Thread.ofVirtual().name("job-owner").start(this::ask);
        }
    }

    private void ask() {
        try {
            JobOwners.Look look = owners.look(job.job(), job.progress().missing());
            JobEnd end = look.end();
            DirectJob asked = look.job();
            if (end != null) {
                job.over(end);
            } else if (asked != null) {
                latest.accept(asked);
            }
        } catch (IOException e) {
            LOG.debugf("asked again: %s", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.errorf(e, "the end of job %s cannot be told", job.job().key());
        } finally {
            asking.set(false);
        }
    }
}
