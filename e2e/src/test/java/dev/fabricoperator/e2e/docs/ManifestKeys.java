/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.docs;

import dev.fabricoperator.crds.FabricApi;
import java.util.List;

/** Labels that manifests alone know, and no program. */
final class ManifestKeys {
    record Key(String name, String of, String meaning) {}

    static final List<Key> ALL = List.of(
            new Key(
                    FabricApi.GROUP + "/metrics",
                    "a Namespace",
                    "`enabled` lets its pods reach the port of metrics through the network policy"),
            new Key(
                    FabricApi.GROUP + "/sweeper",
                    "a Node",
                    "`true`: a sweeper may run there, since it has a port in the InfiniBand subnet"));

    private ManifestKeys() {}
}
