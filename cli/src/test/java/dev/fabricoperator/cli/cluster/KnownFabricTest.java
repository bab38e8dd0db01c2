/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KnownFabricTest {
    @Test
    void aNetworkIsTheDefaultBeforeWhatNvlinkJoinsWhateverTheirPrioritiesAndIndexes() throws Exception {
        assertThat(KnownFabric.listed(QueryServer.JSON.readTree("""
                        {"items": [
                          {"metadata": {"name": "nvlink"}, "status": {"index": 0}, "spec": {"priority": 5, "sources": [
                            {"type": "NodeLabels", "nodeLabels": {"keys": ["nvidia.com/gpu.clique"]}}]}},
                          {"metadata": {"name": "nvlink-0"}, "status": {"index": 1}, "spec": {"selector": {"families": ["NVLink"]}}},
                          {"metadata": {"name": "cloud"}, "status": {"index": 3}, "spec": {"sources": [{"type": "NodeLabels"}]}},
                          {"metadata": {"name": "ib"}, "status": {"index": 2}, "spec": {"priority": -1, "selector": {"families": ["InfiniBand"]},
                            "sources": [{"type": "NodeLabels", "nodeLabels": {"keys": ["nvidia.com/gpu.clique"]}}]}}]}
                        """)))
                .extracting(KnownFabric::name)
                .containsExactly("cloud", "ib", "nvlink", "nvlink-0");
    }
}
