/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JobTicketCodecTest {
    private static JobTicket ticket() {
        byte[] key = new byte[32];
        new Random(1).nextBytes(key);
        return new JobTicket(
                "space.ring-0123abcd-4",
                4,
                key,
                255,
                256,
                new JobPeer("ring-14-abcde", new byte[] {10, 1, 2, 3}, 7471),
                JobTicketCodec.digestOf(new byte[] {1, 2, 3}));
    }

    @Test
    void aTicketComesBackAndIsSmall() throws Exception {
        byte[] bytes = JobTicketCodec.encode(ticket());

        assertThat(JobTicketCodec.isTicket(bytes)).isTrue();
        assertThat(bytes).hasSizeLessThan(150);
        assertThat(JobTicketCodec.decode(bytes)).usingRecursiveComparison().isEqualTo(ticket());
    }

    @Test
    void aMapIsNoTicket() {
        assertThat(JobTicketCodec.isTicket(JobMapCodec.encode(new RandomJobs(3).map())))
                .isFalse();
    }

    @Test
    void whatIsCutOrLongerOrOfTheRootIsRefused() {
        byte[] bytes = JobTicketCodec.encode(ticket());
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> JobTicketCodec.decode(cut)).isInstanceOf(JobCodecException.class);
        }
        assertThatThrownBy(() -> JobTicketCodec.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(JobCodecException.class);
        JobTicket root = new JobTicket("n", 0, new byte[32], 0, 2, ticket().parent(), new byte[32]);
        assertThatThrownBy(() -> JobTicketCodec.decode(JobTicketCodec.encode(root)))
                .hasMessageContaining("no parent");
    }
}
