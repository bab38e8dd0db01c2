/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What goes back.
 *
 * @param body shared between answers, never changed
 * @param header name and value of one more header, {@code null} for none
 */
record Answer(
        int status, String type, byte[] body, @Nullable Header header) {
    static final Answer NOTHING = new Answer(204, "", new byte[0], null);
    static final Answer NEWER_ATTEMPT = new Answer(205, "", new byte[0], null);
    static final Answer LATER = new Answer(503, "", new byte[0], new Header("Retry-After", "1"));

    record Header(String name, String value) {}

    static Answer map(byte[] map) {
        return new Answer(200, "application/octet-stream", map, null);
    }

    static Answer text(int status, String sentence) {
        return new Answer(status, "text/plain; charset=utf-8", sentence.getBytes(StandardCharsets.UTF_8), null);
    }

    static Answer later(String sentence) {
        byte[] body = sentence.getBytes(StandardCharsets.UTF_8);
        return new Answer(503, "text/plain; charset=utf-8", body, LATER.header());
    }

    static Answer elsewhere(String url) {
        return new Answer(307, "", new byte[0], new Header("Location", url));
    }
}
