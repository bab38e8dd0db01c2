/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.service;

import java.nio.file.Path;
import java.util.List;

/**
 * Where the job service is and how this pod proves itself to it.
 *
 * @param addresses {@code host:port}, tried in this order
 * @param serverName that its certificate is for
 * @param authorities PEM
 * @param tokenFile read for every request, since the kubelet renews it
 */
public record ServiceSettings(List<String> addresses, String serverName, String authorities, Path tokenFile) {
    public ServiceSettings {
        addresses = List.copyOf(addresses);
    }
}
