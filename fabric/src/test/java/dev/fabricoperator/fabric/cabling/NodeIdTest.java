/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeIdTest {
    @ParameterizedTest
    @CsvSource({
        "0002C90200417670, 0002c90200417670",
        "0x0002c90200417670, 0002c90200417670",
        "0002:c902:0041:7670, 0002c90200417670",
        "00:02:c9:02:00:41:76:70, 0002c90200417670",
        "S-0008f105002036b4, 0008f105002036b4",
        "2A:E7:96:81:DC:5F, 2a:e7:96:81:dc:5f",
        "2a-e7-96-81-dc-5f, 2a:e7:96:81:dc:5f",
        "2ae7.9681.dc5f, 2a:e7:96:81:dc:5f",
        "2ae79681dc5f, 2ae79681dc5f",
        "Leaf-01, leaf-01",
        "0000000000000000, 0000000000000000",
    })
    void oneThingHasOneSpelling(String text, String id) {
        assertThat(NodeId.of(text)).isEqualTo(id);
    }
}
