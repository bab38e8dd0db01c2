/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.http.Parameters;
import dev.fabricoperator.operator.server.query.http.QueryResponse;
import dev.fabricoperator.operator.server.query.http.StatusException;
import dev.fabricoperator.operator.server.served.FabricUpdate;
import dev.fabricoperator.operator.server.served.FabricUpdates;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedFabrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What has changed, and what changes.
 *
 * @see "PMIx Standard, PMIX_FABRIC_UPDATE_PENDING, PMIX_FABRIC_UPDATED"
 */
final class ChangeResources {
    /** After so long without news a stream says that it is alive, and finds out whether its client is. */
    private static final Duration BOOKMARK = Duration.ofSeconds(15);

    private final ServedFabrics fabrics;

    ChangeResources(ServedFabrics fabrics) {
        this.fabrics = fabrics;
    }

    List<Resource> resources() {
        return List.of(
                Resource.of(
                        "changes",
                        "What each generation after 'since' brought; 410 where not all of them are kept.",
                        List.of("changes"),
                        Map.of("since", "A generation."),
                        ChangeResources::changes),
                new Resource(
                        "watch",
                        "Pending and updated generations as they come, one JSON object in a line.",
                        List.of("watch"),
                        Map.of(
                                "watch", "Must be true.",
                                "since", "A generation that is known already; as 'resourceVersion'.",
                                "resourceVersion", "As 'since'.",
                                "timeoutSeconds", "The stream ends after this time."),
                        Set.of(dev.fabricoperator.operator.server.query.http.Format.json),
                        List.of("get", "watch"),
                        this::watch));
    }

    record ChangesDocument(long generation, long since, List<FabricChange> changes) {}

    private static QueryResponse changes(ResourceRequest request) throws StatusException {
        ServedFabric served = request.served();
        long since = Parameters.number("since", request.parameters().required("since"));
        if (since > served.generation()) {
            throw StatusException.notYet("generation " + since + " of fabric " + served.name() + " is not served yet, "
                    + served.generation() + " is");
        }
        List<FabricChange> after = served.changes().stream()
                .filter(change -> change.generation() > since && change.generation() <= served.generation())
                .toList();
        if (after.size() < served.generation() - since) {
            throw StatusException.expired(
                    "since",
                    "not all changes after generation " + since + " of fabric " + served.name()
                            + " are kept: read what holds now");
        }
        return request.document(new ChangesDocument(served.generation(), since, after));
    }

    /** One line of a stream. */
    record Event(String type, Update object) {}

    /** @param phase {@code null} in a bookmark */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Update(
            String kind,
            String apiVersion,
            Metadata metadata,
            @Nullable String phase,
            long generation,
            String digest,
            int index,
            @Nullable Boolean coordinatesChanged) {}

    record Metadata(String name, String resourceVersion) {}

    QueryResponse watch(ResourceRequest request) throws StatusException {
        Parameters asked = request.parameters();
        if (!asked.isTrue("watch")) {
            throw StatusException.badParam("watch", "a stream needs 'watch=true'");
        }
        Long since = asked.number(asked.has("since") ? "since" : "resourceVersion");
        Long timeout = asked.number("timeoutSeconds");
        long end = timeout == null ? Long.MAX_VALUE : System.nanoTime() + Math.min(timeout, 86_400) * 1_000_000_000L;
        // Before what is served now is read again: nothing may fall between the two.
        FabricUpdates.Subscription subscription =
                fabrics.updates().subscribe(request.served().name());
        ServedFabric now =
                Objects.requireNonNullElse(fabrics.get(request.served().name()), request.served());
        return new QueryResponse.Streamed(new Lines(now, since, subscription, end), request.headers());
    }

    /** Lines of one client. */
    private static final class Lines implements QueryResponse.Source {
        private final String fabric;
        private final FabricUpdates.Subscription subscription;
        private final long endNanos;
        private @Nullable Event first;
        private long sentGeneration;
        private @Nullable Event last;

        Lines(ServedFabric now, @Nullable Long since, FabricUpdates.Subscription subscription, long endNanos) {
            this.fabric = now.name();
            this.subscription = subscription;
            this.endNanos = endNanos;
            this.sentGeneration = now.generation();
            Integer index =
                    now.facts().status() == null ? null : now.facts().status().index();
            FabricUpdate state = new FabricUpdate(
                    fabric,
                    FabricUpdate.Phase.Updated,
                    now.generation(),
                    now.cost().digest(),
                    Objects.requireNonNullElse(index, 0),
                    false);
            Event known = event("ADDED", state);
            last = known;
            first = since != null && since == now.generation() ? null : known;
        }

        @Override
        public @Nullable Object next() throws InterruptedException {
            Event due = first;
            if (due != null) {
                first = null;
                return due;
            }
            while (true) {
                long left = (endNanos - System.nanoTime()) / 1_000_000;
                if (endNanos != Long.MAX_VALUE && left <= 0) {
                    return null;
                }
                FabricUpdate update = subscription.poll(Math.min(left, BOOKMARK.toMillis()));
                if (update == null) {
                    return subscription.isClosed() || last == null ? null : bookmark(last);
                }
                if (update.phase() == FabricUpdate.Phase.Updated && update.generation() < sentGeneration) {
                    continue;
                }
                sentGeneration = update.generation();
                Event event = event(update.phase() == FabricUpdate.Phase.Gone ? "DELETED" : "MODIFIED", update);
                last = event;
                return event;
            }
        }

        private Event bookmark(Event of) {
            Update update = of.object();
            return new Event(
                    "BOOKMARK",
                    new Update(
                            update.kind(),
                            update.apiVersion(),
                            update.metadata(),
                            null,
                            update.generation(),
                            update.digest(),
                            update.index(),
                            null));
        }

        private Event event(String type, FabricUpdate update) {
            return new Event(
                    type,
                    new Update(
                            "FabricUpdate",
                            QueryApi.GROUP_VERSION,
                            new Metadata(fabric, Long.toString(update.generation())),
                            update.phase().name(),
                            update.generation(),
                            update.digest(),
                            update.index(),
                            update.phase() == FabricUpdate.Phase.Updated ? update.coordinatesChanged() : null));
        }

        @Override
        public void close() {
            subscription.close();
        }
    }
}
