/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What goes back.
 *
 * @param body shared between answers, never changed
 * @param header name and value of one more header, {@code null} for none
 */
record JobResponse(
        int status, String type, byte[] body, @Nullable Header header) {
    static final JobResponse NOTHING = new JobResponse(204, "", new byte[0], null);
    static final JobResponse NEWER_ATTEMPT = new JobResponse(205, "", new byte[0], null);
    /** To a pod that waits for news of its job's fabric: its job's map is wanted first. */
    static final JobResponse MAP_WANTED = text(202, "this replica wants the map of the job first");

    /** To a pod that wants to join: it is none of the attempt that goes on, and is asked to come again for the next one, however late that is. */
    static final JobResponse ATTEMPT_GOES_ON =
            text(202, "an attempt of this job goes on without this pod, which is one of the next attempt");

    /** Pods that were all sent away at one time must not all come back at one time. */
    private static final int PAUSE_SECONDS = 4;

    private static final int MAX_PAUSE_SECONDS = 30;

    record Header(String name, String value) {}

    static JobResponse binary(byte[] body) {
        return new JobResponse(200, "application/octet-stream", body, null);
    }

    static JobResponse text(int status, String sentence) {
        return new JobResponse(status, "text/plain; charset=utf-8", sentence.getBytes(StandardCharsets.UTF_8), null);
    }

    /** Ask again after one to four seconds, another number each time. */
    static JobResponse later(String sentence) {
        return later(sentence, 0);
    }

    /**
     * The same where there is work for so long already: those who come later are spread over as long a time.
     *
     * @param workSeconds what more than half a minute is counts as that
     */
    static JobResponse later(String sentence, int workSeconds) {
        int most = Math.clamp(workSeconds, PAUSE_SECONDS, MAX_PAUSE_SECONDS);
        int seconds = ThreadLocalRandom.current().nextInt(1, most + 1);
        return new JobResponse(
                503,
                "text/plain; charset=utf-8",
                sentence.getBytes(StandardCharsets.UTF_8),
                new Header("Retry-After", Integer.toString(seconds)));
    }

    /** The same was told a moment ago. */
    static JobResponse tooSoon(String sentence, int seconds) {
        return new JobResponse(
                429,
                "text/plain; charset=utf-8",
                sentence.getBytes(StandardCharsets.UTF_8),
                new Header("Retry-After", Integer.toString(seconds)));
    }

    static JobResponse elsewhere(String url) {
        return new JobResponse(307, "", new byte[0], new Header("Location", url));
    }
}
