/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectNamesTest {
    private static final String SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

    @ParameterizedTest
    @CsvSource({
        "node001,mlx5_0,1,node001-mlx5-0-1",
        "gpu-1.example.org,eth0,0,gpu-1.example.org-eth0-0",
        "n1,hfi1_0,1,n1-hfi1-0-1",
        "n1,enP5p1s0f0,0,n1-enp5p1s0f0-0",
        "n1,HCA-1,1,n1-hca-1-1",
        "n1,bnxt_re0,1,n1-bnxt-re0-1",
        "n1,mlx5_bond_0,1,n1-mlx5-bond-0-1",
        "n1,a:b,0,n1-a-b-0-2-12fb712e"
    })
    void devicesAreNamedAfterNodeDeviceAndPort(String node, String device, int port, String expected) {
        assertThat(ObjectNames.device(node, device, port)).isEqualTo(expected);
    }

    @Property(tries = 2000)
    void noDeviceOfOneNodeIsCalledLikeOneOfAnother(
            @ForAll("names") String device, @ForAll("names") String other, @ForAll @IntRange(max = 9) int port) {
        assertThat(ObjectNames.device("gpu", "1_" + device, port))
                .isNotEqualTo(ObjectNames.device("gpu-1", device, port));
        assertThat(ObjectNames.device("gpu", device + "_" + other, port))
                .isNotEqualTo(ObjectNames.device("gpu-" + dns(device), other, port))
                .isNotEqualTo(ObjectNames.deviceBesideItsTwin("gpu-" + dns(device), other, port));
    }

    @ParameterizedTest
    @CsvSource({"bnxt,re0", "mlx5,bond_0", "mlx5,Bond-0"})
    void noDeviceIsCalledLikeTheKernelsNamesOfTwoWords(String first, String second) {
        assertThat(ObjectNames.device("gpu", first + "_" + second, 1))
                .isNotEqualTo(ObjectNames.device("gpu-" + first, second, 1));
    }

    private static String dns(String device) {
        return device.replace('_', '-');
    }

    @Property
    void everyDeviceNameIsADnsSubdomain(@ForAll String device) {
        assertThat(ObjectNames.device("n1", device, 1)).matches(SUBDOMAIN).hasSizeLessThanOrEqualTo(253);
    }

    @Property
    void everyNameIsADnsSubdomain(@ForAll String text) {
        String name = ObjectNames.dns(text);
        assertThat(name).matches(SUBDOMAIN).hasSizeLessThanOrEqualTo(253);
    }

    @Property
    void namesThatDifferOnlyInWhatTheFormLosesStayApart(@ForAll String text) {
        String upper = text.toUpperCase(java.util.Locale.ROOT);
        String lower = text.toLowerCase(java.util.Locale.ROOT);
        if (!upper.equals(lower)) {
            assertThat(ObjectNames.dns(upper)).isNotEqualTo(ObjectNames.dns(lower));
        }
    }

    @Property
    void aTwinOfADeviceNameIsAnother(@ForAll("names") String device) {
        assertThat(ObjectNames.deviceBesideItsTwin("n1", device, 1)).isNotEqualTo(ObjectNames.device("n1", device, 1));
    }

    @net.jqwik.api.Provide
    net.jqwik.api.Arbitrary<String> names() {
        return net.jqwik.api.Arbitraries.strings()
                .withChars("abc019_-")
                .ofMinLength(1)
                .ofMaxLength(15);
    }

    @ParameterizedTest
    @CsvSource({"dump,fc6a1c03309d6b79,dump.fc6a1c03309d6b79", "'',switch-1,switch-1"})
    void switchesAreNamedAfterSourceAndId(String source, String id, String expected) {
        assertThat(ObjectNames.fabricSwitch(source, id)).isEqualTo(expected);
    }
}
