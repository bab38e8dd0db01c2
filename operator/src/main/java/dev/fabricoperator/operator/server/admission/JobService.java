/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a pod reaches the job service, and of which cluster that is.
 *
 * @param addresses {@code https://host:port}, the best first; its certificate is for the Service's name, whichever is taken
 * @param authorityPem whom to trust
 * @param clusterId PMIX_CLUSTER_ID, {@code null} while it is not known
 */
public record JobService(
        List<String> addresses,
        String authorityPem,
        @Nullable String clusterId) {
    public JobService {
        addresses = List.copyOf(addresses);
    }
}
