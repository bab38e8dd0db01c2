/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobFabricUpdateTest {
    private static final JobFabricUpdate.Impaired TWO = new JobFabricUpdate.Impaired(List.of(
            new JobFabricUpdate.ImpairedDevice(1, "fab://a", "mlx5_0: 40 symbol errors"),
            new JobFabricUpdate.ImpairedDevice(200, "fab://b", "mlx5_1: 97 degrees Celsius")));

    @Test
    void whatIsImpairedComesBackAsItWasSent() throws JobCodecException {
        assertThat(JobFabricUpdate.decode(TWO.encoded())).isEqualTo(TWO);
        JobFabricUpdate none = new JobFabricUpdate.Impaired(List.of());
        assertThat(JobFabricUpdate.decode(none.encoded())).isEqualTo(none);
        assertThat(JobFabricUpdate.decode(new JobFabricUpdate.Pending().encoded()))
                .isInstanceOf(JobFabricUpdate.Pending.class);
    }

    @Test
    void aTornMessageIsRefusedWithASentence() {
        byte[] encoded = TWO.encoded();
        for (int length = 0; length < encoded.length; length++) {
            byte[] torn = Arrays.copyOf(encoded, length);
            assertThatThrownBy(() -> JobFabricUpdate.decode(torn))
                    .isInstanceOf(JobCodecException.class)
                    .hasMessageMatching(".{10,}");
        }
        byte[] longer = Arrays.copyOf(encoded, encoded.length + 1);
        assertThatThrownBy(() -> JobFabricUpdate.decode(longer)).isInstanceOf(JobCodecException.class);
    }

    @Test
    void whetherSomebodyWatchesComesBackAsItWasSentOrIsRefused() throws JobCodecException {
        for (boolean wanted : new boolean[] {true, false}) {
            JobFabricUpdate update = new JobFabricUpdate.TrafficWanted(wanted);
            assertThat(JobFabricUpdate.decode(update.encoded())).isEqualTo(update);
        }
        for (byte[] wrong : List.of(new byte[] {'T'}, new byte[] {'T', 2}, new byte[] {'T', 1, 1})) {
            assertThatThrownBy(() -> JobFabricUpdate.decode(wrong))
                    .isInstanceOf(JobCodecException.class)
                    .hasMessageContaining("whether traffic is wanted");
        }
    }

    @Test
    void theDigestIsOfTheDevicesAndNotOfWhatIsSaidOfThem() {
        JobFabricUpdate.ImpairedDevice first = TWO.devices().getFirst();
        JobFabricUpdate.Impaired more = new JobFabricUpdate.Impaired(List.of(
                new JobFabricUpdate.ImpairedDevice(first.pod(), first.deviceId(), "other words"),
                TWO.devices().getLast()));
        assertThat(more.digest()).isEqualTo(TWO.digest()).matches("[0-9a-f]{16}");
        assertThat(new JobFabricUpdate.Impaired(List.of(first)).digest()).isNotEqualTo(TWO.digest());
        assertThat(new JobFabricUpdate.Impaired(List.of()).digest()).isEqualTo("-");
    }
}
