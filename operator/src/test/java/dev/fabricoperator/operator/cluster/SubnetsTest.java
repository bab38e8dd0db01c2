/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Family;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubnetsTest {
    @Test
    void infiniBandIsInTheSubnetOfItsFirstGid() {
        assertThat(Subnets.of(Family.InfiniBand, List.of("fe80:0000:0000:0000:0002:c903:00f9:bfa1"), List.of()))
                .containsExactly("fe80000000000000");
        assertThat(Subnets.of(Family.InfiniBand, List.of("not a gid", "fec0::1"), List.of("10.0.0.1/8")))
                .containsExactly("fec0000000000000");
        assertThat(Subnets.of(Family.InfiniBand, List.of(), List.of())).isEmpty();
    }

    @Test
    void othersAreInTheNetworksOfTheirAddresses() {
        assertThat(Subnets.of(
                        Family.RoCE,
                        List.of(),
                        List.of("10.1.2.3/16", "10.1.9.9/16", "192.168.7.9/24", "2001:db8::5/64")))
                .containsExactly("10.1.0.0/16", "192.168.7.0/24", "2001:db8:0:0:0:0:0:0/64");
    }

    @Test
    void addressesThatTellNoNetworkTellNothing() {
        assertThat(Subnets.of(
                        Family.RoCE,
                        List.of(),
                        List.of(
                                "10.1.2.3",
                                "10.1.2.4/31",
                                "10.1.2.4/30",
                                "169.254.1.1/16",
                                "fe80::1/64",
                                "host/24",
                                "/",
                                "1/x")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "fe80000000000000, fe80000000000000, true",
        "fe80000000000000, fec0000000000000, false",
        "10.0.0.0/8, 10.1.0.0/16, true",
        "10.1.0.0/16, 10.0.0.0/8, false",
        "10.1.2.3/16, 10.1.0.0/16, true",
        "2001:db8::/32, 2001:db8:0:0:0:0:0:0/64, true",
        "10.0.0.0/8, 2001:db8::/64, false",
        "nonsense, 10.0.0.0/8, false"
    })
    void aSelectorsNetworkCoversThoseInside(String selected, String subnet, boolean covers) {
        assertThat(Subnets.covers(selected, subnet)).isEqualTo(covers);
    }
}
