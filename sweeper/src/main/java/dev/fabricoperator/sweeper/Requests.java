/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.LevelSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What people ask for by annotations of Fabrics. */
final class Requests implements ResourceEventHandler<Fabric> {
    private final Map<String, Request> byFabric = new ConcurrentHashMap<>();
    private final Runnable onChange;

    private record Request(@Nullable String refresh, List<String> accepted, Set<Integer> serviceLevels) {}

    Requests(Runnable onChange) {
        this.onChange = onChange;
    }

    void watch(KubernetesClient client) {
        client.resources(Fabric.class).inform(this);
    }

    /** Refreshes that are asked for: UID of the Fabric, a blank, value of its annotation. */
    List<String> refreshes() {
        return byFabric.values().stream()
                .map(Request::refresh)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
    }

    /** Service levels of the levels of all Fabrics, which are to be read back. */
    Set<Integer> serviceLevels() {
        return byFabric.values().stream()
                .flatMap(request -> request.serviceLevels().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether somebody accepts the loss of the reading with this digest. */
    boolean accepts(String digest) {
        return byFabric.values().stream().anyMatch(request -> request.accepted().contains(digest));
    }

    @Override
    public void onAdd(Fabric fabric) {
        put(fabric);
    }

    @Override
    public void onUpdate(Fabric before, Fabric fabric) {
        put(fabric);
    }

    @Override
    public void onDelete(Fabric fabric, boolean unknown) {
        byFabric.remove(fabric.getMetadata().getUid());
    }

    private void put(Fabric fabric) {
        Map<String, String> annotations =
                Objects.requireNonNullElse(fabric.getMetadata().getAnnotations(), Map.of());
        String value = annotations.get(FabricApi.ANNOTATION_REFRESH);
        String uid = fabric.getMetadata().getUid();
        String done = fabric.getStatus() == null ? null : fabric.getStatus().refreshed();
        Request request = new Request(
                value == null || value.equals(done) ? null : uid + " " + value,
                Arrays.asList(annotations
                        .getOrDefault(FabricApi.ANNOTATION_ACCEPT_LOSS, "")
                        .split("[,\\s]+")),
                fabric.getSpec() == null
                        ? Set.of()
                        : fabric.getSpec().levels().stream()
                                .map(LevelSpec::serviceLevel)
                                .filter(Objects::nonNull)
                                .collect(Collectors.toUnmodifiableSet()));
        if (!request.equals(byFabric.put(uid, request))) {
            onChange.run();
        }
    }
}
