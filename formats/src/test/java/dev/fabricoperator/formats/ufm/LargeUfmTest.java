/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts that are as large as they may be, and larger. */
class LargeUfmTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final int PORTS = 1_000_000;

    /** 75 % ({@code controller.options} of the image) of 1 GiB (the memory limit of {@code config/operator/controller.yaml}). */
    private static final int CONTROLLER_HEAP_MEBIBYTES = 768;

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

    /** The bounds on counts allow it; a third of a controller's heap, whose process would end of it, does not. */
    @Test
    void portsWithLongTextsAreRefusedBeforeTheControllersHeapIsFull(@TempDir Path directory) throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + CONTROLLER_HEAP_MEBIBYTES + "m",
                        "-XX:+UseSerialGC",
                        "-XX:+UseCompactObjectHeaders",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LongTexts.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(output)).contains("takes more than", "a third of this process's heap");
        assertThat(process.exitValue()).isZero();
    }

    /** Reads as many ports as there may be, each with four texts as long as they may be, none like another. */
    static final class LongTexts {
        private static final int PORTS = 1 << 20;
        private static final String[] TEXTS = {"dname", "node_description", "peer_port_dname", "peer_node_description"};

        private LongTexts() {}

        public static void main(String[] arguments) throws IOException {
            try {
                UfmReader.read("long", new Generated(PORTS, LongTexts::port));
                System.out.println("read");
            } catch (BadInputException e) {
                System.out.println(e.getMessage());
            }
        }

        private static String port(int i) {
            StringBuilder element = new StringBuilder(1200)
                    .append("{\"name\": \"")
                    .append(HEX.toHexDigits((long) i / PORTS_OF_A_SWITCH + 1))
                    .append('_')
                    .append(i % PORTS_OF_A_SWITCH + 1)
                    .append("\", \"logical_state\": \"Active\", \"description\": \"Switch IB Port\"");
            for (String text : TEXTS) {
                element.append(", \"")
                        .append(text)
                        .append("\": \"")
                        .append(HEX.toHexDigits((long) i))
                        .repeat('x', 253 - 16)
                        .append('"');
            }
            return element.append('}').toString();
        }
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
