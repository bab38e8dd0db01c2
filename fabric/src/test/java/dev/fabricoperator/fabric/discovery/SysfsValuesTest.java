/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.discovery.AttributeReader.Garbled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SysfsValuesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "2.5 Gb/sec (1X);2500000000;1",
                "10 Gb/sec (4X);10000000000;4",
                "20 Gb/sec (4X DDR);20000000000;4",
                "40 Gb/sec (4X QDR);40000000000;4",
                "40 Gb/sec (4X FDR10);40000000000;4",
                "56 Gb/sec (4X FDR);56000000000;4",
                "25 Gb/sec (1X EDR);25000000000;1",
                "100 Gb/sec (2X HDR);100000000000;2",
                "200 Gb/sec (4X HDR);200000000000;4",
                "400 Gb/sec (4X NDR);400000000000;4",
                "800 Gb/sec (4X XDR);800000000000;4",
                "1200 Gb/sec (12X NDR);1200000000000;12",
                "1600 Gb/sec (8X XDR);1600000000000;8",
                "2.5 Gb/sec (1X SDR);2500000000;1",
            })
    void ratesAreTheNominalOnesThatTheKernelPrints(String line, long bitsPerSecond, int width) throws Garbled {
        assertThat(SysfsValues.rate(line)).isEqualTo(new SysfsValues.Rate(bitsPerSecond, width));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "56 Gb/se",
                "56 Gb/sec",
                "Gb/sec (4X)",
                "56 Gb/sec (4X FDR) x",
                "-1 Gb/sec (4X)",
                "56",
                "10 GB/sec",
                "0 GB/s"
            })
    void tornRatesAreGarbled(String line) {
        assertThatThrownBy(() -> SysfsValues.rate(line)).isInstanceOf(Garbled.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 Gb/sec (4X SDR)", "0 GB/sec", "0 Gb/sec", "0.0 Gb/sec (1X)", "0 Gb/sec ()"})
    void aRateOfZeroIsUnknown(String line) throws Garbled {
        assertThat(SysfsValues.rate(line)).isNull();
    }

    @Test
    void whatStandsForUnknownIsNull() throws Garbled {
        assertThat(SysfsValues.lid("0x0")).isNull();
        assertThat(SysfsValues.lid("0xffff")).isNull();
        assertThat(SysfsValues.guid("0000:0000:0000:0000")).isNull();
        assertThat(SysfsValues.gid(SysfsValues.ZERO_GID)).isNull();
        assertThat(SysfsValues.numaNode("-1")).isNull();
        assertThat(SysfsValues.numaNode("0")).isZero();
        assertThat(SysfsValues.interfaceSpeed("-1")).isNull();
        assertThat(SysfsValues.interfaceSpeed("4294967295")).isNull();
        assertThat(SysfsValues.physicalState("0: <unknown>")).isNull();
        assertThat(SysfsValues.hardwareAddress("00:00:00:00:00:00")).isNull();
    }

    @Test
    void statesAreThoseOfInfiniBandAndTheirWordsMustAgree() throws Garbled {
        assertThat(SysfsValues.portState("4: ACTIVE")).isEqualTo(PortState.Active);
        assertThat(SysfsValues.portState("1")).isEqualTo(PortState.Down);
        assertThat(SysfsValues.portState("0: NOP")).isEqualTo(PortState.Unknown);
        assertThatThrownBy(() -> SysfsValues.portState("4: ACT")).hasMessageContaining("ACTIVE");
        assertThat(SysfsValues.physicalState("7: Phy Test")).isEqualTo("Phy Test");
    }

    @Test
    void omniPathLidsMayExceed16Bit() throws Garbled {
        assertThat(SysfsValues.lid("0x10001")).isEqualTo(0x10001);
    }

    @Test
    void listsOfNumbersMayHaveGaps() throws Garbled {
        assertThat(SysfsValues.numberList("0,8,250-252").stream().boxed().toList())
                .isEqualTo(List.of(0, 8, 250, 251, 252));
        assertThatThrownBy(() -> SysfsValues.numberList("5-1")).isInstanceOf(Garbled.class);
        assertThatThrownBy(() -> SysfsValues.numberList("0-9999999")).isInstanceOf(Garbled.class);
    }

    @Test
    void ipv6AddressesAreWrittenAsRfc5952Says() {
        assertThat(HostNetwork.ipv6("20010db8000000000000000000000001")).isEqualTo("2001:db8::1");
        assertThat(HostNetwork.ipv6("00000000000000000000000000000001")).isEqualTo("::1");
        assertThat(HostNetwork.ipv6("20010db8000000010000000000000000")).isEqualTo("2001:db8:0:1::");
        assertThat(HostNetwork.ipv6("20010db8000000010001000100010001")).isEqualTo("2001:db8:0:1:1:1:1:1");
    }

    @Test
    void noTextWhateverMakesAParserFailOtherThanByItsReason() {
        List<AttributeReader.Parser<?>> parsers = List.of(
                SysfsValues::rate,
                SysfsValues::guid,
                SysfsValues::gid,
                SysfsValues::lid,
                SysfsValues::portState,
                SysfsValues::physicalState,
                SysfsValues::numberList,
                SysfsValues::interfaceSpeed,
                SysfsValues::pciClass,
                SysfsValues::pciId,
                SysfsValues::numaNode,
                SysfsValues::hardwareAddress,
                SysfsValues::mtu);
        String alphabet = "0123456789abcdefx:,- GXb/sec().ACTIVE\u00e9\ud83d";
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(24); i >= 0; i--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            for (AttributeReader.Parser<?> parser : parsers) {
                try {
                    Object value = parser.parse(text.toString());
                    assertThat(String.valueOf(value)).isNotEmpty();
                } catch (Garbled e) {
                    assertThat(e.reason()).isNotEmpty();
                }
            }
        }
    }
}
