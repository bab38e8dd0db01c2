/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.cli.cluster.PmixAnswer.Info;
import dev.fabricoperator.cli.cluster.PmixAnswer.Printed;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts are what Debian's pquery of OpenPMIx 5.0.7 prints of the sample job of the tests of pmix. */
class PmixAnswerTest {
    private static PmixAnswer answer(String out, String err) {
        return PmixAnswer.of("KEY", new Printed(out, err, 0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PMIX_FABRIC_VENDOR: \\n    NVIDIA\\n|NVIDIA",
                "PMIX_FABRIC_GROUPS: \\n    0:job-0\\n    job-1;1:job-2\\n|0:job-0,job-1;1:job-2",
                "PMIX_FABRIC_SHAPE_STRING: \\n|''"
            })
    void partsOfAStringAreJoinedAgain(String out, String value) {
        assertThat(answer(out.replace("\\n", "\n"), "")).isEqualTo(new PmixAnswer("KEY", "PMIX_STRING", value, null));
    }

    @Test
    void numbersAndArraysOfThemAreRead() {
        assertThat(answer("PMIX_FABRIC_NUM_DEVICES: \n", "   PMIX_VALUE:  Data type: PMIX_SIZE\tValue: 6\n"))
                .isEqualTo(new PmixAnswer("KEY", "PMIX_SIZE", 6L, null));
        assertThat(answer("PMIX_QUERY_JOB_STATUS: \n", "   PMIX_VALUE:  Data type: PMIX_STATUS\tValue: PMIX_SUCCESS\n"))
                .isEqualTo(new PmixAnswer("KEY", "PMIX_STATUS", "PMIX_SUCCESS", null));
        assertThat(answer("PMIX_FABRIC_PLANE: \n", """
                   PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_STRING\tSize: 2
                  Data type: PMIX_STRING\tValue: plane-0
                  Data type: PMIX_STRING\tValue: plane-1
                """))
                .isEqualTo(new PmixAnswer("KEY", "PMIX_STRING", List.of("plane-0", "plane-1"), null));
        assertThat(answer("PMIX_FABRIC_SWITCH: \n", """
                   PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_STRING\tSize: 0
                 NULL
                """))
                .isEqualTo(new PmixAnswer("KEY", "PMIX_STRING", List.of(), null));
    }

    @Test
    void arraysWithinArraysAreRead() {
        PmixAnswer shape = answer("PMIX_FABRIC_SHAPE: \n", """
                   PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_INFO\tSize: 2
                  KEY: PMIX_FABRIC_SHAPE
                 \t Data type: PMIX_INFO_DIRECTIVES\tValue: OPTIONAL
                 \t PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_INFO\tSize: 2
                  KEY: PMIX_FABRIC_PLANE
                 \t Data type: PMIX_INFO_DIRECTIVES\tValue: OPTIONAL
                 \t PMIX_VALUE:  Data type: PMIX_STRING\tValue: plane-0
                  KEY: PMIX_FABRIC_SHAPE
                 \t Data type: PMIX_INFO_DIRECTIVES\tValue: OPTIONAL
                 \t PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_UINT32\tSize: 2
                  Data type: PMIX_UINT32\tValue: 2
                  Data type: PMIX_UINT32\tValue: 3
                  KEY: PMIX_DEVICE_TYPE
                 \t Data type: PMIX_INFO_DIRECTIVES\tValue: OPTIONAL
                 \t PMIX_VALUE:  Data type: PMIX_DEVICE_TYPE\tValue: 0x7fd27400d968
                """);
        assertThat(shape.type()).isEqualTo("PMIX_INFO");
        assertThat(shape.value())
                .isEqualTo(List.of(
                        new Info(
                                "PMIX_FABRIC_SHAPE",
                                "PMIX_INFO",
                                List.of(
                                        new Info("PMIX_FABRIC_PLANE", "PMIX_STRING", "plane-0"),
                                        new Info("PMIX_FABRIC_SHAPE", "PMIX_UINT32", List.of(2L, 3L)))),
                        new Info("PMIX_DEVICE_TYPE", "PMIX_DEVICE_TYPE", null)));
    }

    @Test
    void geometriesAndProcessesStayTheLineThatThePrinterMakesOfThem() {
        PmixAnswer coordinates = answer("PMIX_FABRIC_COORDINATES: \n", """
                   PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_GEOMETRY\tSize: 2
                  Data type: PMIX_GEOMETRY\tValue: Fabric: 3 UUID: fab://506b:4b03:0000:0002::506b:4b03:0000:0002 OSName: mlx5_0
                 Data type: PMIX_COORD\tView: LOGICAL\tDims: 2
                  Data type: PMIX_GEOMETRY\tValue: Fabric: 3 UUID: fab://506b:4b03:0001:0002::506b:4b03:0001:0002 OSName: mlx5_1
                 Data type: PMIX_COORD\tView: LOGICAL\tDims: 2
                """);
        assertThat(coordinates.value())
                .isEqualTo(
                        List.of(
                                "Fabric: 3 UUID: fab://506b:4b03:0000:0002::506b:4b03:0000:0002 OSName: mlx5_0 View: LOGICAL Dims: 2",
                                "Fabric: 3 UUID: fab://506b:4b03:0001:0002::506b:4b03:0001:0002 OSName: mlx5_1 View: LOGICAL Dims: 2"));
        PmixAnswer processes = answer("PMIX_QUERY_LOCAL_PROC_TABLE: \n", """
                   PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_PROC_INFO\tSize: 1
                  Data type: PMIX_PROC_INFO\tValue:
                \tPROC: default.sample-0123abcd-0:1
                \tHostname: job-1\tExecutable: NULL
                \tPid: 32255\tExit code: 0\tState: UNDEFINED
                """);
        assertThat(processes.type()).isEqualTo("PMIX_PROC_INFO");
        assertThat(processes.value())
                .isEqualTo(List.of("PROC: default.sample-0123abcd-0:1 Hostname: job-1 Executable: NULL Pid: 32255"
                        + " Exit code: 0 State: UNDEFINED"));
    }

    @Test
    void whatIsOfAnotherFormIsGivenAsItWasPrinted() {
        List<String> lines = List.of(
                "PMIX_X: ",
                "   PMIX_VALUE:  Data type: PMIX_DATA_ARRAY\tType: PMIX_STRING\tSize: 1",
                "  Data type: PMIX_STRING\tValue: a",
                "b");
        assertThat(answer(lines.getFirst() + "\n", String.join("\n", lines.subList(1, 4))))
                .isEqualTo(new PmixAnswer("KEY", null, lines, null));
        assertThat(answer("PMIX_X: \n    a\nb\n", "").value()).isEqualTo(List.of("PMIX_X: ", "    a", "b"));
        assertThat(answer("PMIX_X: \n", "   PMIX_VALUE:  Data type: PMIX_SIZE\tValue: many\n")
                        .type())
                .isNull();
    }

    @Test
    void aKeyThatIsRefusedHasThatForItsAnswerAndTheToolsWarningsAreNone() {
        Printed refused = new Printed("", "PMIx_Query_info returned: PMIX_ERR_NOT_SUPPORTED\n", 209);
        assertThat(PmixAnswer.of("KEY", refused))
                .isEqualTo(new PmixAnswer("KEY", null, null, "PMIX_ERR_NOT_SUPPORTED"));
        assertThat(PmixAnswer.of("KEY", new Printed("", "", 1)).error()).isEqualTo("pquery ended with code 1");
        assertThat(PmixAnswer.of("KEY", new Printed("", "Failed to lookup X\n", 1))
                        .error())
                .isEqualTo("pquery ended with code 1: Failed to lookup X");
        Printed warned = new Printed(
                "PMIX_FABRIC_INDEX: \n", "hwloc: odd\n\n   PMIX_VALUE:  Data type: PMIX_SIZE\tValue: 3\n", 0);
        assertThat(PmixAnswer.of("KEY", warned).value()).isEqualTo(3L);
        assertThat(warned.warnings()).containsExactly("hwloc: odd");
    }
}
