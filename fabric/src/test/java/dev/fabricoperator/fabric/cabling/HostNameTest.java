/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNameTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a08-p1-dgx-04-c01 mlx5_5|a08-p1-dgx-04-c01|mlx5_5",
                "r-dcs96 HCA-2|r-dcs96|HCA-2",
                "selene-cache-1 mlx5_0 |selene-cache-1|mlx5_0",
                "node042.cluster.example.org mlx4_0|node042.cluster.example.org|mlx4_0",
                "quartz386 hfi1_0|quartz386|hfi1_0",
                "node1 mlx5_bond_0|node1|mlx5_bond_0",
                "node1 ibp12s0f1|node1|ibp12s0f1",
                "ubuntu mlx5_0|ubuntu|mlx5_0",
                "node1 mlx5_0 port 2|node1|mlx5_0",
                "atlas||",
                "ib01 mlx5_0|ib01|mlx5_0",
                "IB7 HCA-1|IB7|HCA-1",
                "mt0012 mlx5_0|mt0012|mlx5_0",
                "MT4129 mlx5_3|MT4129|mlx5_3",
                "42 mlx5_0|42|mlx5_0",
                "0017 HCA-2|0017|HCA-2",
                "tray01 ibP2p3s0|tray01|ibP2p3s0",
                "n1 ibP2p3s0f1v2|n1|ibP2p3s0f1v2",
                "n1 ibxb8e9240300a20000|n1|ibxb8e9240300a20000",
                "n1 rocep193s0f0S88|n1|rocep193s0f0S88",
                "n1 ibo1|n1|ibo1",
                "n1 ibs5f1|n1|ibs5f1",
                "n1 opap1s0|n1|opap1s0",
                "n1 rdmaP10000p1s0|n1|rdmaP10000p1s0",
                "sun mlx5_0|sun|mlx5_0",
                "dell01 mlx5_0|dell01|mlx5_0",
                "intel ibp3s0|intel|ibp3s0",
                "hca01 HCA-1|hca01|HCA-1",
                "infiniband7 mlx5_0|infiniband7|mlx5_0",
                "GPU_NODE-7 HCA-2|GPU_NODE-7|HCA-2",
                "n1 mlx5_0 (rail 0)|n1|mlx5_0",
                "n1 (mlx5_0)|n1|mlx5_0",
                "n1 mlx5_0/1|n1|mlx5_0",
                "gpu-a:mlx5_0|gpu-a|mlx5_0",
                "gpu-a: mlx5_0|gpu-a|mlx5_0",
                "gpu-a/ibP2p3s0 port 1|gpu-a|ibP2p3s0",
                "gpu-a-mlx5_0|gpu-a|mlx5_0",
                "gpu_a_mlx5_bond_0|gpu_a|mlx5_bond_0",
                "rack2:node7 mlx5_0|rack2:node7|mlx5_0",
                "mlx5_0 node17|node17|mlx5_0",
                "mlx5_0@node17|node17|mlx5_0",
                "HCA-1 node17|node17|HCA-1",
                "login-ib0||",
                "1015 HCA-1|1015|HCA-1",
                "node7 NIC0|node7|NIC0",
                "gpu-a12.example.org Rail-3|gpu-a12.example.org|Rail-3",
                "H_32000 HCA-1 (Mellanox HCA)|H_32000|HCA-1",
                "SAT01 ibp3s0|SAT01|ibp3s0",
                "10.0.0.5 mlx5_0|10.0.0.5|mlx5_0",
                "vm-0 mlx5_ib0|vm-0|mlx5_ib0",
                "rack2:node7:mlx5_0|rack2:node7|mlx5_0",
                "cisco ibP2p3s0f1|cisco|ibP2p3s0f1",
                "nvidia-gb200-tray3 roceP2p3s0|nvidia-gb200-tray3|roceP2p3s0",
                "mellanox01 HCA-2|mellanox01|HCA-2",
                "plato7  MT4119 ConnectX5   Mellanox Technologies|plato7|",
                "gpu-a12.example.org MT4129|gpu-a12.example.org|",
                "plato7 ConnectX-6|plato7|",
                "node-with-a-name-that-is-as-long-as-a-description.example.org mlx|node-with-a-name-that-is-as-long-as-a-description.example.org|",
            })
    void namesHostAndDevice(String description, String host, String osName) {
        assertThat(HostName.of(description)).isEqualTo(new HostName(host == null ? description : host, osName));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "   ",
                "MT4129 ConnectX7   Mellanox Technologies",
                "MT25408 ConnectX Mellanox Technologies",
                "MT4123",
                "localhost HCA-3",
                "localhost.localdomain mlx5_0",
                "(none) HCA-1",
                "Mellanox Technologies Aggregation Node",
                "Voltaire HCA410Ex-D",
                "QLogic Infiniband HCA",
                "Infiniscale-IV Mellanox Technologies",
                "ConnectX-6 HCA-1",
                "mlx5_0",
                "HCA-1",
                "HP 4X QDR",
                "42",
                "ib01",
                "mt0012",
                "MT4129 connectx7 Mellanox Technologies",
                "localhost mlx5_0",
                "\"; rm -rf / mlx5_0",
                "../../etc mlx5_0",
                "localhost:mlx5_0",
                "mlx5_0 rail0",
                "mlx5_0 port 1",
                "mlx5_0 mlx5_1",
                "rocep193s0f0",
                "Compute Node 7, port A",
                "rail 0 of 9",
                "Lenovo MT4119 ConnectX5   Mellanox Technologies",
                "MT4119 MT4119 ConnectX5",
                "BlueField-3 MT41692",
                "ConnectX-7 MT4129",
                "2-port ConnectX-6",
                "rail3 MT4129",
                "hca2 MT4129",
                "ib0 MT4129",
                "localhost MT4129",
                "rail3 NIC0",
                "node7 Port A",
                "BlueField-3 NIC1",
                "ConnectX-7 NIC0",
                "Chassis 7 NIC0",
            })
    void whatNamesNoHostBecomesNone(String description) {
        assertThat(HostName.of(description)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MT4129 ConnectX7   Mellanox Technologies",
                "localhost HCA-3",
                "localhost:mlx5_0",
                "(none) HCA-1",
                "Voltaire HCA410Ex-D",
                "HP 4X QDR",
            })
    void aProductAndAHostWithoutANameAreUnderstood(String description) {
        assertThat(HostName.isNameless(description)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Compute Node 7, port A", "rail 0 of 9", "mlx5_0", "rocep193s0f0", "42"})
    void whatIsNeitherIsNot(String description) {
        assertThat(HostName.isNameless(description)).isFalse();
    }

    @Test
    void aDescriptionThatIsLongerThanNamesCanBeNamesNoHost() {
        assertThat(HostName.of("n".repeat(253) + " mlx5_0")).isNotNull();
        assertThat(HostName.of("a:".repeat(4_000) + "mlx5_0")).isNull();
    }
}
