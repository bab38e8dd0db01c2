/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import java.io.IOException;
import java.io.PushbackReader;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** JSON of strangers, read token by token: with bounds, without the mark that some editors write, and left open for who reads on. */
public final class JsonText {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_STRING = 1 << 20;
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_STRING)
                    .build())
            .build();

    private JsonText() {}

    /** A parser of the text; closing it leaves the text open. */
    public static JsonParser parser(Reader text) throws IOException {
        return JSON.createParser(withoutMark(text));
    }

    private static Reader withoutMark(Reader text) throws IOException {
        PushbackReader start = new PushbackReader(text);
        int first = start.read();
        if (first >= 0 && first != BYTE_ORDER_MARK) {
            start.unread(first);
        }
        return start;
    }

    /** Why a text cannot be read on, on one line. */
    public static String reason(JsonProcessingException e) {
        boolean isCut = e instanceof JsonEOFException
                || String.valueOf(e.getOriginalMessage()).startsWith("Unexpected end-of-input");
        return isCut ? "the text is cut off" : "this is no JSON that can be read: " + firstLine(e.getOriginalMessage());
    }

    private static String firstLine(@Nullable String message) {
        String whole = String.valueOf(message);
        int end = whole.indexOf('\n');
        return CablingCollector.printable(end < 0 ? whole : whole.substring(0, end));
    }
}
