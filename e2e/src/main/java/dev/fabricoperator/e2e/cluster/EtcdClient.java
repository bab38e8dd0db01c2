/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The little that the harness asks of etcd, through its JSON gateway. */
final class EtcdClient {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String address;

    EtcdClient(int port) {
        this.address = "http://127.0.0.1:" + port;
    }

    boolean isHealthy() {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/health"))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            // Not listening yet.
            return false;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Forgets all history up to now: watches from an older revision are refused. */
    void compact() {
        long revision =
                post("/v3/maintenance/status", "{}").at("/header/revision").asLong();
        post("/v3/kv/compaction", "{\"revision\": " + revision + ", \"physical\": true}");
    }

    private JsonNode post(String path, String body) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                    .timeout(Duration.ofMinutes(1))
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException(
                        "etcd answers " + response.statusCode() + " to " + path + ": " + response.body());
            }
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException("etcd does not answer " + path, e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for etcd", e);
    }
}
