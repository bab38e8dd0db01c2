/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.ApiAnswers;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads single objects from the API server on behalf of requests that must be answered soon. Names that come from such a request are checked before they
 * become part of a path, only so many reads run at one time, and a read that is not answered by its deadline is ended, not left to run on.
 */
public final class ApiReader {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** What etcd takes of one object by default, doubled for JSON against protobuf. */
    private static final int MAXIMUM_BYTES = 3 << 20;
    /** Most objects have less. Of larger ones the whole process reads one at a time: whoever may make one says how large it is, and as a tree it takes twenty times as much. */
    private static final int SMALL_BYTES = 64 << 10;

    private static final Semaphore READING_LARGE = new Semaphore(1, true);

    private final URI server;
    private final HttpClient http;
    private final Semaphore reading;

    /** @param concurrency reads at one time; more wait, at most until their deadline */
    public ApiReader(KubernetesClient client, int concurrency) {
        this.server = URI.create(client.getConfiguration().getMasterUrl());
        this.http = client.getHttpClient();
        this.reading = new Semaphore(concurrency);
    }

    /**
     * Which object; made by {@link #of} only, so that each part is a name and nothing else.
     *
     * @param path of a URL, such as {@code /api/v1/namespaces/default/pods/a}
     */
    public record ObjectPath(String path) {
        private static final int LONGEST_NAME = 253;
        /** RFC 1123 labels, separated by dots. */
        private static final Pattern NAME =
                Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*+");

        /**
         * A namespaced object.
         *
         * @param apiVersion {@code v1}, or group and version such as {@code batch/v1}
         * @param plural such as {@code jobs}
         * @return {@code null} where a part is no name of Kubernetes, so that there can be no such object
         */
        public static @Nullable ObjectPath of(String apiVersion, String plural, String namespace, String name) {
            String[] parts = apiVersion.split("/", -1);
            if (parts.length > 2 || !isName(plural) || !isName(namespace) || !isName(name)) {
                return null;
            }
            for (String part : parts) {
                if (!isName(part)) {
                    return null;
                }
            }
            String root = parts.length == 1 ? "/api/" : "/apis/";
            return new ObjectPath(root + apiVersion + "/namespaces/" + namespace + "/" + plural + "/" + name);
        }

        private static boolean isName(String text) {
            return text.length() <= LONGEST_NAME && NAME.matcher(text).matches();
        }
    }

    /**
     * The object as JSON; waits in the calling thread.
     *
     * @return {@code null} where the API server says that there is none
     * @throws TimeoutException when there is no whole answer within the deadline, waiting for a place included; the request is ended
     * @throws RefusedException when the API server does not serve the kind in this version, or does not let this process read it
     * @throws IOException when the API server cannot be reached, or answers with something else than an object of at most 3 MiB
     */
    public @Nullable JsonNode get(ObjectPath object, Duration deadline)
            throws IOException, TimeoutException, InterruptedException {
        try (Held held = hold()) {
            return held.get(object, deadline);
        }
    }

    /** For who needs several objects together. */
    public Held hold() {
        return new Held();
    }

    /**
     * Objects that are read one after the other and kept together: when one of them is large, nobody else reads a large one until this is closed. Whoever
     * waited for the next one with a large one in hand would keep it beside those of all who wait with him. For one thread.
     */
    public final class Held implements AutoCloseable {
        private boolean large;

        private Held() {}

        /** As {@link ApiReader#get}. */
        public @Nullable JsonNode get(ObjectPath object, Duration deadline)
                throws IOException, TimeoutException, InterruptedException {
            long end = System.nanoTime() + deadline.toNanos();
            acquire(reading, end);
            try {
                return read(object, SMALL_BYTES, end);
            } catch (TooLargeException e) {
                // Below, without the place among small ones.
            } finally {
                reading.release();
            }
            if (!large) {
                acquire(READING_LARGE, end);
                large = true;
            }
            return read(object, MAXIMUM_BYTES, end);
        }

        @Override
        public void close() {
            if (large) {
                large = false;
                READING_LARGE.release();
            }
        }
    }

    private static void acquire(Semaphore places, long end) throws TimeoutException, InterruptedException {
        if (!places.tryAcquire(left(end), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("too many reads at one time");
        }
    }

    /** What the API server will not say, however often it is asked, until somebody changes a right or what is installed. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /** An object that has more bytes than are taken. */
    private static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1;

        TooLargeException(ObjectPath object, int most) {
            super(object.path() + " has more than " + most + " bytes");
        }
    }

    private @Nullable JsonNode read(ObjectPath object, int most, long end)
            throws IOException, TimeoutException, InterruptedException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        AtomicInteger length = new AtomicInteger();
        CompletableFuture<HttpResponse<AsyncBody>> head = http.consumeBytes(
                http.newHttpRequestBuilder()
                        .uri(server.resolve(object.path()))
                        .header("Accept", "application/json")
                        // Ends a request to which nothing is answered; one that is answered in part is ended below.
                        .timeout(Math.max(end - System.nanoTime(), 1_000_000), TimeUnit.NANOSECONDS)
                        .build(),
                (parts, body) -> {
                    for (ByteBuffer part : parts) {
                        // The rest is read and dropped: to cancel what has come already would close a connection that
                        // another request may have by now.
                        if (length.addAndGet(part.remaining()) > MAXIMUM_BYTES) {
                            body.cancel();
                            return;
                        }
                        if (length.get() > most) {
                            bytes.reset();
                        } else {
                            byte[] copy = new byte[part.remaining()];
                            part.get(copy);
                            bytes.writeBytes(copy);
                        }
                    }
                    body.consume();
                });
        try {
            HttpResponse<AsyncBody> response = head.get(left(end), TimeUnit.NANOSECONDS);
            boolean whole = false;
            try {
                response.body().consume();
                response.body().done().get(left(end), TimeUnit.NANOSECONDS);
                whole = true;
            } finally {
                // After a whole answer this would close the connection, which another request may have by now.
                if (!whole) {
                    response.body().cancel();
                }
            }
            if (response.code() == HttpURLConnection.HTTP_NOT_FOUND
                    && ApiAnswers.isAbsence(response.code(), nameInStatus(bytes.toByteArray()))) {
                return null;
            }
            if (response.code() != HttpURLConnection.HTTP_OK) {
                String answer = "the API server answers " + response.code() + " to " + object.path();
                throw switch (response.code()) {
                    case HttpURLConnection.HTTP_NOT_FOUND ->
                        new RefusedException(
                                answer
                                        + ", and does not say that there is no such object: is its kind served in this version?");
                    case HttpURLConnection.HTTP_FORBIDDEN -> new RefusedException(answer);
                    default -> new IOException(answer);
                };
            }
            if (length.get() > most) {
                throw new TooLargeException(object, most);
            }
            return JSON.readTree(bytes.toByteArray());
        } catch (TimeoutException e) {
            throw new TimeoutException("the API server does not answer to " + object.path() + " in time");
        } catch (CancellationException | ExecutionException e) {
            if (length.get() > MAXIMUM_BYTES) {
                throw new TooLargeException(object, most);
            }
            throw new IOException("the API server does not answer to " + object.path() + ": " + e.getCause(), e);
        } finally {
            // The client would try again what has failed; a response that comes later than this is ended by the client.
            head.cancel(false);
        }
    }

    private static @Nullable String nameInStatus(byte[] answer) {
        try {
            return JSON.readTree(answer).at("/details/name").textValue();
        } catch (IOException e) {
            // Of a path that nobody serves it is plain text.
            return null;
        }
    }

    private static long left(long end) {
        return Math.max(end - System.nanoTime(), 0);
    }
}
