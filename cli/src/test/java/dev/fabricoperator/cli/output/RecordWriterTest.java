/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.cli.input.CablingFiles;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.input.SourceKind;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The writer's measure is Jackson's databind, on everything that this program prints. */
class RecordWriterTest {
    private static final ObjectMapper DATABIND = new ObjectMapper();

    @Test
    void objectsOfADumpReadAsDatabindWritesThem() throws Exception {
        Path dump = Path.of(Objects.requireNonNull(System.getProperty("fixtures")))
                .resolve("sim/ft2-128/ibnetdiscover-after-fault.txt.gz");
        SourceArgument source = new SourceArgument(SourceKind.ibnetdiscover, dump.toString());
        assertThat(CablingFiles.read(source).switches()).hasSize(11);

        List<Resource> resources =
                new Resources(FabricSet.read(List.of(source))).all().toList();

        assertThat(resources).hasSize(1 + 11 + 127).allSatisfy(RecordWriterTest::isAsDatabindWritesIt);
    }

    @Test
    void sparseAndOddValuesReadAsDatabindWritesThem() {
        assertThat(List.of(
                        new Condition("Ready", ConditionStatus.Unknown, null, null, "Why", ""),
                        FabricSpecBuilder.builder().build(),
                        FabricDeviceSpecBuilder.builder()
                                .osName("\"quoted\" \u00fc \n \\ \u0001 \ud83d\ude00")
                                .hostname("")
                                .port(0)
                                .deviceId("x")
                                .type(DeviceType.Network)
                                .family(Family.iWARP)
                                .build(),
                        Map.of("key", List.of(1, 2L, true, "text"))))
                .allSatisfy(RecordWriterTest::isAsDatabindWritesIt);
    }

    private static void isAsDatabindWritesIt(Object value) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DocumentWriter.write(OutputFormat.json, value, out);
        String ours = DATABIND.readTree(out.toByteArray()).toString();
        assertThat(ours)
                .isEqualTo(DATABIND.readTree(DATABIND.writeValueAsBytes(value)).toString());
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("\n");
    }
}
