/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static dev.fabricoperator.cli.Program.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Small inputs that were shaped after public bug reports, as a person asks about them. */
class ReportedFilesIT {
    private static String file(String name) {
        return FIXTURES.resolve("reported").resolve(name).toString();
    }

    private static Program.Result ok(String... arguments) {
        Program.Result result = Program.run(arguments);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gb200-pcidomain-ibnetdiscover.txt | infiniband-0 | 6 | 1 | 6",
                "hostname-forms-ibnetdiscover.txt  | infiniband-0 | 6 | 1 | 6",
                "back-to-back-ibnetdiscover.txt    | infiniband-0 | 2 | 0 | 1",
                "node17.txt                        | ethernet-0   | 2 | 1 | 2",
                "sonic-pair-alias.json             | ethernet-0   | 1 | 2 | 3",
                "quoted-topology.conf              | infiniband-0 | 4 | 3 | 6",
                "scontrol-show-topology.conf       | infiniband-0 | 8 | 3 | 10",
            })
    void eachIsOneFabricOfItsDevicesSwitchesAndLinks(String name, String fabric, int devices, int switches, int links) {
        String table = ok("topology", file(name)).out();
        assertThat(table.lines().skip(1).findFirst().orElse("").split(" +"))
                .startsWith(fabric)
                .containsSubsequence(String.valueOf(devices), String.valueOf(switches), String.valueOf(links));
        assertThat(table.lines().takeWhile(line -> !line.isBlank())).hasSize(2);
        assertThat(ok("check", file(name)).out()).endsWith(": no findings\n");
    }

    @Test
    void aDeviceGoesByItsHostAndTheNameThatRdmaCoreGaveIt() {
        String trays = file("gb200-pcidomain-ibnetdiscover.txt");
        assertThat(ok("peers", "tray01/ibP2p3s0", trays).out()).contains("tray01-ibp18p3s0-1", "tray02-ibp2p3s0-1");
        assertThat(ok("export", "slurm", trays).out()).endsWith(" Nodes=tray[01-02]\n");
        assertThat(ok("export", "slurm", file("hostname-forms-ibnetdiscover.txt"))
                        .out())
                .contains("GPU_NODE-7", "dell01", "gpu-a", "hca01", "n1", "sun")
                .doesNotContain("H-");
    }

    @Test
    void aPathBetweenDevicesBackToBackHasTheSpeedOfTheirCable() {
        assertThat(ok("path", "duo1/mlx5_0", "duo2/mlx5_0", file("back-to-back-ibnetdiscover.txt"))
                        .out())
                .containsPattern("duo2-mlx5-0-1 +20 +0 +1 +100 ");
    }

    @Test
    void planesThatNothingJoinsAreOneFabric() {
        String cards = file("rail-plane-cards-ibnetdiscover.txt.gz");
        Program.Result outcome = ok("topology", cards);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).containsPattern("infiniband-0 +RailOptimized +256 +40 +384 +4x4x8 *\n");
        assertThat(ok("check", cards).err()).isEmpty();
    }
}
