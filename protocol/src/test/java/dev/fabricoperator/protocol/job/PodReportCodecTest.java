/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PodReportCodecTest {
    @Property(tries = 200)
    void everyReportComesBackAsItWas(@ForAll long seed) throws Exception {
        PodReport report = new RandomJobs(seed).report();

        PodReport back = PodReportCodec.decode(PodReportCodec.encode(report));

        assertThat(back).usingRecursiveComparison().isEqualTo(report);
    }

    @Property(tries = 500)
    void changedBytesGiveAReportOrACheckedError(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = PodReportCodec.encode(new RandomJobs(seed % 20).report());
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        try {
            PodReport decoded = PodReportCodec.decode(bytes);
            assertThat(decoded.ranks() > 0).isEqualTo(decoded.run() == null);
        } catch (JobCodecException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @Test
    void everyTornReportIsRefused() {
        byte[] bytes = PodReportCodec.encode(new RandomJobs(5).report());

        for (int length = 0; length < bytes.length; length++) {
            byte[] torn = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> PodReportCodec.decode(torn)).isInstanceOf(JobCodecException.class);
        }
    }

    @Test
    void aReportThatIsTooLongIsRefusedUnread() {
        assertThatThrownBy(() -> PodReportCodec.decode(new byte[PodReportCodec.LONGEST_BYTES + 1]))
                .hasMessage("a report of 65537 bytes, more than 65536");
    }

    @Test
    void moreDevicesThanAnyPodCanOpenAreRefusedUnread() {
        PodReport.OpenDevice nothing = new PodReport.OpenDevice("", null, null, null, false, null);
        byte[] bytes = PodReportCodec.encode(
                new PodReport(new byte[16], -1, new byte[4], 26999, 64, "", "", Collections.nCopies(10_000, nothing)));

        assertThat(bytes).hasSizeLessThan(PodReportCodec.LONGEST_BYTES);
        assertThatThrownBy(() -> PodReportCodec.decode(bytes)).hasMessage("a report of 10000 devices, more than 1024");
    }

    @Test
    void twoHundredFiftySixDevicesFit() throws Exception {
        PodReport.OpenDevice device = new PodReport.OpenDevice(
                "rocep218s0f1",
                "248a0703009a3b10",
                "24:8a:07:9a:3b:10",
                "0000:3b:00.1",
                false,
                new EndpointTemplate(EndpointTemplate.Format.FI_SOCKADDR_IB, new byte[16], 0, 17));
        List<PodReport.OpenDevice> devices = Collections.nCopies(256, device);
        PodReport report = new PodReport(new byte[16], -1, new byte[4], 26999, 64, "0-63", "0-1", devices);

        byte[] bytes = PodReportCodec.encode(report);

        assertThat(bytes).hasSizeLessThan(32 * 1024);
        assertThat(PodReportCodec.decode(bytes).devices()).hasSize(256);
    }
}
