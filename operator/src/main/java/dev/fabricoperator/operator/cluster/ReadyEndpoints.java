/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;

/** Which replicas of a Service can be asked, as its EndpointSlices say. */
public final class ReadyEndpoints {
    /** The label by which a slice names its Service. */
    public static final String SERVICE_LABEL = "kubernetes.io/service-name";

    private ReadyEndpoints() {}

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
