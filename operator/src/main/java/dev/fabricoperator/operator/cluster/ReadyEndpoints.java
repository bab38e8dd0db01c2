/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.function.Consumer;

/** Which replicas of a Service can be asked, as its EndpointSlices say. */
public final class ReadyEndpoints {
    /** The label by which a slice names its Service. */
    private static final String SERVICE_LABEL = "kubernetes.io/service-name";

    private ReadyEndpoints() {}

    /** Watches the slices of a Service: {@code changed} hears after each change which are ready, on a thread that must not wait. */
    public static SharedIndexInformer<EndpointSlice> watch(
            Informers informers,
            KubernetesClient client,
            String namespace,
            String service,
            Consumer<SequencedSet<String>> changed) {
        SharedIndexInformer<EndpointSlice> made = informers.make(
                client.discovery().v1().endpointSlices().inNamespace(namespace).withLabel(SERVICE_LABEL, service));
        made.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(EndpointSlice slice) {
                changed.accept(of(made.getStore().list()));
            }

            @Override
            public void onUpdate(EndpointSlice before, EndpointSlice after) {
                changed.accept(of(made.getStore().list()));
            }

            @Override
            public void onDelete(EndpointSlice slice, boolean unknown) {
                changed.accept(of(made.getStore().list()));
            }
        });
        made.start();
        return made;
    }

    /** {@code address:port} of every endpoint that is ready, in the order of the slices; a slice without a port has none. */
    public static SequencedSet<String> of(List<EndpointSlice> slices) {
        SequencedSet<String> ready = new LinkedHashSet<>();
        for (EndpointSlice slice : slices) {
            Integer port = Objects.requireNonNullElse(slice.getPorts(), List.<EndpointPort>of()).stream()
                    .map(EndpointPort::getPort)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            for (Endpoint endpoint : Objects.requireNonNullElse(slice.getEndpoints(), List.<Endpoint>of())) {
                boolean isReady = endpoint.getConditions() == null
                        || !Boolean.FALSE.equals(endpoint.getConditions().getReady());
                if (isReady && port != null) {
                    endpoint.getAddresses().forEach(address -> ready.add(authority(address, port)));
                }
            }
        }
        return ready;
    }

    /** As it stands in a URL. */
    public static String authority(String address, int port) {
        return (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
    }
}
