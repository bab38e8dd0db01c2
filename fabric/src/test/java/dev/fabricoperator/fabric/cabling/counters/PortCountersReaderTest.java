/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PortCountersReaderTest {
    /** As infiniband-diags 44 prints it. */
    private static final String ERRORS = """
            Errors for 0x2000 "leaf-2"
               GUID 0x2000 port ALL: [SymbolErrorCounter == 40] [LinkDownedCounter == 3]
               GUID 0x2000 port 3: [SymbolErrorCounter == 40]
               GUID 0x2000 port 4: [LinkDownedCounter == 3] [PortXmitWait == 18446744073709551615]

            ## Summary: 2 nodes checked, 1 bad nodes found
            ##          8 ports checked, 2 ports have errors beyond threshold
            ## Thresholds:\s
            ## Suppressed:
            """;

    private static PortCounters read(String text) throws IOException, BadInputException {
        return PortCountersReader.read("ibqueryerrors", new StringReader(text));
    }

    @Test
    void onlyWhatIsWantedIsKept() throws Exception {
        PortCounters counters = PortCountersReader.read("ibqueryerrors", new StringReader("""
                        Data Counters for 0xa002 "leaf-2"
                           GUID 0xa002 port 3: [PortXmitData == 5000003600 (18.626GB)] [PortRcvData == 7776 (30.375KB)] [PortXmitPkts == 108 (108.000)]

                        ## Summary: 1 nodes checked, 0 bad nodes found
                        """), "PortXmitData"::equals);

        assertThat(counters.ports())
                .containsExactly(Map.entry(
                        new PortCounters.Port("000000000000a002", 3), Map.of("PortXmitData", 5_000_003_600L)));
    }

    @Test
    void errorsAreOfThePortsThatHaveSome() throws IOException, BadInputException {
        PortCounters counters = read(ERRORS);
        assertThat(counters.complete()).isTrue();
        assertThat(counters.ports())
                .containsOnly(
                        Map.entry(new PortCounters.Port("0000000000002000", 3), Map.of("SymbolErrorCounter", 40L)),
                        Map.entry(
                                new PortCounters.Port("0000000000002000", 4),
                                Map.of("LinkDownedCounter", 3L, "PortXmitWait", Long.MAX_VALUE)));
    }

    @Test
    void bytesAreReadLikeErrors() throws IOException, BadInputException {
        PortCounters counters = read("""
                Data Counters for 0xb "leaf \\"2\\""
                   GUID 0xb port 1: [PortXmitData == 1584 (6.188KB)] [PortXmitPkts == 22 (22.000)]
                ## Summary: 1 nodes checked, 0 bad nodes found
                """);
        assertThat(counters.ports())
                .containsOnly(Map.entry(
                        new PortCounters.Port("000000000000000b", 1),
                        Map.of("PortXmitData", 1584L, "PortXmitPkts", 22L)));
    }

    @Test
    void whereAPortHasNotAnsweredWhatIsNotPrintedIsNotKnown() throws IOException, BadInputException {
        assertThat(read(ERRORS + "##          2 PMA query failures\n").complete())
                .isFalse();
    }

    @Test
    void aNodeThatWasMissedIsNotAmongThoseThatWereChecked() throws IOException, BadInputException {
        assertThat(read(ERRORS).checked()).isEqualTo(2);
        assertThat(read(ERRORS.replace("2 nodes checked", "1 nodes checked")).checked())
                .isEqualTo(1);
    }

    @Test
    void belowAThresholdOfTheSiteWhatIsNotPrintedIsNotKnown() throws IOException, BadInputException {
        String text = ERRORS.replace("## Thresholds: ", "## Thresholds: [SymbolErrorCounter = 10]");
        assertThat(read(text).complete()).isFalse();
    }

    @Test
    void aTextThatWasCutIsRefused() {
        for (int end = 0; end < ERRORS.indexOf("## Summary: 2 nodes checked,"); end++) {
            String cut = ERRORS.substring(0, end);
            assertThatThrownBy(() -> read(cut))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageMatching("ibqueryerrors:\\d+: .{10,}");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "   GUID 0x2000 port 3: [SymbolErrorCounter == x]\n",
                "   GUID 0x2000 port 3: [SymbolErrorCounter == 99999999999999999999]\n",
                "   GUID 0x2000 port 3: [SymbolErrorCounter == -1]\n",
                "# Port counters: Lid 3 port 255 (CapMask: 0x1300)\n",
                "## Summary: 0 nodes checked, 0 bad nodes found\n"
            })
    void whatIsNoCounterIsRefused(String line) {
        assertThatThrownBy(() -> read(line + ERRORS)).isInstanceOf(BadInputException.class);
    }
}
