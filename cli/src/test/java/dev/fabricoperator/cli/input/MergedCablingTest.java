/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.formats.TopologyFormat;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergedCablingTest {
    private static final String HEADER = "from,fromPort,to,toPort,speedBitsPerSecond\n";

    @Test
    void ofFilesOfOneKindTheFirstHasTheFirstWordAndTheContradictionNamesBoth() throws IOException, BadInputException {
        Cabling monday = cables("leaf1,1,n1/mlx5_0,1,\nleaf1,9,spine1,1,\n");
        Cabling tuesday = cables("leaf1,1,n2/mlx5_0,1,\nleaf1,2,n3/mlx5_0,1,\nleaf1,9,spine1,1,\n");

        Cabling merged = MergedCabling.of(List.of("monday.csv", "tuesday.csv"), List.of(monday, tuesday));

        assertThat(peers(merged, "leaf1")).containsExactly("n1/mlx5_0", "n3/mlx5_0", "spine1");
        assertThat(merged.problems())
                .extracting(Problem::message)
                .singleElement()
                .asString()
                .contains("port 1 of leaf1", "monday.csv", "n1/mlx5_0", "tuesday.csv", "n2/mlx5_0");
    }

    @Test
    void aDumpGoesBeforeATableOfCablesInWhateverOrderTheyAreNamed() throws IOException, BadInputException {
        Cabling table = cables("leaf1,1,n2/mlx5_0,1,\n");
        Cabling dump = new Cabling(
                TopologyFormat.ibnetdiscover.name(),
                cables("leaf1,1,n1/mlx5_0,1,\n").switches(),
                List.of(),
                0,
                List.of());

        assertThat(peers(MergedCabling.of(List.of("a", "b"), List.of(table, dump)), "leaf1"))
                .isEqualTo(peers(MergedCabling.of(List.of("a", "b"), List.of(dump, table)), "leaf1"))
                .containsExactly("n1/mlx5_0");
    }

    private static Cabling cables(String lines) throws IOException, BadInputException {
        return TopologyFormat.cables.read("cables.csv", new StringReader(HEADER + lines));
    }

    private static List<String> peers(Cabling cabling, String switchId) {
        Switch found = cabling.switches().stream()
                .filter(s -> s.id().equals(switchId))
                .findFirst()
                .orElseThrow();
        return found.ports().stream()
                .filter(port -> port.peer() != null)
                .map(port -> port.peer().id())
                .toList();
    }
}
