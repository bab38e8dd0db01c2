/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads what exporters answer, within bounds of time and of bytes. Whoever may write a Fabric chooses the address, so that it has to be one that the operator's
 * settings name; no redirection is followed, and nothing of an answer is told but what is wrong with a line of metrics.
 */
final class MetricsWay implements AutoCloseable {
    /** That of 80,000 ports has some 40 MB. */
    static final long MOST_BYTES = 256L << 20;

    private final List<String> hosts;
    private final Duration limit;
    private final long mostBytes;
    private final HttpClient http;
    private final ScheduledExecutorService deadlines = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("fabric-exporters").daemon(true).factory());

    /** Makes something of a text. */
    @FunctionalInterface
    interface Reading<T> {
        T read(Reader text) throws IOException, BadInputException;
    }

    /**
     * What was made of an answer.
     *
     * @param waited for the texts of others: no part of what the exporter took
     */
    record Answer<T>(T made, Duration waited) {}

    /** One text at a time: each may take the part of the heap that a reader has. Who has to wait for it is not late by that. */
    private final Semaphore texts = new Semaphore(1, true);

    /** @param hosts {@code host} or {@code host:port} that may be asked; a host without a port stands for that of the url's scheme */
    MetricsWay(List<String> hosts, Duration limit, long mostBytes) {
        this.hosts = hosts.stream()
                .map(each -> each.strip().toLowerCase(Locale.ROOT))
                .toList();
        this.limit = limit;
        this.mostBytes = mostBytes;
        this.http = HttpClient.newBuilder()
                .connectTimeout(limit)
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    /**
     * Asks once.
     *
     * @throws IOException with a sentence that names the url, where it may not be asked or does not answer
     * @throws BadInputException where it answers something else
     */
    <T> Answer<T> read(String url, Reading<T> reading) throws IOException, BadInputException, InterruptedException {
        URI uri = allowed(url);
        CompletableFuture<HttpResponse<InputStream>> asked = http.sendAsync(
                HttpRequest.newBuilder(uri)
                        .header("Accept", "text/plain;version=0.0.4, */*;q=0.1")
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try {
            HttpResponse<InputStream> response = asked.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            try (Body body = new Body(url, response.body())) {
                if (response.statusCode() != 200) {
                    throw new IOException(url + " answers with status " + response.statusCode()
                            + (response.statusCode() / 100 == 3 ? ", and no redirection is followed" : ""));
                }
                long answered = System.nanoTime();
                texts.acquire();
                try {
                    long turn = System.nanoTime();
                    T made = inTime(url, body, turn + limit.toNanos(), reading);
                    return new Answer<>(made, Duration.ofNanos(turn - answered));
                } finally {
                    texts.release();
                }
            }
        } catch (TimeoutException e) {
            throw late(url, e);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new IOException(
                    url + " does not answer: " + Objects.requireNonNullElse(cause.getMessage(), cause.toString()), e);
        } finally {
            asked.cancel(true);
        }
    }

    private <T> T inTime(String url, Body body, long end, Reading<T> reading) throws IOException, BadInputException {
        ScheduledFuture<?> deadline =
                deadlines.schedule(body::expire, Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        try (Reader text = new InputStreamReader(body, StandardCharsets.UTF_8)) {
            return reading.read(text);
        } catch (IOException e) {
            if (body.expired) {
                throw late(url, e);
            }
            throw body.tooLong ? e : new IOException(url + " breaks off: " + e.getMessage(), e);
        } finally {
            deadline.cancel(false);
        }
    }

    private IOException late(String url, Exception cause) {
        return new IOException(url + " gives no whole answer within " + limit.toSeconds() + " s", cause);
    }

    private URI allowed(String url) throws IOException {
        URI uri;
        try {
            uri = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw new IOException("'" + url + "' is no url: " + e.getMessage(), e);
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        String host = uri.getHost();
        if (!scheme.equals("http") && !scheme.equals("https") || host == null || uri.getUserInfo() != null) {
            throw new IOException(url + " is no http://host[:port]/path");
        }
        int usual = scheme.equals("http") ? 80 : 443;
        String name = host.toLowerCase(Locale.ROOT);
        int port = uri.getPort() < 0 ? usual : uri.getPort();
        if (!hosts.contains(name + ":" + port) && !(port == usual && hosts.contains(name))) {
            throw new IOException(url + " is not asked: name " + name + (port == usual ? "" : ":" + port)
                    + " in the servers' setting FABRIC_OPERATOR_COUNTERS_HOSTS to allow it");
        }
        return uri;
    }

    /** An answer that ends when it is too long, or at its deadline. */
    private final class Body extends FilterInputStream {
        private final String url;
        private long bytes;
        private volatile boolean expired;
        private boolean tooLong;

        Body(String url, InputStream in) {
            super(in);
            this.url = url;
        }

        void expire() {
            expired = true;
            try {
                in.close();
            } catch (IOException e) {
                // It is over.
            }
        }

        @Override
        public int read() throws IOException {
            int each = super.read();
            count(each < 0 ? 0 : 1);
            return each;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count = super.read(into, offset, length);
            count(Math.max(0, count));
            return count;
        }

        private void count(int more) throws IOException {
            bytes += more;
            if (expired) {
                throw new IOException("too late");
            }
            if (bytes > mostBytes) {
                tooLong = true;
                throw new IOException(url + " answers more than " + mostBytes + " bytes");
            }
        }
    }

    @Override
    public void close() {
        deadlines.shutdownNow();
        http.shutdownNow();
    }
}
