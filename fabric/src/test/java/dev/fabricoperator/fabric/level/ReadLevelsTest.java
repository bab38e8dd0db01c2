/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadLevelsTest {
    /** Service levels 0 to 3 with these lanes, all others with lane 0; lanes 0 and 1 have weights. */
    private static PortLanes lanes(Integer... first) {
        List<Integer> lanes = new ArrayList<>(Collections.nCopies(16, 0));
        for (int level = 0; level < first.length; level++) {
            lanes.set(level, first[level]);
        }
        List<Integer> high = new ArrayList<>(Collections.nCopies(15, 0));
        high.set(0, 4);
        List<Integer> low = new ArrayList<>(Collections.nCopies(15, 0));
        low.set(1, 8);
        return new PortLanes(lanes, high, low);
    }

    @Test
    void aLevelIsWhatItIsAtMostPorts() {
        ReadLevels levels =
                ReadLevels.of(Map.of("a port 1", lanes(0, 1), "b port 1", lanes(0, 1, 1), "c port 1", lanes(0, 0)));
        assertThat(levels.of(1)).isEqualTo(new LevelLane(1, 1, true, 0, 8));
        assertThat(levels.fault(1)).isNull();
        assertThat(levels.and(ReadLevels.of(Map.of("d port 1", lanes(0, 15)))).fault(1))
                .contains("d port 1");
    }

    @Test
    void aPortThatDropsPacketsOrNeverSendsThemIsNamed() {
        ReadLevels levels = ReadLevels.of(
                Map.of("a port 1", lanes(0, 1, 2), "b port 1", lanes(0, 15, 1), "c port 1", lanes(0, 15)));
        assertThat(levels.fault(0)).isNull();
        assertThat(levels.fault(1)).isEqualTo("packets of service level 1 are dropped (virtual lane 15) at b port 1");
        assertThat(levels.fault(2))
                .isEqualTo("virtual lane 2 of service level 2 has no weight, so that its packets never have their turn,"
                        + " at a port 1");
    }

    @Test
    void levelsOfOneLaneAtEachPortAreTold() {
        ReadLevels torus = ReadLevels.of(Map.of("a port 1", lanes(0, 1, 0), "a port 2", lanes(0, 0, 1)));
        assertThat(torus.areOneLane(1, 2)).as("as many ports of each lane").isFalse();
        ReadLevels levels = ReadLevels.of(Map.of("a port 1", lanes(0, 1, 1, 0)));
        assertThat(levels.areOneLane(1, 2)).isTrue();
        assertThat(levels.areOneLane(0, 1)).isFalse();
    }

    @Test
    void itsTextSaysTheSame() {
        ReadLevels levels = ReadLevels.of(Map.of("leaf 1 port 1", lanes(0, 1), "leaf 2 port 1", lanes(0, 15)));
        assertThat(ReadLevels.parse(levels.text())).isEqualTo(levels);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1 2 3",
                "1 0,1 - - a",
                "1 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,16 - - a",
                "1 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,99999999999 - - a",
                "1 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 1 - a",
                "1 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 - - ",
                "x"
            })
    void aTextThatIsNoneIsNone(String text) {
        assertThat(ReadLevels.parse(text)).isNull();
    }

    @Test
    void librariesAreToldOfServiceLevelsAndOfTrafficClasses() {
        assertThat(Channel.mpi.variables(2, 46))
                .containsExactly(
                        Map.entry("UCX_IB_SL", "2"),
                        Map.entry("FI_OPX_SL", "2"),
                        Map.entry("HFI_SL", "2"),
                        Map.entry("PSM3_NIC_SL", "2"),
                        Map.entry("OMPI_MCA_btl_openib_ib_service_level", "2"),
                        Map.entry("UCX_IB_TRAFFIC_CLASS", "184"));
        assertThat(Channel.nccl.variables(null, 46))
                .containsExactly(Map.entry("NCCL_IB_TC", "184"), Map.entry("NVSHMEM_IB_TRAFFIC_CLASS", "184"));
        assertThat(Channel.nccl.variables(null, null)).isEmpty();
    }
}
