/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.pmix.TrixieRoot.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * PMIx_Query_info and PMIx_Fabric_register of a client of the real libpmix: status, type and shape of every answer, in the second of
 * three pods of {@link SampleJob}.
 */
class QueriesTest {
    private static final String OWN = "fab://506b:4b03:0000:0002::506b:4b03:0000:0002";
    private static final String OTHER = "fab://506b:4b03:0001:0001::506b:4b03:0001:0001";

    private static final String NETWORK = "ipv4://02:00:00:00:00:02";
    private static final String NETWORK_PLACE = "(1 " + NETWORK + " eth0 logical:1 physical:21)";
    private static final String NETWORK_DESCRIBED = "[pmix.dev.id=PMIX_STRING " + NETWORK
            + ", pmix.fabdev.nm=PMIX_STRING eth0, pmix.fabdev.vndr=PMIX_STRING unknown,"
            + " pmix.fabdev.btyp=PMIX_STRING unknown, pmix.dev.type=PMIX_DEVTYPE 4, pmix.fabdev.idx=PMIX_UINT32 1,"
            + " pmix.fab.idx=PMIX_SIZE 1, pmix.fab.coord=PMIX_GEOMETRY " + NETWORK_PLACE
            + ", pmix.fabdev.coord=PMIX_GEOMETRY " + NETWORK_PLACE
            + ", pmix.fab.plane=PMIX_STRING plane-0, pmix.fab.switch=PMIX_STRING bridge]";

    private static TrixieRoot root;
    private static String program;

    @BeforeAll
    static void compile() {
        root = TrixieRoot.open();
        program = root.compile("gcc", "pmix/src/test/c/queries.c", "-lpmix");
    }

    @AfterAll
    static void close() {
        if (root != null) {
            root.close();
        }
    }

    private static Result ask(List<String> questions) {
        List<String> command = new ArrayList<>(List.of("3", "2", "1", program));
        command.addAll(questions);
        Result result = HostProgram.run(root, command);
        assertThat(result.exitCode()).as(result.text()).isZero();
        return result;
    }

    /** The answer that every rank has printed, by its question. */
    private static void assertAnswers(Map<String, String> expected) {
        Result result = ask(List.copyOf(expected.keySet()));
        expected.forEach((question, answer) -> assertThat(result.lines())
                .as(result.text())
                .contains(question + ": " + answer)
                .filteredOn(line -> line.startsWith(question + ": "))
                .hasSize(2));
    }

    @Test
    void namespacesAndTablesOfProcesses() {
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("pmix.qry.ns", "PMIX_SUCCESS PMIX_STRING " + HostProgram.NSPACE);
        String namespace = "PMIX_SUCCESS ARRAY PMIX_INFO [pmix.qry.nsinfo=ARRAY PMIX_INFO [pmix.nspace=PMIX_STRING "
                + HostProgram.NSPACE + ", pmix.job.size=PMIX_UINT32 6, pmix.num.nodes=PMIX_UINT32 3,"
                + " pmix.job.napps=PMIX_UINT32 2]]";
        expected.put("pmix.qry.nsinfo", namespace);
        expected.put("pmix.qry.nsinfo nspace=own", namespace);
        expected.put("pmix.qry.nsinfo nspace=other", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.qry.jst nspace=own", "PMIX_SUCCESS PMIX_STATUS 0");
        expected.put("pmix.qry.jst", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.qry.ptable", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.qry.ptable nspace=other", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.qry.psetnum", "PMIX_SUCCESS PMIX_SIZE 2");
        expected.put("pmix.qry.psets", "PMIX_SUCCESS PMIX_STRING workers,reducer");
        expected.put("pmix.qry.pmems set=reducer", "PMIX_SUCCESS ARRAY PMIX_PROC [4, 5]");
        expected.put("pmix.qry.pmems set=others", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.qry.pmems", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.qry.mem nspace=own", "PMIX_ERR_NOT_SUPPORTED");
        expected.put("pmix.qry.ns required=test.unknown", "PMIX_ERR_NOT_SUPPORTED");
        assertAnswers(expected);
    }

    /** One rank, so that the other one's state is that of a process that has not connected. */
    @Test
    void aTableOfProcessesSaysWhatIsKnownOfThem() {
        Result result = HostProgram.run(
                root, List.of("3", "1", "1", program, "pmix.qry.ptable nspace=own", "pmix.qry.lptable nspace=own"));
        assertThat(result.lines())
                .as(result.text())
                .contains("pmix.qry.ptable nspace=own: PMIX_SUCCESS ARRAY PMIX_PROC_INFO [0 job-0 unknown elsewhere,"
                        + " 1 job-1 connected running, 2 job-2 unknown elsewhere]")
                .contains("pmix.qry.lptable nspace=own: PMIX_SUCCESS ARRAY PMIX_PROC_INFO [1 job-1 connected running]");
    }

    @Test
    void theFabricAsAWhole() {
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("pmix.fab.vndr", "PMIX_SUCCESS PMIX_STRING NVIDIA");
        expected.put("pmix.fab.id index=3", "PMIX_SUCCESS PMIX_STRING infiniband-0");
        expected.put("pmix.fab.idx identifier=infiniband-0", "PMIX_SUCCESS PMIX_SIZE 3");
        expected.put("pmix.fab.idx identifier=ethernet-1", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.id index=4", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.id vendor=HPE", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.nverts vendor=NVIDIA", "PMIX_SUCCESS PMIX_SIZE 6");
        expected.put("pmix.fab.nverts plane=plane-0", "PMIX_SUCCESS PMIX_SIZE 3");
        expected.put("pmix.fab.nverts switch=leaf-1-0", "PMIX_SUCCESS PMIX_SIZE 2");
        expected.put("pmix.fab.nverts host=job-2", "PMIX_SUCCESS PMIX_SIZE 2");
        expected.put("pmix.fab.grps index=3", "PMIX_SUCCESS PMIX_STRING 0:job-0,job-1;1:job-2");
        expected.put("pmix.fab.plane index=3", "PMIX_SUCCESS ARRAY PMIX_STRING [plane-0, plane-1]");
        expected.put(
                "pmix.fab.switch index=3", "PMIX_SUCCESS ARRAY PMIX_STRING [leaf-0-0, leaf-0-1, leaf-1-0, leaf-1-1]");
        expected.put("pmix.fab.switch plane=plane-1", "PMIX_SUCCESS ARRAY PMIX_STRING [leaf-1-0, leaf-1-1]");
        expected.put("pmix.fab.switch plane=plane-2", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.dims index=3", "PMIX_SUCCESS ARRAY PMIX_UINT32 [3, 3]");
        expected.put("pmix.fab.dims plane=plane-0", "PMIX_SUCCESS PMIX_UINT32 3");
        expected.put("pmix.fab.shape plane=plane-0", "PMIX_SUCCESS ARRAY PMIX_UINT32 [2, 2, 2]");
        expected.put("pmix.fab.shapestr plane=plane-1", "PMIX_SUCCESS PMIX_STRING 2x2x2");
        expected.put(
                "pmix.fab.shapestr index=3",
                "PMIX_SUCCESS ARRAY PMIX_INFO [pmix.fab.shapestr=ARRAY PMIX_INFO [pmix.fab.plane=PMIX_STRING plane-0,"
                        + " pmix.fab.shapestr=PMIX_STRING 2x2x2], pmix.fab.shapestr=ARRAY PMIX_INFO"
                        + " [pmix.fab.plane=PMIX_STRING plane-1, pmix.fab.shapestr=PMIX_STRING 2x2x2]]");
        assertAnswers(expected);
    }

    @Test
    void aJobOnTwoFabricsAsksOfEitherAndWithoutAQualifierOfTheDefaultOne() {
        String own = NETWORK;
        String geometry = "PMIX_GEOMETRY " + NETWORK_PLACE;
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("pmix.fab.id", "PMIX_SUCCESS PMIX_STRING infiniband-0");
        expected.put("pmix.fab.id index=1", "PMIX_SUCCESS PMIX_STRING ethernet-0");
        expected.put("pmix.fab.idx identifier=ethernet-0", "PMIX_SUCCESS PMIX_SIZE 1");
        expected.put("pmix.fab.id vendor=Intel", "PMIX_SUCCESS PMIX_STRING ethernet-0");
        expected.put("pmix.fab.id vendor=Intel index=3", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.nverts index=1", "PMIX_SUCCESS PMIX_SIZE 3");
        expected.put("pmix.fab.nverts switch=bridge", "PMIX_SUCCESS PMIX_SIZE 3");
        expected.put("pmix.fab.cm index=1", "PMIX_SUCCESS ARRAY PMIX_UINT16 [0, 900, 900, 900, 0, 900, 900, 900, 0]");
        expected.put("pmix.fab.switch index=1", "PMIX_SUCCESS ARRAY PMIX_STRING [bridge]");
        expected.put("pmix.fab.switch index=1 plane=plane-0", "PMIX_SUCCESS ARRAY PMIX_STRING [bridge]");
        expected.put("pmix.fab.switch plane=plane-0", "PMIX_SUCCESS ARRAY PMIX_STRING [leaf-0-0, leaf-0-1]");
        expected.put("pmix.fab.dims index=1 plane=plane-0", "PMIX_SUCCESS PMIX_UINT32 1");
        expected.put("pmix.fab.dims index=1 plane=plane-1", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.dev.id index=1 vertex=1", "PMIX_SUCCESS PMIX_STRING " + own);
        expected.put("pmix.dev.id index=1 vertex=3", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.dev.id index=3 device=" + own, "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.coord index=1", "PMIX_SUCCESS ARRAY PMIX_GEOMETRY [" + NETWORK_PLACE + "]");
        expected.put("pmix.fab.coord device=eth0", "PMIX_SUCCESS " + geometry);
        expected.put("pmix.fabdev.idx device=eth0", "PMIX_SUCCESS PMIX_UINT32 1");
        expected.put(
                "pmix.fab.devs index=1",
                "PMIX_SUCCESS ARRAY PMIX_INFO [pmix.fabdev=ARRAY PMIX_INFO " + NETWORK_DESCRIBED + "]");
        assertAnswers(expected);
    }

    @Test
    void devicesByIdByNameAndByIndex() {
        String own = OWN;
        String described = "[pmix.dev.id=PMIX_STRING " + own + ", pmix.hname=PMIX_STRING host-1,"
                + " pmix.fabdev.nm=PMIX_STRING mlx5_0, pmix.fabdev.vndr=PMIX_STRING Mellanox,"
                + " pmix.fabdev.mtu=PMIX_SIZE 4092, pmix.fabdev.speed=PMIX_SIZE 400000000000,"
                + " pmix.fabdev.state=PMIX_LINK_STATE 2, pmix.dev.type=PMIX_DEVTYPE 8,"
                + " pmix.fabdev.btyp=PMIX_STRING unknown, pmix.fabdev.idx=PMIX_UINT32 2, pmix.fab.coord=PMIX_GEOMETRY (3 "
                + own
                + " mlx5_0 logical:0:0:1 physical:0:0:11), pmix.fabdev.coord=PMIX_GEOMETRY (3 " + own
                + " mlx5_0 logical:0:0:1 physical:0:0:11), pmix.fab.plane=PMIX_STRING plane-0,"
                + " pmix.fab.switch=PMIX_STRING leaf-0-0]";
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("pmix.fabdev device=" + own, "PMIX_SUCCESS ARRAY PMIX_INFO " + described);
        expected.put("pmix.fabdev device=mlx5_0", "PMIX_SUCCESS ARRAY PMIX_INFO " + described);
        expected.put("pmix.fabdev vertex=2", "PMIX_SUCCESS ARRAY PMIX_INFO " + described);
        expected.put("pmix.fabdev name=mlx5_0", "PMIX_SUCCESS ARRAY PMIX_INFO " + described);
        expected.put("nb pmix.fabdev name=mlx5_0 host=job-1", "PMIX_SUCCESS ARRAY PMIX_INFO " + described);
        expected.put("pmix.dev.id name=mlx5_1 host=job-0", "PMIX_SUCCESS PMIX_STRING " + OTHER);
        expected.put("pmix.dev.id name=mlx5_1 node=0 device=" + OTHER, "PMIX_SUCCESS PMIX_STRING " + OTHER);
        expected.put("pmix.dev.id name=mlx5_0 node=0 device=" + OTHER, "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.dev.id name=" + OTHER, "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fabdev device=mlx5_7", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fabdev vertex=6", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.fabdev", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.fabdev.idx device=" + OTHER, "PMIX_SUCCESS PMIX_UINT32 1");
        expected.put("pmix.dev.id vertex=1", "PMIX_SUCCESS PMIX_STRING " + OTHER);
        expected.put("pmix.dev.id vertex=6", "PMIX_ERR_BAD_PARAM");
        expected.put("pmix.dev.id device=mlx5_1 host=job-0", "PMIX_SUCCESS PMIX_STRING " + OTHER);
        expected.put("pmix.fabdev.mtu device=" + OTHER, "PMIX_SUCCESS PMIX_SIZE 4092");
        expected.put("pmix.fabdev.fmwr device=" + OTHER, "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.plane device=" + OTHER, "PMIX_SUCCESS PMIX_STRING plane-1");
        expected.put("pmix.fab.switch device=" + OTHER, "PMIX_SUCCESS PMIX_STRING leaf-1-0");
        expected.put("pmix.fab.switch vertex=9", "PMIX_ERR_BAD_PARAM");
        expected.put(
                "pmix.fab.coord device=" + OTHER,
                "PMIX_SUCCESS PMIX_GEOMETRY (3 " + OTHER + " mlx5_1 logical:1:0:0 physical:1:0:10)");
        expected.put(
                "pmix.fabdev.coord vertex=1",
                "PMIX_SUCCESS PMIX_GEOMETRY (3 " + OTHER + " mlx5_1 logical:1:0:0 physical:1:0:10)");
        expected.put("pmix.fab.coord host=job-9", "PMIX_ERR_NOT_FOUND");
        expected.put(
                "pmix.fab.coord host=job-0 plane=plane-1",
                "PMIX_SUCCESS ARRAY PMIX_GEOMETRY [(3 " + OTHER + " mlx5_1 logical:1:0:0 physical:1:0:10)]");
        expected.put(
                "pmix.fab.devs switch=leaf-0-0",
                "PMIX_SUCCESS ARRAY PMIX_INFO [pmix.fabdev=ARRAY PMIX_INFO " + described + "]");
        expected.put("pmix.fab.devs node=7", "PMIX_ERR_NOT_FOUND");
        assertAnswers(expected);
    }

    @Test
    void devicesOfATypeAndHowFarTheyAre() {
        String network = NETWORK;
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put(
                "pmix.fab.devs type=4",
                "PMIX_SUCCESS ARRAY PMIX_INFO [pmix.fabdev=ARRAY PMIX_INFO " + NETWORK_DESCRIBED + "]");
        expected.put("pmix.fab.devs type=2", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.fab.nverts type=8", "PMIX_SUCCESS PMIX_SIZE 6");
        expected.put("pmix.fab.nverts type=8 host=job-0", "PMIX_SUCCESS PMIX_SIZE 2");
        expected.put("pmix.fab.nverts type=4", "PMIX_SUCCESS PMIX_SIZE 0");
        expected.put("pmix.dev.id name=eth0 type=8", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.dev.id name=eth0 type=12", "PMIX_SUCCESS PMIX_STRING " + network);
        expected.put(
                "pmix.dev.dist type=8 plane=plane-1",
                "PMIX_SUCCESS ARRAY PMIX_DEVICE_DIST [(fab://506b:4b03:0001:0002::506b:4b03:0001:0002 mlx5_1 8 21 21)]");
        expected.put(
                "pmix.dev.dist type=4", "PMIX_SUCCESS ARRAY PMIX_DEVICE_DIST [(" + network + " eth0 4 65535 65535)]");
        expected.put("pmix.dev.dist host=job-9", "PMIX_ERR_NOT_FOUND");
        assertAnswers(expected);
    }

    @Test
    void levelsOfServiceAndTheChannelsThatHaveOne() {
        String names = "PMIX_SUCCESS PMIX_STRING low-latency,bulk-data";
        String channels =
                "PMIX_SUCCESS ARRAY PMIX_INFO [pmix.alloc.net=ARRAY PMIX_INFO [pmix.alloc.netid=PMIX_STRING mpi,"
                        + " pmix.alloc.netqos=PMIX_STRING low-latency], pmix.alloc.net=ARRAY PMIX_INFO"
                        + " [pmix.alloc.netid=PMIX_STRING nccl, pmix.alloc.netqos=PMIX_STRING bulk-data]]";
        Map<String, String> expected = new LinkedHashMap<>();
        expected.put("pmix.alloc.netqos", names);
        expected.put("pmix.alloc.netqos plane=plane-1", names);
        expected.put("pmix.alloc.netqos index=3", names);
        expected.put("pmix.alloc.netqos plane=plane-9", "PMIX_ERR_NOT_FOUND");
        expected.put("pmix.alloc.net index=3", channels);
        expected.put("get pmix.alloc.net", channels);
        assertAnswers(expected);
    }

    /** Values that are of no realm, and coordinates where no node is named. */
    @Test
    void theFormsOfGetAndThoseThatCallBack() {
        Map<String, String> expected = new LinkedHashMap<>();
        for (String form : List.of("get ", "nb get ")) {
            expected.put(form + "pmix.fab.vndr", "PMIX_SUCCESS PMIX_STRING NVIDIA");
            expected.put(form + "pmix.fab.idx", "PMIX_SUCCESS PMIX_SIZE 3");
            // The chapter lets PMIx_Get pass over the process; 5.0.7 looks among the values of the rank alone.
            expected.put(form + "pmix.fab.vndr rank=3", "PMIX_ERR_NOT_FOUND");
            expected.put(form + "pmix.fab.idx rank=0", "PMIX_ERR_NOT_FOUND");
        }
        expected.put("nb pmix.fab.dims plane=plane-0", "PMIX_SUCCESS PMIX_UINT32 3");
        expected.put("nb pmix.fab.dims plane=plane-9", "PMIX_ERR_NOT_FOUND");
        String here = "PMIX_SUCCESS ARRAY PMIX_GEOMETRY [(3 " + OWN + " mlx5_0 logical:0:0:1 physical:0:0:11), (3 "
                + "fab://506b:4b03:0001:0002::506b:4b03:0001:0002 mlx5_1 logical:1:0:1 physical:1:0:11), "
                + NETWORK_PLACE + "]";
        expected.put("pmix.fab.coord", here);
        expected.put("get pmix.fab.coord", here);
        expected.put("nb get pmix.fab.coord", here);
        expected.put("get pmix.fab.coord host=job-1", here);
        assertAnswers(expected);
    }

    @Test
    void ranksOfAPodAreGivenOneCredentialAndTheServerTakesNoOther() {
        Result result = ask(List.of("credential"));
        assertThat(result.lines())
                .as(result.text())
                .filteredOn(line -> line.startsWith("credential: "))
                .hasSize(2)
                .allMatch(line -> line.matches("credential: PMIX_SUCCESS [0-9a-f]{64}"))
                .containsOnly(result.lines().stream()
                        .filter(line -> line.startsWith("credential: "))
                        .findFirst()
                        .orElseThrow());
        assertThat(result.lines())
                .contains(
                        "own: PMIX_SUCCESS",
                        "shorter: PMIX_ERR_INVALID_CRED",
                        "altered: PMIX_ERR_INVALID_CRED",
                        "credential of a type: PMIX_ERR_NOT_SUPPORTED");
    }

    /** By hwloc in the client, of what its container shows: nothing of the server's is in it. */
    @Test
    void aRankLoadsATopologyAndComputesDistancesByItself() {
        Result result = ask(List.of("topology"));
        assertThat(result.lines())
                .as(result.text())
                .contains("topology: PMIX_SUCCESS hwloc", "cpuset: PMIX_SUCCESS")
                .anyMatch(line -> line.startsWith("distances: "));
    }

    @Test
    void aFabricStructureIsFilledByRegisterAndByUpdate() {
        Result result = ask(
                List.of("register", "update", "directives", "deregister", "nb register", "nb update", "nb deregister"));
        assertThat(result.lines())
                .as(result.text())
                .contains("deregister: PMIX_SUCCESS", "nb deregister: PMIX_OPERATION_SUCCEEDED")
                .as("5.0.7 asks nobody where there are directives")
                .contains("directives: PMIX_SUCCESS 0 values");
        for (String line : List.of(
                "register: PMIX_SUCCESS 11 values",
                "update: PMIX_SUCCESS 11 values",
                "nb register: PMIX_SUCCESS 11 values",
                "nb update: PMIX_SUCCESS 11 values",
                "  pmix.fab.vndr=PMIX_STRING NVIDIA",
                "  pmix.fab.id=PMIX_STRING infiniband-0",
                "  pmix.fab.idx=PMIX_SIZE 3",
                "  pmix.fab.nverts=PMIX_SIZE 6",
                "  pmix.fab.grps=PMIX_STRING 0:job-0,job-1;1:job-2",
                "  pmix.fab.dims=ARRAY PMIX_UINT32 [3, 3]")) {
            assertThat(result.lines()).as(result.text()).contains(line);
        }
        assertThat(result.lines())
                .filteredOn(line -> line.startsWith("  pmix.fab.cm=ARRAY PMIX_UINT16 ["))
                .hasSize(8)
                .allMatch(line -> line.split(", ").length == 36);
    }
}
