/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.SMALL;
import static dev.fabricoperator.cli.Program.dump;
import static dev.fabricoperator.cli.Program.dumpFile;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CostIT {
    private static final String DEVICE = "ec0d9a03007d7d0a";
    private static final Path TWO_PORTS = dumpFile("fabric/ib-qdr-fdr10-rocket");

    @ParameterizedTest
    @ValueSource(
            strings = {
                DEVICE,
                "0xEC0D9A03007D7D0A",
                "ec0d:9a03:007d:7d0a",
                DEVICE + ":1",
                "r-dcs96-hca-1-1",
                "r-dcs96/HCA-1",
                "r-dcs96/HCA-1:1",
                "fab://ec0d:9a03:007d:7d0a::ec0d:9a03:007d:7d0a"
            })
    void everyFormOfAnIdNamesTheDevice(String id) {
        Program.Result result =
                Program.run("cost", dump(SMALL), "--from", id, "--to", "248a0703002e61db", "-o", "json");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.json().toString())
                .isEqualTo("{\"from\":\"" + DEVICE + "\",\"to\":\"248a0703002e61db\",\"generation\":1,\"cost\":46,"
                        + "\"fromDevice\":\"r-dcs96-hca-1-1\",\"toDevice\":\"r-dmz-ufm137-hca-2-1\"}");
    }

    @Test
    void theMatrixFileHoldsTheRowsThatJsonPrints(@TempDir Path directory) throws IOException {
        Path dump = dumpFile("sim/rail-32x8");
        Path file = directory.resolve("cost.npy");

        Program.Result written = Program.run("cost", dump(dump), "--out", file.toString());

        assertThat(written.exitCode()).as(written.err()).isZero();
        int[][] matrix = readNpy(file);
        assertThat(matrix).hasDimensions(256, 256);
        JsonNode devices = Program.run("topology", dump(dump), "-o", "json").json();
        for (int from : List.of(0, 17, 255)) {
            JsonNode row = Program.run("cost", dump(dump), "--row", nameOfSlot(devices, from), "-o", "json")
                    .json();
            assertThat(row.path("costs")).hasSize(256);
            for (JsonNode entry : row.path("costs")) {
                int to = entry.path("index").asInt();
                assertThat(entry.path("cost").asInt()).isEqualTo(matrix[from][to]);
                assertThat(entry.path("device").asText()).isEqualTo(nameOfSlot(devices, to));
            }
            assertThat(matrix[from][from]).isZero();
        }
        assertThat(leftovers(directory)).containsExactly("cost.npy");
    }

    @Test
    void theMatrixReplacesAFileAndKeepsALink(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("old.npy"), "old");
        Path link = Files.createSymbolicLink(directory.resolve("link.npy"), file);

        assertThat(Program.run("cost", dump(SMALL), "--out", link.toString()).exitCode())
                .isZero();

        assertThat(link).isSymbolicLink();
        assertThat(readNpy(file)).hasDimensions(12, 12);
    }

    @Test
    void theMatrixGoesIntoWhatIsNoFile() {
        Program.Result result = Program.with("cost", dump(SMALL), "--out", "/dev/stdout", "-o", "json")
                .run();

        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("NUMPY").contains("'<u2'");
        assertThat(Files.exists(Path.of("/dev/stdout"))).isTrue();
    }

    @Test
    void aPlaceThatCannotBeWrittenIsAFailureAndLeavesNothing(@TempDir Path directory) throws IOException {
        Path nowhere = directory.resolve("missing/cost.npy");

        Program.Result result = Program.run("cost", dump(SMALL), "--out", nowhere.toString());

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("error: " + nowhere + ": cannot be written: its directory is not there")
                .hasLineCount(1);
        assertThat(leftovers(directory)).isEmpty();
    }

    @Test
    void anAdapterOfTwoPortsIsAmbiguousByItsGuid() {
        JsonNode devices =
                Program.run("topology", dump(TWO_PORTS), "-o", "json").json();
        Set<String> seen = new HashSet<>();
        String guid = "";
        for (JsonNode item : devices.path("items")) {
            JsonNode nodeGuid = item.path("spec").path("nodeGuid");
            if (item.path("kind").asText().equals("FabricDevice") && !seen.add(nodeGuid.asText())) {
                guid = nodeGuid.asText();
            }
        }

        Program.Result ambiguous = Program.run("cost", dump(TWO_PORTS), "--row", guid);
        Program.Result chosen = Program.run("cost", dump(TWO_PORTS), "--row", guid + ":2");

        assertThat(ambiguous.exitCode()).isEqualTo(2);
        assertThat(ambiguous.err()).matches("error: '" + guid + "' is ambiguous; it names [^ ]+-1, [^ ]+-2\n");
        assertThat(chosen.exitCode()).isZero();
    }

    @Test
    void anUnknownIdIsAnsweredWithWhatMayHaveBeenMeant() {
        Program.Result near = Program.run("cost", dump(SMALL), "--row", "r-dcs96/HCA-9");
        Program.Result host = Program.run("cost", dump(SMALL), "--row", "r-dcs96");
        Program.Result far = Program.run("cost", dump(SMALL), "--row", "something else altogether");

        assertThat(List.of(near, host, far))
                .extracting(Program.Result::exitCode)
                .containsOnly(2);
        assertThat(near.err()).contains("did you mean r-dcs96/HCA-");
        assertThat(host.err()).contains("'r-dcs96' has several devices: r-dcs96-hca-");
        assertThat(far.err()).contains("'kubectl fabric topology -o wide " + dump(SMALL) + "' lists the devices");
    }

    @Test
    void noCableLeadsToAnotherFabric(@TempDir Path directory) throws IOException {
        Path other = dumpFile("sim/ft2-128");
        String there =
                nameOfSlot(Program.run("topology", dump(other), "-o", "json").json(), 0);
        Path file = directory.resolve("second.npy");

        Program.Result pair =
                Program.run("cost", dump(SMALL), dump(other), "--from", DEVICE, "--to", there, "-o", "json");
        Program.Result second =
                Program.run("cost", dump(SMALL), dump(other), "--fabric", "infiniband-1", "--out", file.toString());
        Program.Result wrong =
                Program.run("cost", dump(SMALL), dump(other), "--fabric", "roce-0", "--out", file.toString());

        assertThat(pair.json().path("cost").asInt()).isEqualTo(65535);
        assertThat(second.exitCode()).isZero();
        assertThat(readNpy(file)).hasDimensions(12, 12);
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("there is infiniband-0, infiniband-1");
    }

    private static String nameOfSlot(JsonNode list, int slot) {
        for (JsonNode item : list.path("items")) {
            JsonNode index = item.path("status").path("index");
            if (item.path("kind").asText().equals("FabricDevice") && index.asInt() == slot) {
                return item.path("metadata").path("name").asText();
            }
        }
        throw new IllegalArgumentException("no slot " + slot);
    }

    /** As NumPy reads it: header of a dictionary, then rows of little-endian unsigned 16 bit. */
    private static int[][] readNpy(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[8];
        bytes.get(magic);
        assertThat(magic).containsExactly(0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0);
        byte[] header = new byte[Short.toUnsignedInt(bytes.getShort())];
        bytes.get(header);
        assertThat(bytes.position() % 64).isZero();
        String text = new String(header, StandardCharsets.US_ASCII);
        assertThat(text)
                .startsWith("{'descr': '<u2', 'fortran_order': False, 'shape': (")
                .endsWith(" \n");
        int n = Integer.parseInt(
                text.replaceFirst(".*\\((\\d+), \\1\\).*\\s*", "$1").strip());
        int[][] matrix = new int[n][n];
        for (int[] row : matrix) {
            for (int to = 0; to < n; to++) {
                row[to] = Short.toUnsignedInt(bytes.getShort());
            }
        }
        assertThat(bytes.hasRemaining()).isFalse();
        return matrix;
    }

    private static List<String> leftovers(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(f -> String.valueOf(f.getFileName())).toList();
        }
    }
}
