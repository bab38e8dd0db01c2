/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The operator's query API, whichever way leads to it. */
final class QueryServer implements AutoCloseable {
    static final String ROOT = "/apis/query.fabric-operator.dev/v1alpha1";

    /** Answers have fields that older programs do not know. */
    static final ObjectMapper JSON = new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Way way;

    QueryServer(Way way) {
        this.way = way;
    }

    /** How requests get there. */
    interface Way extends AutoCloseable {
        /** @param path with a query, from the root */
        CompletableFuture<Reply> get(String path);

        @Override
        void close();
    }

    record Reply(int status, byte[] body) {}

    /** Nobody answers there, or not now, or not this person: another way has to be taken. */
    static final class NotServedException extends IOException {
        private static final long serialVersionUID = 1L;

        NotServedException(String message) {
            super(message);
        }
    }

    /** What is asked for is not there, or is not to be asked for. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;
        private final String field;

        RefusedException(int status, String field, String message) {
            super(message);
            this.status = status;
            this.field = field;
        }

        /** Whether the server does not know the question, since it is older than this program. */
        boolean isOfOlderServer() {
            return status == HttpURLConnection.HTTP_NOT_FOUND && field.equals("path")
                    || getMessage().startsWith("no parameter '");
        }

        /** Whether the server says that there is no such thing, and not that it is asked for in a wrong way. */
        boolean isNotFound() {
            return status == HttpURLConnection.HTTP_NOT_FOUND;
        }

        @Override
        public String getMessage() {
            return String.valueOf(super.getMessage());
        }
    }

    /** The generation that was pinned is not the one that is served any more. */
    static final class MovedOnException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** An answer that is on its way; many may be at one time. */
    final class Pending {
        private final CompletableFuture<Reply> reply;

        private Pending(CompletableFuture<Reply> reply) {
            this.reply = reply;
        }

        <T> T as(Class<T> type) throws IOException {
            return JSON.readValue(bytes(), type);
        }

        byte[] bytes() throws IOException {
            Reply arrived;
            try {
                arrived = reply.join();
            } catch (CompletionException e) {
                throw new NotServedException("the query API cannot be reached: " + Connection.rootMessage(e));
            }
            if (arrived.status() == HttpURLConnection.HTTP_OK) {
                return arrived.body();
            }
            throw refusal(arrived);
        }
    }

    /** @param below what follows the fabric's name, with a query */
    Pending ask(String fabric, String below) {
        return new Pending(way.get(ROOT + "/fabrics/" + fabric + "/" + below));
    }

    Pending askJob(String namespace, String job, String resource) {
        return new Pending(
                way.get(ROOT + "/namespaces/" + encoded(namespace) + "/jobs/" + encoded(job) + "/" + resource));
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static IOException refusal(Reply reply) {
        JsonNode status;
        try {
            status = JSON.readTree(reply.body());
        } catch (IOException e) {
            // The API server says in plain text that it knows no such path.
            return new NotServedException("the query API is not there: HTTP status " + reply.status());
        }
        String message = status.path("message").asText();
        JsonNode cause = status.at("/details/causes/0");
        boolean ours = status.at("/details/group").asText().equals("query.fabric-operator.dev");
        return switch (reply.status()) {
            case HttpURLConnection.HTTP_BAD_REQUEST, HttpURLConnection.HTTP_NOT_FOUND ->
                ours
                        ? new RefusedException(
                                reply.status(), cause.path("field").asText(), message)
                        : new NotServedException(message);
            // More than one request may ask for.
            case HttpURLConnection.HTTP_ENTITY_TOO_LARGE -> new NotServedException(ours ? "" : message);
            case HttpURLConnection.HTTP_CONFLICT, HttpURLConnection.HTTP_GONE -> new MovedOnException();
            default -> new NotServedException("the query API does not answer (" + reply.status() + "): " + message);
        };
    }

    @Override
    public void close() {
        way.close();
    }
}
