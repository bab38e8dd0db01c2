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

/** Debian's own PMIx tools, unchanged, started as {@code kubectl exec} would beside the ranks of {@link SampleJob}. */
class ToolsTest {
    /** Only what a container's {@code env} may say: none of what ranks are told. */
    private static final String TOOL = """
            tool() {
                env -i PATH=$PATH HOME=/ PMIX_SYSTEM_TMPDIR=$PMIX_SYSTEM_TMPDIR timeout 20 "$@" 2>&1
                echo "code $?"
            }
            """;

    private static TrixieRoot root;
    private static String queries;

    @BeforeAll
    static void compile() {
        root = TrixieRoot.open();
        queries = root.compile("gcc", "pmix/src/test/c/queries.c", "-lpmix");
    }

    @AfterAll
    static void close() {
        if (root != null) {
            root.close();
        }
    }

    private static Result tools(String script) {
        return HostProgram.run(root, List.of("3", "1", "1", "bash", "-c", TOOL + script));
    }

    @Test
    void pqueryAndPpsFindTheServerAndAreAnswered() {
        Result result = tools("""
                tool pquery --system-server PMIX_FABRIC_VENDOR
                tool pquery PMIX_FABRIC_IDENTIFIER
                tool pquery --uri file:$(ls $PMIX_SYSTEM_TMPDIR/pmix.sys.*) PMIX_FABRIC_GROUPS
                tool pquery --system-server 'PMIX_FABRIC_PLANE[PMIX_FABRIC_DEVICE_INDEX=1]'
                tool pps
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("    NVIDIA", "    infiniband-0", "    0:job-0", "    plane-1")
                .contains("Active nspaces: " + HostProgram.NSPACE)
                .contains("host: last tool left")
                .filteredOn(line -> line.startsWith("code "))
                .hasSize(5)
                .containsOnly("code 0");
    }

    @Test
    void aToolRegistersTheFabricAndIsToldOfItAsARank() {
        Result result =
                tools("tool env AS_TOOL=1 " + queries + " register update deregister pmix.qry.ns pmix.fab.nverts");
        assertThat(result.lines())
                .as(result.text())
                .contains("register: PMIX_SUCCESS 11 values", "update: PMIX_SUCCESS 11 values")
                .contains("deregister: PMIX_SUCCESS")
                .contains("pmix.qry.ns: PMIX_SUCCESS PMIX_STRING " + HostProgram.NSPACE)
                .contains("pmix.fab.nverts: PMIX_SUCCESS PMIX_SIZE 6")
                .contains("code 0");
    }

    @Test
    void aToolHasNoCredentialOfTheJob() {
        Result result = tools("tool env AS_TOOL=1 " + queries + " credential");
        assertThat(result.lines())
                .as(result.text())
                .contains("credential: PMIX_ERR_NO_PERMISSIONS ", "guessed: PMIX_ERR_NO_PERMISSIONS")
                .contains("code 0");
    }

    @Test
    void aToolOfAnotherUserIsRefusedAndTheServerServesOthersAsBefore() {
        Result result = tools("""
                chmod 755 $PMIX_SYSTEM_TMPDIR
                tool setpriv --reuid 65534 --regid 65534 --clear-groups pquery --system-server PMIX_FABRIC_VENDOR
                tool pquery --system-server PMIX_FABRIC_IDENTIFIER
                """);
        assertThat(result.lines())
                .as(result.text())
                .contains("host: a tool of user 65534, who has no rank in this pod now")
                .doesNotContain("    NVIDIA")
                .contains("    infiniband-0");
    }

    /** What the library keeps of each is forgotten, and the names of those that were here are free again. */
    @Test
    void manyToolsOneAfterAnotherAreServed() {
        Result result = tools("for i in $(seq 40); do tool pps; done");
        assertThat(result.lines())
                .as(result.text())
                .filteredOn(("Active nspaces: " + HostProgram.NSPACE)::equals)
                .hasSize(40);
    }
}
