/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.TrixieRoot.Result;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Values of no nspace in the real libpmix, read by a client before and after some are taken back. */
class ResourcesTest {
    private static final String FIRST = " fab://506b:4b03:0000:0002::506b:4b03:0000:0002 mlx5_0";
    private static final String OTHERS =
            " fab://506b:4b03:0001:0002::506b:4b03:0001:0002 mlx5_1 ipv4://02:00:00:00:00:02 eth0";

    private static TrixieRoot root;
    private static String program;

    @BeforeAll
    static void compile() {
        root = TrixieRoot.open();
        program = root.compile("gcc", "pmix/src/test/c/resources.c", "-lpmix");
    }

    @AfterAll
    static void close() {
        if (root != null) {
            root.close();
        }
    }

    @Test
    void aClientReadsTheFabricAndTheDevicesOfItsNodeThatAreOfNoNspaceUntilTheyLeave() {
        Result result = HostProgram.java(root, ResourcesProgram.class, List.of(program));
        assertThat(result.exitCode()).as(result.text()).isZero();
        for (String step : List.of("whole", "whole-again", "one-device", "back")) {
            assertThat(result.lines())
                    .as(result.text())
                    .contains(step + " RM_NAME: fabric-operator", step + " SERVER_HOSTNAME: job-1")
                    .contains(step + " FABRIC_VENDOR: NVIDIA", step + " FABRIC_INDEX: 3")
                    .contains(step + " FABRIC_DEVICES:" + FIRST + (step.equals("one-device") ? "" : OTHERS))
                    .contains(step + " FABRIC_COORDINATES: mlx5_0 of fabric 3"
                            + (step.equals("one-device") ? "" : " mlx5_1 of fabric 3 eth0 of fabric 1"));
        }
        assertThat(result.lines())
                .as(result.text())
                .contains("none RM_NAME: fabric-operator", "none SERVER_HOSTNAME: job-1")
                .contains("none FABRIC_VENDOR: PMIX_ERR_NOT_FOUND")
                .contains("none FABRIC_INDEX: PMIX_ERR_NOT_FOUND")
                .contains("none FABRIC_DEVICES: PMIX_ERR_NOT_FOUND");
    }

    /** Why a change replaces whole values: this fails with a library that can do more. */
    @Test
    void theLibraryTakesBackWholeValuesByTheirKeysAndNoSingleDevice() {
        Result result = root.run(60, "env", "PMIX_MCA_gds=hash", "HOME=/", program);
        assertThat(result.exitCode()).as(result.text()).isZero();
        assertThat(result.lines())
                .as(result.text())
                .contains("registered RM_NAME: first", "registered FABRIC_DEVICES: fab://0 mlx5_0 fab://1 mlx5_1")
                .as("where both name a key, the nspace's own value does not hold")
                .contains("registered FABRIC_VENDOR: of no nspace")
                .as("of two values the one that does not hold is removed")
                .contains("twice-registered: PMIX_OPERATION_SUCCEEDED", "twice-registered RM_NAME: second")
                .contains("by-device-id: PMIX_OPERATION_SUCCEEDED")
                .contains("by-device-id FABRIC_DEVICES: fab://0 mlx5_0 fab://1 mlx5_1")
                .contains("by-node-and-name: PMIX_OPERATION_SUCCEEDED")
                .contains("by-node-and-name FABRIC_DEVICES: PMIX_ERR_NOT_FOUND")
                .as("of two nodes the later is known alone")
                .contains("two-nodes FABRIC_DEVICES: PMIX_ERR_NOT_FOUND");
    }
}
