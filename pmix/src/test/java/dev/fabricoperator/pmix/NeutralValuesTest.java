/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The values that {@code launch: env} gives to variables of communication libraries where a node has no devices for them: the libraries choose by themselves, as if
 * nothing were set. Debian's UCX, libfabric and Open MPI; Debian has no NCCL and no Gloo of PyTorch's.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NeutralValuesTest {
    private static final String MPIRUN = "env HOME=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
            + " OMPI_MCA_mpi_yield_when_idle=1 %s mpirun --map-by :oversubscribe -n 2 %s %s 2 2>&1";
    private static final String BY_UCX = "--mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any";

    private TrixieRoot root;

    @BeforeAll
    void open() {
        root = TrixieRoot.open();
    }

    @AfterAll
    void close() {
        if (root != null) {
            root.close();
        }
    }

    private String shell(String script) {
        return root.run(120, "bash", "-c", script).text();
    }

    @Test
    void ucxTakesAllDevicesForTheWordAll() {
        String proof = root.compile("mpicc", "e2e/programs/mpi-proof.c", "-lm");

        assertThat(shell(MPIRUN.formatted("UCX_NET_DEVICES=all", BY_UCX, proof)))
                .contains("proof: ring ok, collectives ok, 2 ranks")
                .doesNotContain("is not available");
        assertThat(shell(MPIRUN.formatted("UCX_NET_DEVICES=absent0:1 UCX_TLS=tcp,self", BY_UCX, proof)))
                .as("the variable is read")
                .contains("network device 'absent0:1' is not available");
    }

    @Test
    void libfabricOffersForTheWordAllWhatItOffersWithoutTheVariable() {
        String names = root.compile("gcc", "e2e/programs/fi-names.c", "-lfabric");
        String without = shell("env -u FI_EFA_IFACE " + names);

        assertThat(without.lines()).isNotEmpty();
        assertThat(shell("FI_EFA_IFACE=all " + names)).isEqualTo(without);
    }

    @Test
    void openMpiTakesTheEmptyListOfInterfacesForNone() {
        String asked =
                "ompi_info --param btl tcp --level 1 | grep -a 'parameter \"btl_tcp_if_include\"' | sed 's/data source: [a-z]*//'";

        String without = shell(asked);

        assertThat(without).contains("(current value: \"\"");
        assertThat(shell("export OMPI_MCA_btl_tcp_if_include=; " + asked)).isEqualTo(without);
        assertThat(shell("export OMPI_MCA_btl_tcp_if_include=eth7; " + asked)).contains("\"eth7\"");
    }
}
