/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.server.Proc;
import dev.fabricoperator.pmix.server.Published.Datum;
import dev.fabricoperator.pmix.server.Published.Found;
import dev.fabricoperator.pmix.server.Published.Publication;
import dev.fabricoperator.pmix.server.Published.Search;
import dev.fabricoperator.protocol.job.JobPod;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What pods ask of pod 0 about published data, as bytes: a byte that names the question, then its values. */
final class PublishedDataCodec {
    private static final int PUBLISH = 1;
    private static final int LOOKUP = 2;
    private static final int UNPUBLISH = 3;
    private static final int ENDED = 4;
    private static final int POD_DONE = 5;
    /** PMIX_MAX_KEYLEN. */
    private static final int LONGEST_KEY = 511;
    /** Of one question: each takes more room than its bytes. */
    private static final int MOST_KEYS = 16_384;

    private PublishedDataCodec() {}

    /** Exactly one method is called for a question. */
    interface Handler {
        void publish(int rank, Publication publication);

        void lookup(int rank, Search search);

        void unpublish(int rank, int range, List<String> keys);

        void ended(int rank);

        void podDone();

        void unreadable();
    }

    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] write(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writing.to(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] publish(int rank, Publication publication) {
        return write(out -> {
            out.writeByte(PUBLISH);
            out.writeInt(rank);
            out.writeInt(publication.range());
            out.writeInt(publication.persistence());
            out.writeInt(publication.data().size());
            for (Datum datum : publication.data()) {
                writeDatum(out, datum);
            }
        });
    }

    static byte[] lookup(int rank, Search search) {
        return write(out -> {
            out.writeByte(LOOKUP);
            out.writeInt(rank);
            out.writeInt(search.range());
            out.writeInt(search.wanted());
            out.writeInt(search.timeoutSeconds());
            writeKeys(out, search.keys());
        });
    }

    static byte[] unpublish(int rank, int range, List<String> keys) {
        return write(out -> {
            out.writeByte(UNPUBLISH);
            out.writeInt(rank);
            out.writeInt(range);
            writeKeys(out, keys);
        });
    }

    static byte[] ended(int rank) {
        return write(out -> {
            out.writeByte(ENDED);
            out.writeInt(rank);
        });
    }

    static byte[] podDone() {
        return new byte[] {POD_DONE};
    }

    static byte[] found(List<Found> found) {
        return write(out -> {
            out.writeInt(found.size());
            for (Found each : found) {
                out.writeInt(each.publisher().rank());
                writeDatum(out, each.datum());
            }
        });
    }

    /**
     * Of an answer of pod 0, which has made it with {@link #found(List)}.
     *
     * @return {@code null} for one that no pmixd has written
     */
    static @Nullable List<Found> found(String nspace, byte[] body) {
        try {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(body));
            int count = readCount(in);
            List<Found> found = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                found.add(new Found(new Proc(nspace, in.readInt()), readDatum(in)));
            }
            return found;
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * @param from the pod that asks, which speaks for its own ranks alone: else it could take away what others have published
     */
    static void handle(byte[] body, JobPod from, Handler handler) {
        Runnable question;
        try {
            question = read(new DataInputStream(new ByteArrayInputStream(body)), from, handler);
        } catch (IOException e) {
            question = handler::unreadable;
        }
        question.run();
    }

    private static Runnable read(DataInputStream in, JobPod from, Handler handler) throws IOException {
        int kind = in.readByte();
        if (kind == POD_DONE) {
            return handler::podDone;
        }
        int rank = in.readInt();
        if (rank < from.firstRank() || rank >= from.firstRank() + from.rankCount()) {
            throw new IOException("speaks for rank " + rank + ", which is not its own");
        }
        switch (kind) {
            case PUBLISH -> {
                int range = in.readInt();
                int persistence = in.readInt();
                int count = readCount(in);
                List<Datum> data = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    data.add(readDatum(in));
                }
                return () -> handler.publish(rank, new Publication(range, persistence, data));
            }
            case LOOKUP -> {
                int range = in.readInt();
                int wanted = in.readInt();
                int timeoutSeconds = in.readInt();
                List<String> keys = readKeys(in);
                return () -> handler.lookup(rank, new Search(range, keys, wanted, timeoutSeconds));
            }
            case UNPUBLISH -> {
                int range = in.readInt();
                List<String> keys = readKeys(in);
                return () -> handler.unpublish(rank, range, keys);
            }
            case ENDED -> {
                return () -> handler.ended(rank);
            }
            default -> {
                return handler::unreadable;
            }
        }
    }

    private static void writeDatum(DataOutputStream out, Datum datum) throws IOException {
        writeBytes(out, datum.key().getBytes(StandardCharsets.ISO_8859_1));
        writeBytes(out, datum.value());
    }

    private static Datum readDatum(DataInputStream in) throws IOException {
        return new Datum(readKey(in), readBytes(in));
    }

    private static void writeKeys(DataOutputStream out, List<String> keys) throws IOException {
        out.writeInt(keys.size());
        for (String key : keys) {
            writeBytes(out, key.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private static List<String> readKeys(DataInputStream in) throws IOException {
        int count = readCount(in);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(readKey(in));
        }
        return keys;
    }

    private static int readCount(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MOST_KEYS) {
            throw new IOException("names " + count + " keys");
        }
        return count;
    }

    private static String readKey(DataInputStream in) throws IOException {
        byte[] key = readBytes(in);
        if (key.length == 0 || key.length > LONGEST_KEY) {
            throw new IOException("a key of " + key.length + " bytes");
        }
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** No more is allocated than the message has. */
    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("the message ends too early");
        }
        return in.readNBytes(length);
    }
}
