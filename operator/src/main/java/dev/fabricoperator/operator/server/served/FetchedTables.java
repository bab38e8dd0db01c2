/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.operator.cluster.FabricFacts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Forwarding tables that sweeps have dumped, fetched from them when a Fabric's status names others. The status says the digest, and comes through the API
 * server: what does not have it is refused, whoever has sent it. So no certificate is needed between a server and a sweep.
 *
 * <pre>
 * Bounds: time as given; memory of the reader, which takes a third of the heap at most.
 * </pre>
 */
final class FetchedTables {
    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final Duration limit;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final Map<String, ForwardingTables> byDigest = new ConcurrentHashMap<>();
    /** What several sweeps of one Fabric say together, by their digests. */
    private final Map<List<String>, ForwardingTables> together = new HashMap<>();

    /** Those that Fabrics name, by digest. */
    private volatile Map<String, RoutesStatus> wanted = Map.of();

    /** @param limit for one answer */
    FetchedTables(Duration limit) {
        this.limit = limit;
    }

    /** What the sweeps of a Fabric have dumped, by its status; the same object as long as that is the same. */
    sealed interface Answer {
        /** There is none. */
        record None() implements Answer {}

        /** They are named, and not all fetched yet. */
        record Awaited() implements Answer {}

        record Known(ForwardingTables tables) implements Answer {}
    }

    Answer of(FabricStatus status) {
        List<String> digests = routes(status).map(RoutesStatus::digest).toList();
        if (digests.isEmpty()) {
            return new Answer.None();
        }
        List<ForwardingTables> known =
                digests.stream().map(byDigest::get).filter(Objects::nonNull).toList();
        return known.size() < digests.size()
                ? new Answer.Awaited()
                : new Answer.Known(together.computeIfAbsent(digests, any -> ForwardingTables.of(known)));
    }

    /**
     * Notes what the Fabrics name now, and forgets all others.
     *
     * @return whether something has to be fetched
     */
    boolean want(List<FabricFacts> fabrics) {
        Map<String, RoutesStatus> all = new HashMap<>();
        for (FabricFacts fabric : fabrics) {
            if (fabric.status() != null) {
                routes(fabric.status()).forEach(one -> all.put(one.digest(), one));
            }
        }
        wanted = Map.copyOf(all);
        return !byDigest.keySet().containsAll(all.keySet());
    }

    /** Forgets what no Fabric names any more; after the fabrics were refreshed, which keep the last good tables until then. */
    void forget() {
        Set<String> kept = wanted.keySet();
        byDigest.keySet().retainAll(kept);
        together.keySet().removeIf(digests -> !kept.containsAll(digests));
    }

    /**
     * Fetches what is missing.
     *
     * @return whether something has come
     * @throws IOException if one of them could not be fetched; the others are
     */
    boolean fetch() throws IOException, InterruptedException {
        IOException failure = null;
        boolean fetched = false;
        for (RoutesStatus one : wanted.values()) {
            if (!byDigest.containsKey(one.digest())) {
                try {
                    byDigest.put(one.digest(), within(one));
                    fetched = true;
                } catch (IOException | RuntimeException e) {
                    // That of a refused connection has no message.
                    failure = new IOException(
                            one.address() + FabricApi.ROUTES_PATH + one.digest() + ": "
                                    + Objects.requireNonNullElse(e.getMessage(), e.toString()),
                            e);
                }
            }
        }
        if (failure != null && !fetched) {
            throw failure;
        }
        return fetched;
    }

    private ForwardingTables within(RoutesStatus from) throws IOException, InterruptedException {
        FutureTask<ForwardingTables> reading = new FutureTask<>(() -> read(from));
        Thread.ofVirtual().name("forwarding-tables").start(reading);
        try {
            return reading.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no whole answer within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failed -> throw failed;
                case BadInputException bad -> throw new IOException(bad.getMessage(), bad);
                case null, default -> throw new IllegalStateException(e.getCause());
            }
        } finally {
            // Ends a body that stands still.
            reading.cancel(true);
        }
    }

    private ForwardingTables read(RoutesStatus from) throws IOException, BadInputException, InterruptedException {
        HttpResponse<InputStream> response =
                http.send(HttpRequest.newBuilder(uri(from)).build(), HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() != 200) {
                throw new IOException("status " + response.statusCode());
            }
            DigestInputStream bytes = new DigestInputStream(body, Sha256.begin());
            BufferedReader text =
                    new BufferedReader(new InputStreamReader(new GZIPInputStream(bytes), StandardCharsets.UTF_8));
            ForwardingTables tables = ForwardingTableReader.read("forwarding tables", text);
            bytes.transferTo(OutputStream.nullOutputStream());
            String digest = HexFormat.of().formatHex(bytes.getMessageDigest().digest());
            if (!digest.equals(from.digest())) {
                throw new IOException("the answer has the SHA-256 " + digest);
            }
            return tables;
        }
    }

    private static URI uri(RoutesStatus from) {
        return URI.create("http://" + from.address() + FabricApi.ROUTES_PATH + from.digest());
    }

    private static Stream<RoutesStatus> routes(FabricStatus status) {
        return status.sources().stream()
                .map(SourceStatus::routes)
                .filter(Objects::nonNull)
                .filter(routes -> routes.digest() != null && routes.address() != null);
    }
}
