/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.pmix.pmixd.fence.Wire.FenceDown;
import dev.fabricoperator.pmix.pmixd.fence.Wire.FenceFailed;
import dev.fabricoperator.pmix.pmixd.fence.Wire.FenceUp;
import dev.fabricoperator.pmix.pmixd.fence.Wire.Part;
import dev.fabricoperator.pmix.pmixd.mesh.MeshException;
import dev.fabricoperator.protocol.job.MeshShape;
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fences of one attempt, an allgather each: parts go up the tree, each pod handing on those below it in one message, until
 * the lowest pod that has all participants below it puts them together in the order of pods; the result goes down the same way.
 * A pod that does not take part passes on what comes through it. Cost: two messages for each edge between participants.
 *
 * @see "PMIx Standard, chapter Server, pmix_server_fencenb_fn_t"
 */
public final class Fences {
    /** PMIX_ERR_UNREACH: a participant has left, or is no rank of this job. */
    public static final int UNREACHABLE = PmixStatus.PMIX_ERR_UNREACH;

    /** PMIX_ERR_OUT_OF_RESOURCE: what the participants bring does not fit into some pod's heap. */
    public static final int OUT_OF_RESOURCE = PmixStatus.PMIX_ERR_OUT_OF_RESOURCE;

    private static final byte[] UNNAMED = {};

    /** Of what is kept of a fence that waits, or of one set of participants, beside a bit for each pod. */
    private static final int ENTRY_BYTES = 500;

    private static final int LEAST_SHARE = 4;

    /** Fences of the same participants that this pod has entered and that have no answer yet. */
    private static final int OPEN_OF_A_SET = 32;

    /** Sets of participants, or fences of others, of which nothing is known but that a fence has failed; the oldest goes first. */
    private static final int FAILED_SETS = 512;

    private final class Fence {
        final FenceKey key;
        final BitSet pods;
        /** Participants at this pod or below it. */
        final BitSet expected;
        /** Who has it counted among their shares. */
        final FairShares shares;

        final int[] parties;
        final BitSet arrived = new BitSet();
        final List<Part> parts = new ArrayList<>();

        @Nullable
        Answer local;

        int status;
        /** How often this pod's own participants have entered: it may be forgotten while they wait. */
        @Nullable
        Series entered;

        /** It fails with this when all have come: some participants could not be remembered, and are not to run ahead through ever more sets that fail. */
        int refusal;

        boolean sentUp;

        Fence(FenceKey key, BitSet pods, FairShares shares, int... parties) {
            this.key = key;
            this.pods = pods;
            this.expected = shape.below(pods, self);
            this.shares = shares;
            this.parties = parties;
        }
    }

    /**
     * All fences of the same participants, of which some are in this pod. A fence that fails is answered before everybody has come, and so
     * before others that were entered earlier: those who come late find its status here.
     */
    private static final class Series {
        private static final int STATUSES = 4;

        /** Fences in a row that ended with the same status. */
        private record Run(long last, int status) {}

        /** Of this pod's own participants, who have it counted among their shares; empty before they have entered one. */
        final int[] parties;
        /** By this pod's own processes. */
        long entered;
        /** Every fence up to this one is answered. */
        long answered;

        /** Statuses of answered fences that this pod has not entered yet, or that follow on one without an answer, by the first of a run. */
        final TreeMap<Long, Run> statuses = new TreeMap<>();

        Series(int... parties) {
            this.parties = parties;
        }

        Series enteredBy(int... newParties) {
            Series known = new Series(newParties);
            known.entered = entered;
            known.answered = answered;
            known.statuses.putAll(statuses);
            return known;
        }

        boolean isAnswered(long counter) {
            return counter <= answered || runOf(counter) != null;
        }

        private @Nullable Run runOf(long counter) {
            Map.Entry<Long, Run> run = statuses.floorEntry(counter);
            return run == null || run.getValue().last() < counter ? null : run.getValue();
        }

        /** The first status of a fence counts: with that it may have been answered here. */
        void answered(long counter, int status) {
            if (isAnswered(counter)) {
                return;
            }
            if (statuses.isEmpty() && counter == answered + 1 && counter <= entered) {
                answered = counter;
                return;
            }
            add(counter, status);
            for (Run next = runOf(answered + 1); next != null; next = runOf(answered + 1)) {
                answered = next.last();
            }
            forgetPassed();
            // Those who are so late learn that it failed, and not of what.
            while (statuses.size() > STATUSES && statuses.firstKey() <= answered) {
                statuses.pollFirstEntry();
            }
            // Not reached by pods that count as this one does: between runs are fences that somebody has open.
            while (statuses.size() > 2 * OPEN_OF_A_SET) {
                statuses.pollLastEntry();
            }
        }

        /** Runs of one status that touch are one; where there are many, also those of two. */
        private void add(long counter, int status) {
            Map.Entry<Long, Run> before = statuses.lowerEntry(counter);
            Run after = statuses.get(counter + 1);
            long first = counter;
            long last = counter;
            int ofRun = status;
            if (before != null && before.getValue().last() == counter - 1) {
                boolean same = before.getValue().status() == status;
                if (same || statuses.size() >= OPEN_OF_A_SET) {
                    first = before.getKey();
                    ofRun = same ? status : OUT_OF_RESOURCE;
                }
            }
            if (after != null && after.status() == ofRun) {
                statuses.remove(counter + 1);
                last = after.last();
            }
            statuses.put(first, new Run(last, ofRun));
        }

        private void forgetPassed() {
            long passed = Math.min(entered, answered);
            statuses.headMap(passed, true).values().removeIf(run -> run.last() <= passed);
        }

        /** @return the status of the fence that is entered now, {@code null} where it has no answer yet */
        @Nullable
        Integer enter() {
            Run run = runOf(++entered);
            if (!statuses.isEmpty()) {
                forgetPassed();
            }
            if (run != null) {
                return run.status();
            }
            return entered <= answered ? OUT_OF_RESOURCE : null;
        }

        /** Fences that this pod has entered and that have no answer yet. */
        long waiting() {
            long waiting = Math.max(0, entered - answered);
            for (Map.Entry<Long, Run> run : statuses.headMap(entered, true).entrySet()) {
                if (run.getKey() > answered) {
                    waiting -= Math.min(entered, run.getValue().last()) - run.getKey() + 1;
                }
            }
            return waiting;
        }
    }

    private final JobLayout layout;
    private final MeshShape shape;
    private final int self;
    private final Neighbours neighbours;
    private final int limitBytes;
    private final Map<FenceKey, Fence> open = new HashMap<>();
    /** In the parts of all fences that are open. */
    private int heldBytes;

    /** By participants, some of them in this pod, which have entered: the key of the fence with counter 0. */
    private final Map<FenceKey, Series> series = new HashMap<>();

    /** Likewise, of which a fence has failed: they have not entered yet, have been refused, or have a name and nothing is open, so that it is the next one that is counted. */
    private final Map<FenceKey, Series> failedSets = bounded();

    /** Fences of other pods that have failed: what their parts on the way here are for. */
    private final Map<FenceKey, Boolean> failedOfOthers = bounded();

    /** Of sets of participants that this pod's ranks have entered. */
    private final FairShares setShares;

    /** Of fences without an answer that this pod's ranks have entered. Less than what a pod lets one that hands it on have. */
    private final FairShares ownShares;

    /** Of what pods below this one have handed on. */
    private final FairShares shares;

    private final BitSet left = new BitSet();

    /**
     * @param limitBytes of the parts that are held for all fences at a time
     * @param waitingBytes of what is kept beside them of fences that wait and of sets of participants
     */
    public Fences(JobLayout layout, int self, Neighbours neighbours, int limitBytes, int waitingBytes) {
        this.layout = layout;
        this.shape = new MeshShape(layout.pods());
        this.self = self;
        this.neighbours = neighbours;
        this.limitBytes = limitBytes;
        int entries = waitingBytes / (ENTRY_BYTES + layout.pods() / 2);
        this.setShares = new FairShares(entries / 4, layout.ranksOf(self), LEAST_SHARE);
        this.ownShares = new FairShares(entries / 4, layout.ranksOf(self), LEAST_SHARE);
        this.shares = new FairShares(entries, shape.endOfChildren(self) - shape.firstChild(self), LEAST_SHARE);
    }

    private static <T> Map<FenceKey, T> bounded() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<FenceKey, T> eldest) {
                return size() > FAILED_SETS;
            }
        };
    }

    /**
     * All participants of this pod have entered.
     *
     * @param participants ranks of this job in any order, one of them in this pod
     * @param data this pod's part, opaque, may be empty
     * @param answer gets every pod's part, concatenated in the order of pods
     */
    public void enter(int[] participants, byte[] data, Answer answer) {
        enter(participants, 0, data, answer);
    }

    /**
     * As {@link #enter(int[], byte[], Answer)}, of those participants that are left.
     *
     * @param status other than 0 where a participant of this pod will never enter: so it ends for all
     */
    public void enter(int[] participants, int status, byte[] data, Answer answer) {
        enter(UNNAMED, participants, status, data, answer);
    }

    /**
     * As {@link #enter(int[], int, byte[], Answer)}, for a collective with a name. The same participants enter the next one of a name
     * only when this one is answered, so that nothing is kept of those that succeed.
     *
     * @param name empty for a fence
     * @return for {@link #expire}, {@code null} where it is answered already
     */
    @Nullable
    FenceKey enter(byte[] name, int[] participants, int status, byte[] data, Answer answer) {
        int[] ranks = participants.clone();
        Arrays.sort(ranks);
        ranks = distinct(ranks);
        if (ranks.length == 0 || layout.podOf(ranks[0]) < 0 || layout.podOf(ranks[ranks.length - 1]) < 0) {
            answer.answer(UNREACHABLE, new byte[0]);
            return null;
        }
        FenceKey participantsKey = FenceKey.of(name, ranks, 0);
        BitSet pods = layout.podsOf(ranks);
        int[] here = layout.inPod(ranks, self);
        Series ofParticipants = seriesOfEntering(participantsKey, here);
        Integer failure = ofParticipants.enter();
        if (failure != null) {
            forgetNamed(participantsKey, ofParticipants, failure);
            answer.answer(failure, new byte[0]);
            return null;
        }
        FenceKey key = participantsKey.withCounter(ofParticipants.entered);
        Fence fence = ofParticipants.waiting() <= OPEN_OF_A_SET ? open(key, pods, ownShares, here) : null;
        if (fence == null) {
            // It counts as entered, so that all mean the same one by the next.
            ofParticipants.answered(key.counter(), OUT_OF_RESOURCE);
            forgetNamed(participantsKey, ofParticipants, OUT_OF_RESOURCE);
            refuse(key, pods);
            answer.answer(OUT_OF_RESOURCE, new byte[0]);
            return null;
        }
        if (fence.local != null) {
            // How often these have entered was forgotten while one of theirs waits: it keeps its answer.
            answer.answer(OUT_OF_RESOURCE, new byte[0]);
            return null;
        }
        fence.local = answer;
        fence.entered = ofParticipants;
        boolean counts = series.containsKey(participantsKey);
        if (!counts) {
            fence.refusal = OUT_OF_RESOURCE;
        }
        arrive(fence, Part.of(self, counts ? data : new byte[0]));
        if (status != 0 && fence.status == 0) {
            fail(fence, status);
        }
        advance(fence);
        return key;
    }

    /** One that only counts, in {@link #failedSets}, where this pod's participants already have more to be remembered than is their share. */
    private Series seriesOfEntering(FenceKey participants, int[] here) {
        Series known = series.get(participants);
        if (known == null) {
            if (!setShares.take(1, here)) {
                return failedSets.computeIfAbsent(participants, key -> new Series());
            }
            Series earlier = failedSets.remove(participants);
            known = earlier == null ? new Series(here) : earlier.enteredBy(here);
            series.put(participants, known);
        }
        return known;
    }

    /** There is no room for it here: it fails for all, and nothing is kept of it. */
    private void refuse(FenceKey key, BitSet pods) {
        if (shape.below(pods, self).equals(pods)) {
            received(FenceDown.of(key, OUT_OF_RESOURCE, pods, List.of()));
        } else {
            neighbours.send(shape.parent(self), new FenceUp(key, OUT_OF_RESOURCE, pods, List.of()).encode());
        }
    }

    /** This pod's processes wait no longer: the collective fails for all with PMIX_ERR_TIMEOUT, unless its result is on its way. */
    void expire(FenceKey key) {
        Fence fence = open.get(key);
        if (fence != null) {
            abandon(fence, PmixStatus.PMIX_ERR_TIMEOUT);
        }
    }

    private void abandon(Fence fence, int status) {
        if (fence.status == 0) {
            fail(fence, status);
        }
        if (fence.sentUp) {
            neighbours.send(shape.parent(self), new FenceFailed(fence.key, fence.status).encode());
        } else {
            advance(fence);
        }
    }

    /** One that is not open any more has been answered meanwhile. */
    void received(FenceFailed failed) {
        Fence fence = open.get(failed.key());
        if (fence != null) {
            abandon(fence, failed.status());
        }
    }

    private static int[] distinct(int[] sorted) {
        int count = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                sorted[count++] = sorted[i];
            }
        }
        return Arrays.copyOf(sorted, count);
    }

    /** The one that waits already, or a new one; {@code null} where those who would have it have more that waits than is their share. */
    private @Nullable Fence open(FenceKey key, BitSet pods, FairShares from, int... parties) {
        Fence fence = open.get(key);
        if (fence == null && from.take(1, parties)) {
            fence = new Fence(key, pods, from, parties);
            open.put(key, fence);
        }
        return fence;
    }

    private @Nullable Fence close(FenceKey key) {
        Fence fence = open.remove(key);
        if (fence != null) {
            drop(fence);
            fence.shares.giveBack(1, fence.parties);
        }
        return fence;
    }

    private boolean isAnswered(FenceKey key) {
        FenceKey participants = key.withCounter(0);
        Series known = series.getOrDefault(participants, failedSets.get(participants));
        return known == null ? failedOfOthers.containsKey(key) : known.isAnswered(key.counter());
    }

    private void arrive(Fence fence, Part part) {
        if (fence.arrived.get(part.pod())) {
            return;
        }
        fence.arrived.set(part.pod());
        if (fence.status != 0) {
            return;
        }
        if (part.bytes() > limitBytes - heldBytes) {
            fail(fence, OUT_OF_RESOURCE);
        } else {
            heldBytes += part.bytes();
            fence.parts.add(part);
        }
    }

    private void fail(Fence fence, int status) {
        fence.status = status;
        drop(fence);
    }

    private void drop(Fence fence) {
        for (Part part : fence.parts) {
            heldBytes -= part.bytes();
        }
        fence.parts.clear();
    }

    /**
     * @param child that sent it
     * @throws MeshException if it contradicts what other pods say of the same fence
     */
    void received(FenceUp up, int child) throws MeshException {
        if (isAnswered(up.key())) {
            // It failed, and the answer was sent to the child while this was on its way.
            return;
        }
        Fence fence = open(up.key(), up.pods(), shares, child);
        if (fence == null) {
            refuse(up.key(), up.pods());
            return;
        }
        if (!fence.pods.equals(up.pods())) {
            throw new MeshException("sent a fence of other participants under the same key");
        }
        for (Part part : up.parts()) {
            if (part.pod() < 0 || !fence.expected.get(part.pod()) || !shape.isBelow(part.pod(), child)) {
                throw new MeshException("sent the part of pod " + part.pod() + ", which is not below it");
            }
            arrive(fence, part);
        }
        if (up.status() != 0 && up.parts().isEmpty()) {
            fail(fence, up.status());
        } else if (up.status() != 0) {
            fence.refusal = up.status();
        }
        advance(fence);
    }

    /** Where all have come: the result, or one step up. A failure does not wait for the rest, a refusal does. */
    private void advance(Fence fence) {
        if (fence.status == 0) {
            BitSet missing = (BitSet) fence.expected.clone();
            missing.andNot(fence.arrived);
            if (missing.intersects(left)) {
                fail(fence, UNREACHABLE);
            } else if (!missing.isEmpty()) {
                return;
            }
        }
        int status = fence.status == 0 ? fence.refusal : fence.status;
        if (fence.expected.equals(fence.pods)) {
            fence.parts.sort((a, b) -> Integer.compare(a.pod(), b.pod()));
            FenceDown result = FenceDown.of(fence.key, status, fence.pods, status == 0 ? fence.parts : List.of());
            drop(fence);
            received(result);
        } else if (!fence.sentUp) {
            fence.sentUp = true;
            byte[] message = new FenceUp(fence.key, status, fence.pods, fence.parts).encode();
            drop(fence);
            neighbours.send(shape.parent(self), message);
        }
    }

    /** The result: onwards to those below that take part, and to this pod's own processes. */
    void received(FenceDown result) {
        down(result);
        Fence fence = close(result.key());
        remember(result, fence == null ? null : fence.entered);
        if (fence != null && fence.local != null) {
            fence.local.answer(result.status(), result.data());
        }
    }

    /** @param waited of this pod's own participants, {@code null} where they did not wait for it */
    private void remember(FenceDown result, @Nullable Series waited) {
        FenceKey participants = result.key().withCounter(0);
        long counter = result.key().counter();
        int status = result.status();
        Series entered = series.get(participants);
        if (entered != null) {
            entered.answered(counter, status);
            forgetNamed(participants, entered, status);
        } else if (status != 0 && result.pods().get(self) && !left.get(self)) {
            failedSets
                    .computeIfAbsent(participants, key -> waited == null ? new Series() : waited)
                    .answered(counter, status);
        } else if (status != 0) {
            failedOfOthers.put(result.key(), true);
        } else if (participants.isNamed()) {
            // They have forgotten what failed before, and begin to count anew.
            failedOfOthers.keySet().removeIf(key -> key.withCounter(0).equals(participants));
        }
    }

    /** Under a name nothing is open any more: of one that has failed the count is kept for a while, and nobody's share. */
    private void forgetNamed(FenceKey participants, Series answered, int status) {
        if (participants.isNamed() && answered.entered <= answered.answered && series.remove(participants) != null) {
            setShares.giveBack(1, answered.parties);
            if (status != 0) {
                failedSets.put(participants, answered);
            }
        }
    }

    private void down(FenceDown result) {
        for (int child = shape.firstChild(self); child < shape.endOfChildren(self); child++) {
            if (!shape.below(result.pods(), child).isEmpty() && !neighbours.hasLeft(child)) {
                neighbours.send(child, result.encode());
            }
        }
    }

    /** A pod that is done takes part in nothing more, nor do those below it; fences that wait for them fail. */
    void left(int pod) {
        for (int each = pod; each < layout.pods(); each++) {
            if (shape.isBelow(each, pod)) {
                left.set(each);
            }
        }
        for (Fence fence : List.copyOf(open.values())) {
            if (!fence.sentUp) {
                advance(fence);
            }
        }
    }

    /** This pod's own processes are done: as {@link #left}, for this pod alone. */
    void leaveSelf() {
        left.set(self);
        for (Fence fence : List.copyOf(open.values())) {
            if (!fence.sentUp) {
                advance(fence);
            }
        }
    }

    /** The attempt has ended: everything that waits is answered. */
    void fail(int status) {
        for (Fence fence : List.copyOf(open.values())) {
            close(fence.key);
            if (fence.local != null) {
                fence.local.answer(status, new byte[0]);
            }
        }
    }

    /** Fences that have been entered or heard of and not answered. */
    int pending() {
        return open.size();
    }

    /** Sets of participants, with a name or without, of which something is kept. */
    int keptSeries() {
        return series.size() + failedSets.size();
    }

    /** Statuses that are kept for those who come late. */
    int keptStatuses() {
        return Stream.concat(series.values().stream(), failedSets.values().stream())
                .mapToInt(each -> each.statuses.size())
                .sum();
    }
}
