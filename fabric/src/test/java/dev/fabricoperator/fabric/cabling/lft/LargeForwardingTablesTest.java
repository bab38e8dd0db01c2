/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.BadInputException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargeForwardingTablesTest {
    private static final int LIDS = 40_000;

    /** A tenth of a large fabric, whose tables take 8 MB: the heap is not what the text is long, of which there are 220 MB. */
    @Test
    void tablesTakeAByteForEachSwitchAndLid(@TempDir Path directory) throws Exception {
        read(200, 48, directory);
    }

    @Tag("long")
    @Test
    void twoThousandSwitchesOfFortyThousandLidsAreReadIn256Megabytes(@TempDir Path directory) throws Exception {
        read(2000, 256, directory);
    }

    @Test
    void moreLidsThanThereAreAreRefused() {
        assertThatThrownBy(() -> ForwardingTableReader.read("many", new Tables(1, 50_000)))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("many:49153: a LID from 0x0000 to 0xbfff is expected");
    }

    private static void read(int switches, int heapMebibytes, Path directory) throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + heapMebibytes + "m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReadThem.class.getName(),
                        String.valueOf(switches))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(output)).contains("tables " + switches);
    }

    static final class ReadThem {
        private ReadThem() {}

        public static void main(String[] arguments) throws IOException, BadInputException {
            ForwardingTables read =
                    ForwardingTableReader.read("large", new Tables(Integer.parseInt(arguments[0]), LIDS));
            int right = 0;
            for (ForwardingTable table : read.all()) {
                right += table.lids() == LIDS + 1 && table.port(LIDS) == LIDS % 41 ? 1 : 0;
            }
            System.out.println("tables " + right);
            Objects.requireNonNull(read.of("0000000000000001"));
        }
    }

    /** The text of OpenSM's {@code opensm.fdbs}, which is nowhere as a whole. */
    private static final class Tables extends Reader {
        private static final String ROW = "0x0000 : 000  : 03   : yes\n";
        private static final String HEX = "0123456789ABCDEF";

        private final int switches;
        private final int lids;
        private final char[] row = ROW.toCharArray();
        private String heading = "";
        private int at;
        private int table;
        private int lid;

        Tables(int switches, int lids) {
            this.switches = switches;
            this.lids = lids;
            lid = lids;
            at = row.length;
        }

        @Override
        public int read(char[] into, int from, int length) {
            int written = 0;
            while (written < length) {
                if (at < heading.length()) {
                    into[from + written++] = heading.charAt(at++);
                } else if (at < heading.length() + row.length) {
                    into[from + written++] = row[at++ - heading.length()];
                } else if (!next()) {
                    break;
                }
            }
            return written == 0 ? -1 : written;
        }

        /** Goes to the next row, or to the next table. */
        private boolean next() {
            if (lid == lids && table == switches) {
                return false;
            }
            heading = "";
            at = 0;
            if (lid < lids) {
                lid++;
            } else {
                table++;
                lid = 1;
                heading = "dump_ucast_routes: Switch 0x" + "%016x".formatted(table) + "\n";
            }
            for (int digit = 0; digit < 4; digit++) {
                row[5 - digit] = HEX.charAt(lid >> 4 * digit & 0xf);
            }
            int port = lid % 41;
            row[10] = HEX.charAt(port / 10);
            row[11] = HEX.charAt(port % 10);
            return true;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
