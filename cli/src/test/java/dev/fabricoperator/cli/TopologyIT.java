/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.DUMPS;
import static dev.fabricoperator.cli.Program.FIXTURES;
import static dev.fabricoperator.cli.Program.JSON;
import static dev.fabricoperator.cli.Program.SMALL;
import static dev.fabricoperator.cli.Program.dump;
import static dev.fabricoperator.cli.Program.dumpFile;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class TopologyIT {
    private static final Map<String, JsonNode> PRINTED = new HashMap<>();

    static Stream<String> dumps() {
        return DUMPS.stream();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void countsOfEveryDumpAreItsTruth(String directory) throws IOException {
        JsonNode truth = JSON.readTree(
                        FIXTURES.resolve(directory).resolve("summary.json").toFile())
                .path("counts");

        JsonNode list = topology(directory);

        assertThat(list.path("apiVersion").asText()).isEqualTo("v1");
        assertThat(list.path("kind").asText()).isEqualTo("List");
        List<JsonNode> fabrics = ofKind(list, "Fabric");
        assertThat(fabrics).hasSize(1);
        JsonNode status = fabrics.getFirst().path("status");
        assertThat(status.path("switches").asInt())
                .isEqualTo(truth.path("switches").asInt());
        assertThat(status.path("links").asInt())
                .isEqualTo(truth.path("links").asInt()
                        - truth.path("aggregation_links").asInt());
        // A host link is a cabled adapter port, and that is a device; an adapter may have two.
        assertThat(status.path("devices").asInt())
                .isEqualTo(truth.path("host_links").asInt());
        assertThat(status.path("hosts").asInt())
                .isEqualTo(truth.path("named_hosts").asInt());
        assertThat(ofKind(list, "FabricSwitch")).hasSize(truth.path("switches").asInt());
        assertThat(ofKind(list, "FabricDevice"))
                .hasSize(truth.path("host_links").asInt());
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void everyObjectHasANameAndEveryDeviceItsPlace(String directory) {
        JsonNode list =
                Program.run("topology", dump(dumpFile(directory)), "-o", "json").json();

        Set<String> names = new HashSet<>();
        Set<JsonNode> coordinates = new HashSet<>();
        int slot = 0;
        for (JsonNode item : list.path("items")) {
            assertThat(item.path("apiVersion").asText()).isEqualTo("fabric-operator.dev/v1alpha1");
            String name = item.path("metadata").path("name").asText();
            assertThat(name).matches("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");
            assertThat(names.add(item.path("kind").asText() + "/" + name))
                    .as(name)
                    .isTrue();
            if (item.path("kind").asText().equals("FabricDevice")) {
                assertThat(item.path("spec").path("source").asText()).isEqualTo("ibnetdiscover");
                assertThat(item.path("spec").has("nodeName")).isFalse();
                assertThat(item.path("status").path("index").asInt()).isEqualTo(slot++);
                assertThat(item.path("status").path("coordinates")).hasSize(2);
                for (JsonNode coordinate : item.path("status").path("coordinates")) {
                    assertThat(coordinates.add(coordinate))
                            .as(coordinate.toString())
                            .isTrue();
                }
                assertThat(item.path("status").path("switch").asText()).matches("[0-9a-f]{16}");
            }
        }
    }

    @Test
    void yamlSaysTheSameAsJson() throws IOException {
        Program.Result json = Program.run("topology", dump(SMALL), "-o", "json");
        Program.Result yaml = Program.run("topology", dump(SMALL), "-o", "yaml");

        assertThat(new ObjectMapper(new YAMLFactory()).readTree(yaml.bytes()).toString())
                .isEqualTo(json.json().toString());
    }

    @Test
    void plainGzipXzAndStandardInputGiveTheSameWhateverTheName(@TempDir Path directory) throws IOException {
        byte[] text = Files.readAllBytes(SMALL);
        Path gzip = directory.resolve("packed.txt");
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (var out = new java.util.zip.GZIPOutputStream(packed)) {
            out.write(text);
        }
        Files.write(gzip, packed.toByteArray());
        Path xz = directory.resolve("with:colon and blank.gz");
        try (XZOutputStream out = new XZOutputStream(Files.newOutputStream(xz), new LZMA2Options())) {
            out.write(text);
        }
        String expected = Program.run("topology", dump(SMALL)).out();

        assertThat(Program.run("topology", dump(gzip)).out()).isEqualTo(expected);
        assertThat(Program.run("topology", dump(xz)).out()).isEqualTo(expected);
        assertThat(Program.with("topology", "ibnetdiscover:-").input(text).run().out())
                .isEqualTo(expected);
        assertThat(Program.with("topology", "ibnetdiscover:-")
                        .input(packed.toByteArray())
                        .run()
                        .out())
                .isEqualTo(expected);
    }

    @Test
    void ufmsLinksAreRecognisedAndAreTheFabricOfTheDump() {
        JsonNode links = Program.run(
                        "topology",
                        FIXTURES.resolve("ufm/derived.ufm-links.selene-storage.json.gz")
                                .toString(),
                        "-o",
                        "json")
                .json();
        JsonNode status = ofKind(links, "Fabric").getFirst().path("status");
        JsonNode dump = ofKind(topology("fabric/ib-hdr-selene-storage"), "Fabric")
                .getFirst()
                .path("status");

        assertThat(status.path("links").asInt()).isEqualTo(3286);
        for (String same : List.of("kind", "devices", "switches", "links", "hosts", "shapes")) {
            assertThat(status.path(same)).as(same).isEqualTo(dump.path(same));
        }
    }

    @Test
    void severalDumpsAreOneTopology() {
        Program.Result both =
                Program.run("topology", dump(SMALL), dump(dumpFile("sim/ft2-128")), dump(SMALL), "-o", "json");

        List<JsonNode> fabrics = ofKind(both.json(), "Fabric");
        assertThat(fabrics)
                .extracting(f -> f.path("status").path("devices").asInt())
                .containsExactly(128, 12);
        assertThat(fabrics)
                .extracting(f -> f.path("metadata").path("name").asText())
                .containsExactly("infiniband-0", "infiniband-1");
    }

    @Test
    void tableShowsFabricsThenSwitchesThenDevices() {
        Program.Result result = Program.run("topology", dump(SMALL));

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("""
                FABRIC         KIND      DEVICES   SWITCHES   LINKS   SHAPE
                infiniband-0   FatTree   12        2          15      2x10

                SWITCH             NAME          MODEL     FABRIC         LEVEL   GROUP   COORDINATES
                b8599f0300fc6de4   r-ufm-sw95    MQM8700   infiniband-0   1       1       1
                0002c903007b78b0   r-ufm-sw226   SX6036    infiniband-0   1       0       0

                FABRIC         PLANE   DEVICES   SWITCHES   SHAPE
                infiniband-0   0       12        2          2x10
                """);
    }

    @Test
    void aReaderThatHasSeenEnoughIsNoFailure() {
        String command = "'" + Program.FILE + "' topology '" + dump(dumpFile("fabric/ib-hdr-selene-storage"))
                + "' -o json | head -c 10; echo \"${PIPESTATUS[0]}\"";

        Program.Result result =
                Program.command(Path.of("/bin/bash"), "-c", command).run();

        assertThat(result.out()).isEqualTo("{\n  \"apiVe0\n");
        assertThat(result.err()).isEmpty();
    }

    @Test
    void aFullDiskIsAFailure() {
        String command = "'" + Program.FILE + "' topology '" + dump(SMALL) + "' > /dev/full";

        Program.Result result =
                Program.command(Path.of("/bin/bash"), "-c", command).run();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("error: standard output cannot be written: ")
                .hasLineCount(1);
    }

    @Test
    void oddLinesOfADumpAreWarnings() {
        byte[] text = ("ibwarn: [1] mad_rpc: _do_madrpc failed\n" + smallText()).getBytes(StandardCharsets.UTF_8);

        Program.Result result =
                Program.with("topology", "ibnetdiscover:-").input(text).run();

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).startsWith("warning: <stdin>:1: ").hasLineCount(1);
    }

    /** Printed once for all tests that look at it. */
    private static JsonNode topology(String directory) {
        return PRINTED.computeIfAbsent(directory, d -> {
            Program.Result result = Program.run("topology", dump(dumpFile(d)), "-o", "json");
            assertThat(result.exitCode()).as(result.err()).isZero();
            assertThat(result.err()).isEmpty();
            return result.json();
        });
    }

    private static String smallText() {
        try {
            return Files.readString(SMALL);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<JsonNode> ofKind(JsonNode list, String kind) {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode item : list.path("items")) {
            if (item.path("kind").asText().equals(kind)) {
                found.add(item);
            }
        }
        return found;
    }
}
