/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceIdsTest {
    private record Ids(
            String name,
            String deviceId,
            @Nullable String nodeGuid,
            @Nullable String portGuid,
            String hostname,
            String osName,
            int port)
            implements DeviceIds.Identified {}

    /** What a caller keeps of a device may be expensive, or not possible, to compare. */
    private record Kept(Ids ids) {
        @Override
        public boolean equals(@Nullable Object other) {
            throw new AssertionError("compared");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("hashed");
        }
    }

    private static final String GUID = "ec0d9a03007d7d0a";
    private static final List<Kept> DEVICES = List.of(
            new Kept(new Ids("n1-mlx5-0-1", "fab://1#1", GUID, "ec0d9a03007d7d0b", "n1", "mlx5_0", 1)),
            new Kept(new Ids("n1-mlx5-0-2", "fab://1#2", GUID, "ec0d9a03007d7d0c", "n1", "mlx5_0", 2)),
            new Kept(new Ids("n2-eth", "eth@n2", null, null, "n2", "Ethernet1/1", 0)),
            new Kept(new Ids("unnamed", "x", null, null, "", "", 1)));

    private final DeviceIds<Kept> ids = new DeviceIds<>(DEVICES, Kept::ids);

    @ParameterizedTest
    @CsvSource({
        "n1-mlx5-0-2, n1-mlx5-0-2",
        "fab://1#1, n1-mlx5-0-1",
        "ec0d9a03007d7d0b, n1-mlx5-0-1",
        "0xEC0D9A03007D7D0C, n1-mlx5-0-2",
        "ec0d:9a03:007d:7d0c, n1-mlx5-0-2",
        "ec0d9a03007d7d0a, n1-mlx5-0-1 n1-mlx5-0-2",
        "ec0d9a03007d7d0a:2, n1-mlx5-0-2",
        "0xec0d:9a03:007d:7d0a:1, n1-mlx5-0-1",
        "ec0d9a03007d7d0a:3, ''",
        "n1/mlx5_0, n1-mlx5-0-1 n1-mlx5-0-2",
        "n1/mlx5_0:2, n1-mlx5-0-2",
        "n2/Ethernet1/1, n2-eth",
        "n2/Ethernet1/1:0, n2-eth",
        "n1, ''",
        "n1/, ''",
        "/, ''",
        "'', ''",
    })
    void aDeviceIsFoundByEveryNameThatItHas(String id, String names) {
        assertThat(ids.meantBy(id).stream().map(kept -> kept.ids().name()))
                .containsExactlyElementsOf(names.isEmpty() ? List.of() : List.of(names.split(" ")));
    }

    @Test
    void aHostIsAllOfItsDevicesAndNoHostIsNone() {
        assertThat(ids.ofHost("n1")).hasSize(2);
        assertThat(ids.ofHost("")).isEmpty();
        assertThat(ids.ofHost("n3")).isEmpty();
    }
}
