/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/** Lists of the API server, page by page, of which no more is kept than is wanted: all objects of a kind may be gigabytes. */
final class Pages {
    /** Objects in one answer, as kubectl asks for them. */
    static final int SIZE = 500;

    private Pages() {}

    /** Hears of each page. */
    @FunctionalInterface
    interface Progress {
        /** @param rest objects that are still to come, as far as the server says so */
        void read(int count, long rest);
    }

    static <T extends HasMetadata, R> List<R> read(
            Listable<? extends KubernetesResourceList<T>> asked, Predicate<T> isWanted, Function<T, R> kept) {
        return read(asked, isWanted, kept, (count, rest) -> {});
    }

    static <T extends HasMetadata, R> List<R> read(
            Listable<? extends KubernetesResourceList<T>> asked,
            Predicate<T> isWanted,
            Function<T, R> kept,
            Progress progress) {
        try {
            return once(asked, isWanted, kept, progress);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_GONE) {
                // The list is older than what the server keeps: it has taken too long, and begins anew once.
                return once(asked, isWanted, kept, progress);
            }
            throw e;
        }
    }

    private static <T extends HasMetadata, R> List<R> once(
            Listable<? extends KubernetesResourceList<T>> asked,
            Predicate<T> isWanted,
            Function<T, R> kept,
            Progress progress) {
        List<R> all = new ArrayList<>();
        int count = 0;
        String next = "";
        do {
            KubernetesResourceList<T> page = asked.list(new ListOptionsBuilder()
                    .withLimit((long) SIZE)
                    .withContinue(next.isEmpty() ? null : next)
                    .build());
            page.getItems().stream().filter(isWanted).map(kept).forEach(all::add);
            count += page.getItems().size();
            next = Objects.requireNonNullElse(page.getMetadata().getContinue(), "");
            Long rest = page.getMetadata().getRemainingItemCount();
            progress.read(count, rest == null ? 0 : rest);
        } while (!next.isEmpty());
        return all;
    }
}
