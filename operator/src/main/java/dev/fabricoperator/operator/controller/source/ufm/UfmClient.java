/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.fabricoperator.operator.controller.source.ufm.UfmException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Asks one appliance once for systems, ports and links.
 *
 * <p>Answers come in pages; what they hold is copied into one JSON object with the members {@code systems}, {@code ports}
 * and {@code links}. Nothing is understood here but where a page's list is: in the answer itself or, as UFM does when
 * asked for a page, in its member {@code data}. One bad page fails the whole: half a fabric is none.
 *
 * @see "NVIDIA UFM Enterprise REST API: Systems, Ports, Links; page_number and rpp"
 */
public final class UfmClient implements AutoCloseable {
    private static final List<String> RESOURCES = List.of("systems", "ports", "links");
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;
    private static final int MAXIMUM_DEPTH = 32;
    private static final int MAXIMUM_STRING = 1 << 20;
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAXIMUM_DEPTH)
                    .maxStringLength(MAXIMUM_STRING)
                    .build())
            .build();

    private final URI base;
    private final UfmCredentials credentials;
    private final UfmLimits limits;
    private final HttpClient http;

    /** @throws UfmException if the Secret's certificate cannot be read */
    public UfmClient(URI base, UfmCredentials credentials, UfmLimits limits) throws UfmException {
        this.base = base;
        this.credentials = credentials;
        this.limits = limits;
        this.http = HttpClient.newBuilder()
                .sslContext(credentials.tls())
                .connectTimeout(limits.connect())
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    /**
     * Everything that the appliance says.
     *
     * @throws UfmException with the URL and what is wrong with its answer
     * @throws InterruptedException if this thread is interrupted; so is a body that never ends
     */
    public CompressedText read() throws IOException, InterruptedException {
        CompressedText text = new CompressedText(limits.compressedBytes());
        ReadLimit limit = new ReadLimit(limits.bytes(), limits.whole());
        try (JsonGenerator out = JSON.createGenerator(text.output())) {
            out.writeStartObject();
            for (String resource : RESOURCES) {
                out.writeArrayFieldStart(resource);
                copyAll(resource, out, limit);
                out.writeEndArray();
            }
            out.writeEndObject();
        }
        return text;
    }

    /**
     * As {@link #read}, and ends it when the time for everything is over: a body that stands still is never read on.
     */
    public CompressedText readWithin() throws IOException, InterruptedException {
        Reading reading = new Reading();
        Thread watch = Thread.ofVirtual().start(() -> {
            try {
                Thread.sleep(limits.whole());
                reading.end();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            return read();
        } catch (IOException | InterruptedException e) {
            if (reading.hasEnded()) {
                throw new UfmException(Kind.Unreachable, base + ": no complete answer within " + limits.whole(), e);
            }
            throw e;
        } finally {
            watch.interrupt();
            reading.over();
        }
    }

    /** What the calling thread reads. It is interrupted while it reads, and never when it is at something else. */
    private final class Reading {
        private final Thread reader = Thread.currentThread();
        private boolean ended;
        private boolean over;

        synchronized void end() {
            if (!over) {
                ended = true;
                http.shutdownNow();
                reader.interrupt();
            }
        }

        synchronized boolean hasEnded() {
            return ended;
        }

        synchronized void over() {
            over = true;
            if (ended) {
                // Where the connection's end was quicker, nobody has taken it.
                Thread.interrupted();
            }
        }
    }

    private void copyAll(String resource, JsonGenerator out, ReadLimit limit) throws IOException, InterruptedException {
        Set<Long> before = new HashSet<>();
        for (int number = 1; ; number++) {
            URI uri = base.resolve(credentials.api() + "/resources/" + resource + "?page_number=" + number + "&rpp="
                    + limits.pageSize());
            Page page;
            try (InputStream body = limit.bound(answer(uri))) {
                page = copy(uri, body, out);
            } catch (JsonProcessingException e) {
                throw new UfmException(Kind.Unreadable, uri + ": this is no JSON: " + e.getOriginalMessage(), e);
            }
            if (!page.paged() || page.elements() < limits.pageSize()) {
                return;
            }
            // Also in turn with others: pages that come again never end.
            if (!before.add(page.checksum())) {
                throw new UfmException(Kind.Unreadable, uri + ": the same page again");
            }
        }
    }

    /** What was on one page. */
    private record Page(boolean paged, int elements, long checksum) {}

    private static Page copy(URI uri, InputStream body, JsonGenerator out) throws IOException {
        try (JsonParser in = JSON.createParser(body)) {
            JsonToken first = in.nextToken();
            boolean paged = first == JsonToken.START_OBJECT;
            if (paged) {
                while (in.nextToken() == JsonToken.FIELD_NAME
                        && !in.currentName().equals("data")) {
                    in.nextToken();
                    in.skipChildren();
                }
                first = in.currentToken() == JsonToken.FIELD_NAME ? in.nextToken() : null;
            }
            if (first != JsonToken.START_ARRAY) {
                throw new UfmException(Kind.Unreadable, uri + ": a list is expected, here or as \"data\"");
            }
            int elements = 0;
            long checksum = 0;
            while (in.nextToken() != JsonToken.END_ARRAY) {
                if (in.currentToken() != JsonToken.START_OBJECT) {
                    throw new UfmException(
                            Kind.Unreadable,
                            uri + ": element " + (elements + 1) + " of the list is "
                                    + (in.currentToken() == null ? "cut off" : "no object"));
                }
                checksum = 31 * checksum + copyObject(in, out);
                elements++;
            }
            // What follows must be well formed too: an answer that was cut after the list is cut.
            int open = paged ? 1 : 0;
            for (JsonToken token = in.nextToken(); token != null; token = in.nextToken()) {
                open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            }
            if (open != 0) {
                throw new UfmException(Kind.Unreadable, uri + ": the answer is cut off");
            }
            return new Page(paged, elements, checksum);
        }
    }

    /** Copies the object that the parser has just entered; the result depends on all of its text. */
    private static long copyObject(JsonParser in, JsonGenerator out) throws IOException {
        long checksum = 0;
        int depth = 0;
        do {
            checksum = 31 * checksum + in.getText().hashCode();
            out.copyCurrentEvent(in);
            depth += in.currentToken().isStructStart() ? 1 : in.currentToken().isStructEnd() ? -1 : 0;
        } while (depth > 0 && in.nextToken() != null);
        return checksum;
    }

    private InputStream answer(URI uri) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            UfmException failure;
            try {
                HttpResponse<InputStream> response = http.send(
                        HttpRequest.newBuilder(uri)
                                .timeout(limits.answer())
                                .header("Authorization", credentials.authorization())
                                .header("Accept", "application/json")
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
                failure = failure(uri, response);
                if (failure == null) {
                    return response.body();
                }
                response.body().close();
            } catch (SSLException e) {
                failure = new UfmException(Kind.Refused, uri + ": TLS: " + e.getMessage(), e);
            } catch (IOException e) {
                failure = new UfmException(Kind.Unreachable, uri + ": " + words(e), e);
            }
            if (failure.kind() != Kind.Unreachable || attempt >= limits.attempts()) {
                throw failure;
            }
            Thread.sleep(limits.backoff().after(attempt));
        }
    }

    private static @Nullable UfmException failure(URI uri, HttpResponse<?> response) {
        int status = response.statusCode();
        if (status == OK) {
            String type = response.headers().firstValue("Content-Type").orElse("");
            return type.toLowerCase(Locale.ROOT).startsWith("application/json")
                    ? null
                    : new UfmException(
                            Kind.Unreadable,
                            uri + ": the answer is " + (type.isEmpty() ? "of no type" : type) + ", not JSON");
        }
        Kind kind = status == UNAUTHORIZED || status == FORBIDDEN
                ? Kind.Refused
                : status == TOO_MANY || status >= SERVER_ERROR ? Kind.Unreachable : Kind.Unreadable;
        String hint = "";
        if (status > OK && status < BAD_REQUEST) {
            hint = ", and credentials follow no redirect";
        } else if (status == NOT_FOUND) {
            hint = ", so this is no UFM or another version of it";
        }
        return new UfmException(kind, uri + ": status " + status + hint);
    }

    private static String words(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** Ends what is still being asked; needs no patience of the appliance. */
    @Override
    public void close() {
        http.shutdownNow();
    }
}
