/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Pods whose messages wait in one bag and are delivered in any order that keeps each connection's own. */
final class SimulatedJob {
    private record Letter(int from, int to, byte[] message) {}

    /** A question for pod 0 that it never answers. */
    static final byte WAITS = -1;

    final JobLayout layout;
    final Fences[] fences;
    final Modexes[] modexes;
    final RootRequests[] rootRequests;
    final boolean[] left;
    /** Ranks that never commit. */
    final BitSet silent = new BitSet();
    /** Questions that wait where they are to be answered. */
    int held;

    int delivered;
    private final List<Letter> letters = new ArrayList<>();
    private final Random order;

    SimulatedJob(int[] ranksOfPods, long seed) {
        this(ranksOfPods, seed, 1 << 20);
    }

    /** @param limitBytes see {@link Fences} */
    SimulatedJob(int[] ranksOfPods, long seed, int limitBytes) {
        this(ranksOfPods, seed, limitBytes, 1 << 20);
    }

    /** @param waitingBytes see {@link Fences} */
    SimulatedJob(int[] ranksOfPods, long seed, int limitBytes, int waitingBytes) {
        layout = JobLayout.of(map(ranksOfPods, new byte[4], 1));
        order = new Random(seed);
        fences = new Fences[ranksOfPods.length];
        modexes = new Modexes[ranksOfPods.length];
        rootRequests = new RootRequests[ranksOfPods.length];
        left = new boolean[ranksOfPods.length];
        for (int pod = 0; pod < ranksOfPods.length; pod++) {
            int self = pod;
            Neighbours neighbours = new Neighbours() {
                @Override
                public void send(int to, byte[] message) {
                    letters.add(new Letter(self, to, message));
                }

                @Override
                public boolean hasLeft(int neighbour) {
                    return left[neighbour];
                }
            };
            fences[pod] = new Fences(layout, pod, neighbours, limitBytes, waitingBytes);
            modexes[pod] = new Modexes(
                    layout,
                    pod,
                    neighbours,
                    (rank, answer) -> {
                        if (silent.get(rank)) {
                            held++;
                        } else {
                            answer.answer(0, new byte[] {(byte) self, (byte) rank});
                        }
                    },
                    waitingBytes);
            rootRequests[pod] = new RootRequests(
                    layout,
                    pod,
                    neighbours,
                    (from, body, answer) -> {
                        if (body[0] == WAITS) {
                            held++;
                        } else {
                            answer.answer(0, new byte[] {(byte) self, (byte) from, body[0]});
                        }
                    },
                    waitingBytes);
        }
    }

    static JobMap map(int[] ranksOfPods, byte[] address, int firstPort) {
        List<JobPod> pods = new ArrayList<>();
        int rank = 0;
        for (int pod = 0; pod < ranksOfPods.length; pod++) {
            pods.add(new JobPod(
                    "job-" + pod, "host", 0, rank, ranksOfPods[pod], address, firstPort + pod, "0", List.of()));
            rank += ranksOfPods[pod];
        }
        return new JobMap("ns.job-0", 0, new byte[32], List.of(new JobApp(0, "job", rank)), pods, null);
    }

    /** Delivers everything, picking the next connection at random. */
    void run() throws MeshException {
        while (!letters.isEmpty()) {
            Letter letter = letters.get(order.nextInt(letters.size()));
            for (Letter earlier : letters) {
                if (earlier.from == letter.from && earlier.to == letter.to) {
                    letter = earlier;
                    break;
                }
            }
            letters.remove(letter);
            delivered++;
            deliver(letter);
        }
    }

    private void deliver(Letter letter) throws MeshException {
        switch (Objects.requireNonNull(Wire.decode(letter.message, layout.pods()))) {
            case Wire.FenceUp up -> fences[letter.to].received(up, letter.from);
            case Wire.FenceDown down -> fences[letter.to].received(down);
            case Wire.ModexRequest request -> modexes[letter.to].received(request);
            case Wire.ModexAnswer answer -> modexes[letter.to].received(answer);
            case Wire.FenceFailed failed -> fences[letter.to].received(failed);
            case Wire.RootRequest request -> rootRequests[letter.to].received(request);
            case Wire.RootAnswer answer -> rootRequests[letter.to].received(answer);
            case Wire.Fabric fabric -> throw new IllegalStateException(fabric.toString());
            case Wire.Run message -> throw new IllegalStateException(message.toString());
            case Wire.End end -> throw new IllegalStateException(end.toString());
            case Wire.RankFailed failed -> throw new IllegalStateException(failed.toString());
            case Wire.Traffic traffic -> throw new IllegalStateException(traffic.toString());
        }
    }
}
