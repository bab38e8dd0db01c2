/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceKindTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # a site\\n\\nSwitchName=s1 Nodes=n1          | slurm
            switchname = s1 Nodes=n1                   | slurm
            BlockName=b1 Nodes=n1                      | slurm
            ---\\n- topology: t\\n  tree:\\n              | slurm
            - cluster_default: true\\n  topology: t     | slurm
            [{"topology": "t", "flat": true}]          | slurm
            # x\\nfrom,fromPort,to,toPort\\na,1,b,1     | cables
            "To","From"\\r\\na,b                         | cables
            vendid=0x2c9\\ndevid=0xd2f0                | ibnetdiscover
            # from a to b\\nSwitch 36 "S-1"             | ibnetdiscover
            ''                                         | ibnetdiscover
            apiVersion: v1\\nkind: List                 | fabricswitches
            {"items": []}                              | fabricswitches
            Unicast lids [0x0-0x8c] of switch          | lfts
            # x\\ndump_ucast_routes: Switch 0x1         | lfts
            osm_ucast_mgr_dump_ucast_routes: Switch 0x1 | lfts
            """)
    void isToldByTheBeginning(String beginning, SourceKind kind) {
        assertThat(SourceKind.of(beginning.replace("\\n", "\n").replace("\\r", "\r")))
                .isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({"SwitchName=a Nodes=b,slurm", "from,cables"})
    void isToldBehindAByteOrderMark(String first, SourceKind kind) {
        assertThat(SourceKind.of("\uFEFF" + (kind == SourceKind.cables ? "from,to" : first)))
                .isEqualTo(kind);
    }
}
