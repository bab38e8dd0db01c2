/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortLanesReaderTest {
    /**
     * What infiniband-diags 44 prints of a port that OpenSM 3.3.23 has programmed in ibsim, with {@code qos_sl2vl 0,1,2,15,3,0,...}, {@code qos_vlarb_high
     * 0:4,1:64,2:0} and {@code qos_vlarb_low 0:1,1:8,2:32}.
     */
    private static String recorded() throws IOException {
        try (InputStream in =
                Objects.requireNonNull(PortLanesReaderTest.class.getResourceAsStream("/level/smpquery.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static PortLanes read(String text) throws IOException, BadInputException {
        return PortLanesReader.read("smpquery", new StringReader(text));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 4, 1", "1, 1, 64, 8", "2, 2, 0, 32", "4, 3, 0, 0", "15, 0, 4, 1"})
    void aServiceLevelHasTheLaneAndTheWeightsThatOpensmHasProgrammed(int level, int lane, int high, int low)
            throws Exception {
        assertThat(read(recorded()).of(level)).isEqualTo(new LevelLane(level, lane, true, high, low));
    }

    @Test
    void packetsOfLane15AreDroppedAndThoseOfALaneWithoutWeightNeverServed() throws Exception {
        PortLanes lanes = read(recorded());
        assertThat(lanes.of(3).isDropped()).isTrue();
        assertThat(lanes.of(3).isServed()).isFalse();
        assertThat(lanes.of(4).isDropped()).isFalse();
        assertThat(lanes.of(4).isServed()).isFalse();
        assertThat(lanes.of(2).isServed()).isTrue();
    }

    @Test
    void weightsOfALaneThatStandsThereTwiceAreTaken() throws Exception {
        String text = recorded().replace("VL    : |0x0 |0x1 |0x2 |0x0 |", "VL    : |0x0 |0x1 |0x1 |0x0 |");
        assertThat(read(text).of(1)).isEqualTo(new LevelLane(1, 1, true, 64, 40));
    }

    @Test
    void aPortWithOneLaneHasNoTablesAndServesIt() throws Exception {
        String recorded = recorded();
        String text = recorded.substring(0, recorded.indexOf("# Low priority"))
                .replace("LowCap 8 HighCap 8", "LowCap 0 HighCap 0");
        assertThat(read(text).of(1)).isEqualTo(new LevelLane(1, 1, false, 0, 0));
        assertThat(read(text).of(1).isServed()).isTrue();
        assertThat(read(text).of(3).isServed()).isFalse();
    }

    @Test
    void theWayOfPacketsThatComeInByAnotherPortCounts() throws Exception {
        String text =
                recorded().replace("ports: in  1, out  1: | 0| 1| 2|15| 3|", "ports: in  1, out  1: |15|15|15|15|15|");
        assertThat(text).isNotEqualTo(recorded());
        assertThat(read(text)).isEqualTo(read(recorded()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ports: in;xorts: in;not a line of lanes",
                "| 0| 1| 2|15| 3|;| 0| 1| 2|15|;not a line of lanes",
                "| 0| 1| 2|15| 3|;| 0| 1| 2|16| 3|;with 16 lanes from 0 to 15",
                "WEIGHT: |0x1 |;WEIGHT: |;not one for each lane",
                "# High priority;# Some;no table of high"
            })
    void aTableThatIsCutIsRefusedWithItsLine(String good, String bad, String message) throws Exception {
        String text = recorded().replace(good, bad);
        assertThat(text).isNotEqualTo(recorded());
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aTextThatEndsInTheMiddleIsRefused() throws Exception {
        String text = recorded();
        for (int length : new int[] {0, 1, text.length() / 2, text.indexOf("# High")}) {
            assertThatThrownBy(() -> read(text.substring(0, length))).isInstanceOf(BadInputException.class);
        }
    }
}
