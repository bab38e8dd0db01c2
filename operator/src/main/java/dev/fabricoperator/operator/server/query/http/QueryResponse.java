/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a request gets, before it is compressed and sent. */
public sealed interface QueryResponse {
    /** Headers beside those of content and caching. */
    Map<String, String> headers();

    /** Without quotes; {@code null} for what must not be cached. */
    @Nullable
    String etag();

    /** JSON of an object that is small. */
    record Document(Object body, @Nullable String etag, Map<String, String> headers) implements QueryResponse {}

    /** Anything that is written as it is computed; its memory does not grow with its length. */
    record Written(
            String mediaType,
            long estimatedBytes,
            Writer writer,
            @Nullable String etag,
            Map<String, String> headers) implements QueryResponse {
        /** Of what is longer only some are sent at one time. */
        public static final long LARGE_BYTES = 1L << 20;

        public static Written json(
                long estimatedBytes, JsonWriter writer, @Nullable String etag, Map<String, String> headers) {
            return new Written(
                    Format.json.mediaType(),
                    estimatedBytes,
                    out -> {
                        try (JsonGenerator to = Json.MAPPER.createGenerator(out)) {
                            writer.write(to);
                        }
                    },
                    etag,
                    headers);
        }
    }

    /** Lines of JSON until the client leaves, is too slow, or the source ends. */
    record Streamed(Source source, Map<String, String> headers) implements QueryResponse {
        @Override
        public @Nullable String etag() {
            return null;
        }
    }

    @FunctionalInterface
    interface Writer {
        void write(OutputStream out) throws IOException;
    }

    @FunctionalInterface
    interface JsonWriter {
        void write(JsonGenerator to) throws IOException;
    }

    /** Where a stream's lines come from. */
    interface Source extends AutoCloseable {
        /**
         * Waits for the next line.
         *
         * @return an object for JSON; {@code null} at the end
         */
        @Nullable
        Object next() throws InterruptedException;

        /** Ends it; {@link #next} returns {@code null} from now on. Any thread. */
        @Override
        void close();
    }
}
