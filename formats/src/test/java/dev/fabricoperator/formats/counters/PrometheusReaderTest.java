/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.formats.counters.PrometheusReader.PortCount;
import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrometheusReaderTest {
    private static final String SENT = "infiniband_switch_port_transmit_data_bytes_total";
    private static final String LABELS = "{guid=\"0x506b4b03005c2740\",port=\"1\",switch=\"ib-i4l1s01\"}";

    private static Map<String, Map<String, PortCount>> read(String text, CounterNames names)
            throws IOException, BadInputException {
        return PrometheusReader.read("metrics", new StringReader(text), names);
    }

    private static PortCount port(String text, CounterNames names, String ofSwitch, String port)
            throws IOException, BadInputException {
        return Objects.requireNonNull(
                Objects.requireNonNull(read(text, names).get(ofSwitch)).get(port));
    }

    @Test
    void countersOfPortsAreReadAndNoOthers() throws Exception {
        PortCount port = port(
                "# HELP " + SENT + " Infiniband switch port PortXmitData\n# TYPE " + SENT + " counter\n"
                        + SENT + LABELS + " 178791657177235\n"
                        + "infiniband_switch_port_receive_data_bytes_total" + LABELS
                        + " 1.78762341961629e+14 1395066363000\n"
                        + "infiniband_switch_port_transmit_wait_total" + LABELS + " 41864608\n"
                        + "infiniband_switch_port_symbol_error_total" + LABELS + " none\n\n",
                CounterNames.TREYDOCK_INFINIBAND,
                "0x506b4b03005c2740",
                "1");

        assertThat(port.sent()).isEqualTo(178_791_657_177_235L);
        assertThat(port.received()).isEqualTo(178_762_341_961_629L);
        assertThat(port.waits()).isEqualTo(41_864_608);
        assertThat(port.discards()).isEqualTo(PortCount.UNKNOWN);
    }

    @Test
    void wordsBecomeOctets() throws Exception {
        assertThat(port(
                                "infiniband_portxmitdata_total{component=\"switch\",local_guid=\"0x506b4b03005d3101\",local_name=\"switch1\",local_port=\"2\"} 5.149057134655e+012\n",
                                CounterNames.GUILBAULTS_INFINIBAND,
                                "0x506b4b03005d3101",
                                "2")
                        .sent())
                .isEqualTo(4 * 5_149_057_134_655L);
    }

    @Test
    void labelsMayBeEscapedHaveBlanksAndACommaAtTheEndAndOneSwitchNeedsNone() throws Exception {
        CounterNames names = new CounterNames("out", null, null, null, 1, null, "leaf-1", "p");
        assertThat(port(
                                "out { p = \"a\\\\b\\\"c\\n\" , other=\"}\" , } 7 # {id=\"1\"} 1\n# EOF",
                                names,
                                "leaf-1",
                                "a\\b\"c\n")
                        .sent())
                .isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "nan", "+Inf", "-Inf", "-1", "9223372036854775808", "1e400"})
    void aValueThatCountsNothingIsUnknownAndOthersAreRead(String value) throws Exception {
        PortCount port = port(
                SENT + LABELS + " " + value + "\n" + "infiniband_switch_port_receive_data_bytes_total" + LABELS
                        + " 7\n",
                CounterNames.TREYDOCK_INFINIBAND,
                "0x506b4b03005c2740",
                "1");

        assertThat(port.sent()).isEqualTo(PortCount.UNKNOWN);
        assertThat(port.received()).isEqualTo(7);
        assertThat(port.unreadable()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1395066363123, 1395066363123", "1395066363.123, 1395066363123", "'# {id=\"1\"} 1', -1", "'', -1"})
    void timesAreMillisecondsOrSeconds(String time, long millis) throws Exception {
        PortCount port =
                port(SENT + LABELS + " 7 " + time + "\n", CounterNames.TREYDOCK_INFINIBAND, "0x506b4b03005c2740", "1");

        assertThat(port.dataMillis()).isEqualTo(millis);
        assertThat(port.othersMillis()).isEqualTo(PortCount.UNKNOWN);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LABELS | is no number of things counted: \"\"",
                "LABELS 0x10 | is no number of things counted",
                "LABELS 1 soon | the time of infiniband_switch_port_transmit_data_bytes_total is no number",
                "{port=\"1\"} 1 | has no label \"guid\"",
                "{guid=\"1\"} 1 | has no label \"port\"",
                "{guid=\"1} 1 | without its quotes",
                "{guid} 1 | not name=\"value\"",
                "{guid=\"1\" | without their closing brace"
            })
    void whatIsNoCounterIsRefusedWithItsLine(String text, String problem) {
        assertThatThrownBy(() -> read(
                        "# a comment\n" + SENT + text.replace("LABELS", LABELS) + "\n",
                        CounterNames.TREYDOCK_INFINIBAND))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(problem.strip())
                .hasMessageContaining("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>\n", "up 1\n"})
    void aTextWithoutTheCounterIsRefused(String text) {
        assertThatThrownBy(() -> read(text, CounterNames.TREYDOCK_INFINIBAND))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("no counter " + SENT);
    }

    @Test
    void aTextThatEndsWithinALineIsRefused() {
        String whole = SENT + LABELS + " 178791657177235\n";
        assertThatThrownBy(() -> read(whole + whole.substring(0, whole.length() - 4), CounterNames.TREYDOCK_INFINIBAND))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("it was cut");
    }
}
