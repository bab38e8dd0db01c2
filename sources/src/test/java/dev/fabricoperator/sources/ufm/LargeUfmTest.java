/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sources.ufm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import java.io.Reader;
import java.util.HexFormat;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Texts that are as large as they may be, and larger. */
class LargeUfmTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final int PORTS = 1_000_000;
    private static final int PORTS_OF_A_SWITCH = 100;

    @Test
    void aMillionPortsAreReadAsTheyCome() throws Exception {
        Cabling cabling = UfmReader.read("large", new Generated(PORTS, LargeUfmTest::cabledPort));
        assertThat(cabling.switches()).hasSize(PORTS / PORTS_OF_A_SWITCH);
        assertThat(cabling.switches()).allMatch(s -> s.ports().size() == PORTS_OF_A_SWITCH);
        assertThat(cabling.switches().getFirst().ports()).allMatch(port -> port.peer() != null);
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void moreThanAFabricHasIsRefused() {
        assertThatThrownBy(() -> UfmReader.read("nodes", new Generated(300_000, LargeUfmTest::portOfItsOwn)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("more than 262144 switches and devices");
        assertThatThrownBy(() -> UfmReader.read("switches", new Generated(20_000, LargeUfmTest::portOfItsOwn)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("more than 16384 switches");
    }

    /** Cabled to the same port of the switch before or after it. */
    private static String cabledPort(int i) {
        int at = i / PORTS_OF_A_SWITCH + 1;
        int number = i % PORTS_OF_A_SWITCH + 1;
        int peer = (at - 1 ^ 1) + 1;
        String guid = HEX.toHexDigits((long) at);
        String peerGuid = HEX.toHexDigits((long) peer);
        // No format: a million of them would take longer than what is tested.
        return "{\"name\": \"" + guid + '_' + number + "\", \"guid\": \"" + guid + "\", \"number\": " + number
                + ", \"description\": \"Switch IB Port\", \"dname\": \"" + number + "\", \"systemID\": \"" + guid
                + "\", \"system_name\": \"sw-" + at + "\", \"node_description\": \"sw-" + at + ':' + number
                + "\", \"lid\": " + at
                + ", \"tier\": 4, \"physical_state\": \"Link Up\", \"logical_state\": \"Active\","
                + " \"active_speed\": \"HDR\", \"active_width\": \"4x\","
                + " \"enabled_speed\": [\"SDR\", \"DDR\", \"QDR\", \"FDR10\", \"FDR\", \"EDR\", \"HDR\"],"
                + " \"capabilities\": [\"reset\"], \"peer\": \"" + peerGuid + '_' + number + "\", \"peer_guid\": \""
                + peerGuid + "\", \"peer_node_guid\": \"" + peerGuid + "\", \"peer_node_name\": \"sw-" + peer + "\"}\n";
    }

    private static String portOfItsOwn(int i) {
        return "{\"name\": \"" + HEX.toHexDigits((long) i + 1) + "_1\", \"number\": 1}";
    }

    /** A list of elements that are made when they are read. */
    private static final class Generated extends Reader {
        private final int count;
        private final IntFunction<String> element;
        private int next;
        private String rest = "[";
        private int at;

        Generated(int count, IntFunction<String> element) {
            this.count = count;
            this.element = element;
        }

        @Override
        public int read(char[] into, int offset, int length) {
            if (at == rest.length()) {
                if (next > count) {
                    return -1;
                }
                rest = next == count ? "]" : (next == 0 ? "" : ",") + element.apply(next);
                next++;
                at = 0;
            }
            int taken = Math.min(length, rest.length() - at);
            rest.getChars(at, at + taken, into, offset);
            at += taken;
            return taken;
        }

        @Override
        public void close() {}
    }
}
