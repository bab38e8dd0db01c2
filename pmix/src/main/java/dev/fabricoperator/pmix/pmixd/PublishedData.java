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
import dev.fabricoperator.protocol.pmix.PmixStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the processes of one attempt have published, in pod 0. All of them are of one namespace and one session, so that the ranges
 * NAMESPACE, SESSION and GLOBAL reach the same processes; a key may be published once in each.
 *
 * @see "PMIx Standard, chapter Publish/Lookup Operations"
 */
final class PublishedData {
    static final int RANGE_UNDEF = 0;
    static final int RANGE_RM = 1;
    static final int RANGE_LOCAL = 2;
    static final int RANGE_NAMESPACE = 3;
    static final int RANGE_SESSION = 4;
    static final int RANGE_GLOBAL = 5;
    static final int RANGE_PROC_LOCAL = 7;

    static final int PERSIST_INDEF = 0;
    static final int PERSIST_FIRST_READ = 1;
    static final int PERSIST_PROC = 2;
    static final int PERSIST_APP = 3;
    static final int PERSIST_SESSION = 4;

    /** Where a key is published in several ranges, the narrowest is found. */
    private static final List<Integer> NARROWEST_FIRST =
            List.of(RANGE_PROC_LOCAL, RANGE_LOCAL, RANGE_NAMESPACE, RANGE_SESSION, RANGE_GLOBAL);

    /** Of what is kept beside the bytes themselves. */
    private static final int OVERHEAD_BYTES = 200;

    /** Who asks or has published. */
    record Origin(int pod, int app, Proc proc) {}

    /** Called exactly once. */
    interface Answer {
        /** @param found {@code null} unless the status is PMIX_SUCCESS */
        void answer(int status, @Nullable List<Found> found);
    }

    /** Runs a task later. */
    interface Timers {
        /** @return what keeps it from running */
        Runnable after(long millis, Runnable task);
    }

    private record Entry(Origin publisher, int range, int persistence, Datum datum) {
        int bytes() {
            return OVERHEAD_BYTES + datum.key().length() + datum.value().length;
        }
    }

    private static final class Waiting {
        final Origin origin;
        final Search search;
        final Answer answer;
        final int bytes;
        Runnable timer = () -> {};

        Waiting(Origin origin, Search search, Answer answer) {
            this.origin = origin;
            this.search = search;
            this.answer = answer;
            bytes = OVERHEAD_BYTES
                    + search.keys().stream()
                            .mapToInt(key -> OVERHEAD_BYTES + key.length())
                            .sum();
        }
    }

    private final int limitBytes;
    private final Timers timers;
    private final Map<String, List<Entry>> entries = new HashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private int heldBytes;
    /** Of those, what is held for lookups. */
    private int waitingBytes;

    /** @param limitBytes of all data and of all lookups that wait, which have half of it at most */
    PublishedData(int limitBytes, Timers timers) {
        this.limitBytes = limitBytes;
        this.timers = timers;
    }

    int heldBytes() {
        return heldBytes;
    }

    /** @return a status; unless it is PMIX_SUCCESS nothing is published */
    int publish(Origin origin, Publication publication) {
        int range = rangeOf(publication.range());
        int persistence = publication.persistence();
        if (publication.data().isEmpty() || persistence < PERSIST_INDEF || persistence > PERSIST_SESSION) {
            return PmixStatus.PMIX_ERR_BAD_PARAM;
        }
        if (range != RANGE_RM && !NARROWEST_FIRST.contains(range)) {
            return PmixStatus.PMIX_ERR_NOT_SUPPORTED;
        }
        List<Entry> added = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        long bytes = 0;
        for (Datum datum : publication.data()) {
            Entry entry = new Entry(origin, range, persistence, datum);
            if (!keys.add(datum.key()) || entriesOf(datum.key()).stream().anyMatch(each -> clash(each, entry))) {
                return PmixStatus.PMIX_ERR_DUPLICATE_KEY;
            }
            bytes += entry.bytes();
            added.add(entry);
        }
        if (bytes > limitBytes - heldBytes) {
            return PmixStatus.PMIX_ERR_OUT_OF_RESOURCE;
        }
        heldBytes += (int) bytes;
        added.forEach(entry -> entries.computeIfAbsent(entry.datum().key(), key -> new ArrayList<>(1))
                .add(entry));
        serveWaiting();
        return PmixStatus.PMIX_SUCCESS;
    }

    private static int rangeOf(int named) {
        return named == RANGE_UNDEF ? RANGE_SESSION : named;
    }

    private List<Entry> entriesOf(String key) {
        return entries.getOrDefault(key, List.of());
    }

    private static boolean clash(Entry known, Entry added) {
        return known.range() == added.range()
                && switch (known.range()) {
                    case RANGE_LOCAL ->
                        known.publisher().pod() == added.publisher().pod();
                    case RANGE_PROC_LOCAL ->
                        known.publisher().proc().equals(added.publisher().proc());
                    default -> true;
                };
    }

    /** Answers at once, or when enough is published, or when the time is over. A key that is named twice is looked up once. */
    void lookup(Origin origin, Search named, Answer answer) {
        if (named.keys().isEmpty()) {
            answer.answer(PmixStatus.PMIX_ERR_BAD_PARAM, null);
            return;
        }
        List<String> keys = named.keys().stream().distinct().toList();
        Search search = new Search(named.range(), keys, Math.min(named.wanted(), keys.size()), named.timeoutSeconds());
        List<Entry> found = find(origin, search);
        if (search.wanted() == 0 || found.size() >= search.wanted()) {
            answer(search, found, answer);
            return;
        }
        Waiting lookup = new Waiting(origin, search, answer);
        // Of the room half at most, so that what they wait for can still be published.
        if (lookup.bytes > limitBytes - heldBytes || lookup.bytes > limitBytes / 2 - waitingBytes) {
            answer.answer(PmixStatus.PMIX_ERR_OUT_OF_RESOURCE, null);
            return;
        }
        heldBytes += lookup.bytes;
        waitingBytes += lookup.bytes;
        waiting.add(lookup);
        if (search.timeoutSeconds() > 0) {
            lookup.timer = timers.after(search.timeoutSeconds() * 1000L, () -> {
                forget(lookup);
                answer.answer(PmixStatus.PMIX_ERR_TIMEOUT, null);
            });
        }
    }

    private List<Entry> find(Origin origin, Search search) {
        List<Entry> found = new ArrayList<>();
        for (String key : search.keys()) {
            Entry nearest = null;
            for (Entry entry : entriesOf(key)) {
                if (reaches(entry, origin)
                        && isWithin(search.range(), entry, origin)
                        && (nearest == null
                                || NARROWEST_FIRST.indexOf(entry.range()) < NARROWEST_FIRST.indexOf(nearest.range()))) {
                    nearest = entry;
                }
            }
            if (nearest != null) {
                found.add(nearest);
            }
        }
        return found;
    }

    /** Whether the publisher's range has the asking process in it. */
    private static boolean reaches(Entry entry, Origin origin) {
        return switch (entry.range()) {
            case RANGE_LOCAL -> entry.publisher().pod() == origin.pod();
            case RANGE_PROC_LOCAL -> entry.publisher().proc().equals(origin.proc());
            case RANGE_RM -> false;
            default -> true;
        };
    }

    /**
     * Whether the asking process's range has the publisher in it. A value that is no range asks for all: MPI_Lookup_name of Open MPI
     * 5.0.7 gives one that it has not set.
     */
    private static boolean isWithin(int range, Entry entry, Origin origin) {
        return switch (range) {
            case RANGE_LOCAL -> entry.publisher().pod() == origin.pod();
            case RANGE_PROC_LOCAL -> entry.publisher().proc().equals(origin.proc());
            default -> true;
        };
    }

    private void answer(Search search, List<Entry> found, Answer answer) {
        if (found.isEmpty()) {
            answer.answer(PmixStatus.PMIX_ERR_NOT_FOUND, null);
        } else if (search.wanted() == 0 && found.size() < search.keys().size()) {
            answer.answer(PmixStatus.PMIX_ERR_PARTIAL_SUCCESS, null);
        } else {
            remove(search.keys(), entry -> entry.persistence() == PERSIST_FIRST_READ && found.contains(entry));
            answer.answer(
                    PmixStatus.PMIX_SUCCESS,
                    found.stream()
                            .map(entry -> new Found(entry.publisher().proc(), entry.datum()))
                            .toList());
        }
    }

    private void serveWaiting() {
        for (Waiting lookup : List.copyOf(waiting)) {
            List<Entry> found = find(lookup.origin, lookup.search);
            if (found.size() >= lookup.search.wanted()) {
                forget(lookup);
                lookup.timer.run();
                answer(lookup.search, found, lookup.answer);
            }
        }
    }

    private void forget(Waiting lookup) {
        if (waiting.remove(lookup)) {
            heldBytes -= lookup.bytes;
            waitingBytes -= lookup.bytes;
        }
    }

    /** The attempt has ended: nobody waits any more, and whoever asked has been told so. */
    void close() {
        for (Waiting lookup : List.copyOf(waiting)) {
            lookup.timer.run();
            forget(lookup);
        }
    }

    /** @param keys empty for all that the process has published, in any range */
    int unpublish(Origin origin, int range, List<String> keys) {
        boolean removed = remove(
                keys.isEmpty() ? allKeys() : keys,
                entry -> entry.publisher().proc().equals(origin.proc())
                        && (keys.isEmpty() || entry.range() == rangeOf(range)));
        return removed || keys.isEmpty() ? PmixStatus.PMIX_SUCCESS : PmixStatus.PMIX_ERR_NOT_FOUND;
    }

    /** What was to last as long as the process is gone, and so is whatever it waits for: nobody would read the answer. */
    void ended(Proc proc) {
        for (Waiting lookup : List.copyOf(waiting)) {
            if (lookup.origin.proc().equals(proc)) {
                lookup.timer.run();
                forget(lookup);
                lookup.answer.answer(PmixStatus.PMIX_ERR_LOST_CONNECTION, null);
            }
        }
        remove(
                allKeys(),
                entry -> entry.persistence() == PERSIST_PROC
                        && entry.publisher().proc().equals(proc));
    }

    /** What was to last as long as the app is gone. */
    void appEnded(int app) {
        remove(
                allKeys(),
                entry -> entry.persistence() == PERSIST_APP && entry.publisher().app() == app);
    }

    private List<String> allKeys() {
        return List.copyOf(entries.keySet());
    }

    /** Looks at these keys only: there may be many others. */
    private boolean remove(List<String> keys, Predicate<Entry> wanted) {
        int before = heldBytes;
        for (String key : keys) {
            List<Entry> each = entries.get(key);
            if (each != null) {
                each.removeIf(entry -> {
                    boolean gone = wanted.test(entry);
                    heldBytes -= gone ? entry.bytes() : 0;
                    return gone;
                });
                if (each.isEmpty()) {
                    entries.remove(key);
                }
            }
        }
        return heldBytes < before;
    }
}
