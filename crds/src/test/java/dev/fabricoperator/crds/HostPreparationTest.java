/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPreparationTest {
    private static HostPreparation with(String name) {
        return new HostPreparation(List.of(), List.of(new NamedValue(name, "x")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HSA_TOOLS_LIB",
                "OMP_TOOL_LIBRARIES",
                "IBV_DRIVERS",
                "RDMAV_DRIVERS",
                "LUA_INIT",
                "LUA_INIT_5_4",
                "R_PROFILE_USER",
                "R_ENVIRON",
                "DOTNET_STARTUP_HOOKS",
                "GIT_SSH_COMMAND",
                "OMPI_MCA_mca_base_param_files",
                "PRTE_MCA_mca_base_override_param_file",
                "SSL_CERT_FILE",
                "HOSTALIASES"
            })
    void aNameByWhichALibraryLoadsWhatItIsToldIsRefused(String name) {
        assertThat(with(name).refusedEnv()).containsExactly(name);
        assertThat(with(name).acceptedEnv()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OMPI_MCA_btl",
                "OMPI_MCA_mca_base_component_show_load_errors",
                "OMP_NUM_THREADS",
                "HSA_NO_SCRATCH_RECLAIM",
                "FI_PROVIDER",
                "UCX_TLS",
                "RDMAV_FORK_SAFE"
            })
    void aVariableOfALibraryIsTaken(String name) {
        assertThat(with(name).refusedEnv()).isEmpty();
    }
}
