/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import java.util.List;

/**
 * How a pod reaches the job service.
 *
 * @param addresses {@code https://host:port}, the best first; its certificate is for the Service's name, whichever is taken
 * @param authorityPem whom to trust
 */
public record JobService(List<String> addresses, String authorityPem) {
    public JobService {
        addresses = List.copyOf(addresses);
    }
}
