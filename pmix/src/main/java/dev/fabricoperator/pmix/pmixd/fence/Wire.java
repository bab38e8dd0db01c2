/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What pods of a job say to each other, big-endian, after a byte that names the kind. */
sealed interface Wire {
    /** On its way to the lowest pod that all participants are below. A status other than 0: it can no longer succeed, and fails at once, or with parts when all have come. */
    record FenceUp(FenceKey key, int status, BitSet pods, List<Part> parts) implements Wire {
        @Override
        public byte[] encode() {
            byte[] podBits = pods.toByteArray();
            int bytes = 1 + 24 + 4 + 4 + podBits.length + 4;
            for (Part part : parts) {
                bytes += 8 + part.bytes();
            }
            ByteBuffer out = Wire.key(bytes, FENCE_UP, key).putInt(status);
            block(out, podBits).putInt(parts.size());
            for (Part part : parts) {
                out.putInt(part.pod).putInt(part.bytes()).put(part.data.duplicate());
            }
            return out.array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    /**
     * What one pod brings.
     *
     * @param data a part of the message that it came in, which is not copied
     */
    record Part(int pod, ByteBuffer data) {
        static Part of(int pod, byte[] data) {
            return new Part(pod, ByteBuffer.wrap(data));
        }

        int bytes() {
            return data.remaining();
        }
    }

    /**
     * On its way back. It is kept as the message that it is, since every pod between hands it on as it came.
     *
     * @param encoded the message
     * @param dataAt where the result begins in it; it ends with the message
     */
    record FenceDown(FenceKey key, int status, BitSet pods, byte[] encoded, int dataAt) implements Wire {
        /** @param parts in the order of the result */
        static FenceDown of(FenceKey key, int status, BitSet pods, List<Part> parts) {
            byte[] podBits = pods.toByteArray();
            int bytes = 0;
            for (Part part : parts) {
                bytes = Math.addExact(bytes, part.bytes());
            }
            int head = 1 + 24 + 4 + 4 + podBits.length + 4;
            ByteBuffer out = Wire.key(Math.addExact(head, bytes), FENCE_DOWN, key);
            block(out.putInt(status), podBits).putInt(bytes);
            for (Part part : parts) {
                out.put(part.data.duplicate());
            }
            return new FenceDown(key, status, pods, out.array(), head);
        }

        byte[] data() {
            return Arrays.copyOfRange(encoded, dataAt, encoded.length);
        }

        @Override
        public byte[] encode() {
            return encoded;
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    /** On its way up: what this pod has sent of the fence is to count no longer. */
    record FenceFailed(FenceKey key, int status) implements Wire {
        @Override
        public byte[] encode() {
            return Wire.key(29, FENCE_FAILED, key).putInt(status).array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    /** A question that pod 0 answers. */
    record RootRequest(int origin, long id, byte[] body) implements Wire {
        @Override
        public byte[] encode() {
            ByteBuffer out = ByteBuffer.allocate(17 + body.length).put(ROOT_REQUEST);
            return block(out.putInt(origin).putLong(id), body).array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    record RootAnswer(int origin, long id, int status, byte[] body) implements Wire {
        @Override
        public byte[] encode() {
            ByteBuffer out = ByteBuffer.allocate(21 + body.length).put(ROOT_ANSWER);
            return block(out.putInt(origin).putLong(id).putInt(status), body).array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    record ModexRequest(int origin, long id, int rank) implements Wire {
        @Override
        public byte[] encode() {
            return ByteBuffer.allocate(17)
                    .put(MODEX_REQUEST)
                    .putInt(origin)
                    .putLong(id)
                    .putInt(rank)
                    .array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    record ModexAnswer(int origin, long id, int status, byte[] data) implements Wire {
        @Override
        public byte[] encode() {
            ByteBuffer out = ByteBuffer.allocate(21 + data.length).put(MODEX_ANSWER);
            return block(out.putInt(origin).putLong(id).putInt(status), data).array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    record End(Ending ending) implements Wire {
        @Override
        public byte[] encode() {
            byte[] text = ending.text().getBytes(StandardCharsets.UTF_8);
            ByteBuffer out = ByteBuffer.allocate(18 + text.length)
                    .put(END)
                    .put((byte) ending.kind().ordinal())
                    .putInt(ending.pod())
                    .putInt(ending.rank())
                    .putInt(ending.code());
            return block(out, text).array();
        }

        @Override
        public void handTo(Receiver receiver) {
            receiver.received(this);
        }
    }

    record Run(RunMessage message) implements Wire {
        @Override
        public byte[] encode() {
            byte[] text = message.text();
            ByteBuffer out = ByteBuffer.allocate(14 + text.length)
                    .put(RUN)
                    .put((byte) message.kind().ordinal())
                    .putInt(message.pod())
                    .putInt(message.number());
            return block(out, text).array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    /** What is new of the job's fabric, from a pod to those below it. */
    record Fabric(byte[] update) implements Wire {
        @Override
        public byte[] encode() {
            return block(ByteBuffer.allocate(5 + update.length).put(FABRIC), update)
                    .array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    /** What a pod and those below it have sent to others, on its way up. */
    record Traffic(byte[] report) implements Wire {
        @Override
        public byte[] encode() {
            return block(ByteBuffer.allocate(5 + report.length).put(TRAFFIC), report)
                    .array();
        }

        @Override
        public void handTo(Receiver receiver) throws MeshException {
            receiver.received(this);
        }
    }

    /** A rank of some pod has failed; what that means shows in a moment. The more certain, the surer it is that the failure began with that rank. */
    record RankFailed(byte certainty) implements Wire {
        @Override
        public byte[] encode() {
            return new byte[] {RANK_FAILED, certainty};
        }

        @Override
        public void handTo(Receiver receiver) {
            receiver.received(this);
        }
    }

    /** What becomes of a message. A switch over the kinds would be linked at first use, milliseconds in the first fence. */
    interface Receiver {
        void received(FenceUp up) throws MeshException;

        void received(FenceDown down) throws MeshException;

        void received(ModexRequest request) throws MeshException;

        void received(ModexAnswer answer) throws MeshException;

        void received(End end);

        void received(FenceFailed failed) throws MeshException;

        void received(RootRequest request) throws MeshException;

        void received(RootAnswer answer) throws MeshException;

        void received(Run run) throws MeshException;

        void received(Fabric fabric) throws MeshException;

        void received(RankFailed failed);

        void received(Traffic traffic) throws MeshException;
    }

    byte[] encode();

    void handTo(Receiver receiver) throws MeshException;

    byte FENCE_UP = 8;
    byte FENCE_DOWN = 9;
    byte MODEX_REQUEST = 10;
    byte MODEX_ANSWER = 11;
    byte END = 12;
    byte FENCE_FAILED = 16;
    byte ROOT_REQUEST = 17;
    byte ROOT_ANSWER = 18;
    byte RUN = 13;
    byte FABRIC = 19;
    byte RANK_FAILED = 20;
    byte TRAFFIC = 21;

    private static ByteBuffer key(int bytes, byte kind, FenceKey key) {
        return ByteBuffer.allocate(bytes)
                .put(kind)
                .putLong(key.high())
                .putLong(key.low())
                .putLong(key.counter());
    }

    private static ByteBuffer block(ByteBuffer out, byte[] data) {
        return out.putInt(data.length).put(data);
    }

    /**
     * @param jobPods of which the job has so many
     * @return {@code null} for a kind that this version does not know: a pod of a later one says it to those that do
     * @throws MeshException for a message of a known kind that is not written as this version writes it
     */
    static @Nullable Wire decode(byte[] message, int jobPods) throws MeshException {
        ByteBuffer in = ByteBuffer.wrap(message);
        try {
            byte kind = in.get();
            @Nullable
            Wire decoded = switch (kind) {
                case FENCE_UP -> up(in, jobPods);
                case FENCE_DOWN -> down(in, jobPods);
                case MODEX_REQUEST -> new ModexRequest(in.getInt(), in.getLong(), in.getInt());
                case MODEX_ANSWER -> new ModexAnswer(in.getInt(), in.getLong(), in.getInt(), block(in));
                case END -> end(in);
                case FENCE_FAILED -> new FenceFailed(key(in), in.getInt());
                case ROOT_REQUEST -> new RootRequest(in.getInt(), in.getLong(), block(in));
                case ROOT_ANSWER -> new RootAnswer(in.getInt(), in.getLong(), in.getInt(), block(in));
                case RUN -> run(in);
                case FABRIC -> new Fabric(block(in));
                case RANK_FAILED -> new RankFailed(in.get());
                case TRAFFIC -> new Traffic(block(in));
                default -> null;
            };
            if (decoded != null && in.hasRemaining()) {
                throw new MeshException("sent " + in.remaining() + " bytes behind a message of kind " + kind);
            }
            return decoded;
        } catch (BufferUnderflowException e) {
            throw new MeshException("sent a message that ends too early");
        }
    }

    private static FenceKey key(ByteBuffer in) {
        return new FenceKey(in.getLong(), in.getLong(), in.getLong());
    }

    private static byte[] block(ByteBuffer in) throws MeshException {
        ByteBuffer slice = slice(in, in.getInt());
        byte[] data = new byte[slice.remaining()];
        slice.get(data);
        return data;
    }

    private static BitSet pods(ByteBuffer in, int jobPods) throws MeshException {
        BitSet pods = BitSet.valueOf(block(in));
        if (pods.isEmpty() || pods.length() > jobPods) {
            throw new MeshException("sent a fence of pods that the job does not have");
        }
        return pods;
    }

    private static FenceUp up(ByteBuffer in, int jobPods) throws MeshException {
        FenceKey key = key(in);
        int status = in.getInt();
        BitSet pods = pods(in, jobPods);
        return new FenceUp(key, status, pods, parts(in, pods.cardinality()));
    }

    private static FenceDown down(ByteBuffer in, int jobPods) throws MeshException {
        FenceKey key = key(in);
        int status = in.getInt();
        BitSet pods = pods(in, jobPods);
        int length = in.getInt();
        int dataAt = in.position();
        slice(in, length);
        return new FenceDown(key, status, pods, in.array(), dataAt);
    }

    private static ByteBuffer slice(ByteBuffer in, int length) throws MeshException {
        if (length < 0 || length > in.remaining()) {
            throw new MeshException("sent a message that ends too early");
        }
        ByteBuffer slice = in.slice(in.position(), length);
        in.position(in.position() + length);
        return slice;
    }

    /** @param most that there can be: each takes more memory than the bytes of a message that it may consist of */
    private static List<Part> parts(ByteBuffer in, int most) throws MeshException {
        int count = in.getInt();
        if (count < 0 || count > most) {
            throw new MeshException("sent " + count + " parts of a fence of " + most + " pods");
        }
        List<Part> parts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            parts.add(new Part(in.getInt(), slice(in, in.getInt())));
        }
        return parts;
    }

    private static @Nullable Run run(ByteBuffer in) throws MeshException {
        RunMessage.Kind[] kinds = RunMessage.Kind.values();
        int kind = in.get();
        if (kind < 0 || kind >= kinds.length) {
            return null;
        }
        return new Run(new RunMessage(kinds[kind], in.getInt(), in.getInt(), block(in)));
    }

    private static End end(ByteBuffer in) throws MeshException {
        Ending.Kind[] kinds = Ending.Kind.values();
        int kind = in.get();
        if (kind < 0 || kind >= kinds.length) {
            throw new MeshException("sent an ending of unknown kind " + kind);
        }
        int pod = in.getInt();
        int rank = in.getInt();
        int code = in.getInt();
        return new End(new Ending(kinds[kind], pod, rank, code, new String(block(in), StandardCharsets.UTF_8)));
    }
}
