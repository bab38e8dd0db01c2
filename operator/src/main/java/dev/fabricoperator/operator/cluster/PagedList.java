/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import java.util.function.Consumer;
import java.util.function.Function;

/** A list of many objects of tenants, of which one page at a time is in memory. */
public final class PagedList {
    private PagedList() {}

    /** @throws io.fabric8.kubernetes.client.KubernetesClientException where the API server does not give a page */
    public static <T extends HasMetadata> void forEach(
            Function<ListOptions, ? extends KubernetesResourceList<T>> list, Consumer<T> eachItem) {
        String next = null;
        do {
            KubernetesResourceList<T> page = list.apply(new ListOptionsBuilder()
                    .withLimit(Informers.TENANT_LIST_LIMIT)
                    .withContinue(next)
                    .build());
            page.getItems().forEach(eachItem);
            next = page.getMetadata().getContinue();
        } while (next != null && !next.isEmpty());
    }
}
