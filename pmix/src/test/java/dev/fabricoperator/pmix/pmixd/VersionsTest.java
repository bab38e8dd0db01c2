/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.pmix.TrixieRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Open MPI and libpmix of three releases of Debian as clients of pmixd, each with its own C library, and libpmix of two of
 * them as pmixd's: the matrix in docs/pmix-support.md. Always four ranks.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ResourceLock(PlayedJobService.PROCESSORS)
@Order(PlayedJobService.ON_THE_FIRST_THREAD)
class VersionsTest {
    private static final Path DOCUMENT = Path.of(System.getProperty("docs"), "pmix-support.md");

    /** Open MPI 4.1 does not ask a PMIx server without them. */
    private static final String LAUNCHED_DIRECTLY = "env SLURM_JOBID=1 SLURM_NODELIST=pods SLURM_STEP_ID=0 ";

    /** A row of the matrix; versions are beginnings, since those of sid are candidates. */
    record Client(String suite, String libpmix, String openMpi, List<String> cells) {}

    private final Map<String, String> programs = new HashMap<>();
    private PlayedPods pods;

    @TempDir
    Path directory;

    @BeforeAll
    void build() {
        TrixieRoot root = TrixieRoot.openWithOthers();
        pods = new PlayedPods(root);
        String source = "pmix/src/test/c/versions.c";
        programs.put("trixie", root.compile("mpicc", source, "-lpmix"));
        programs.put(
                "bookworm", LAUNCHED_DIRECTLY + root.compileFor("bookworm", source, "libmpi.so.40", "libpmix.so.2"));
        programs.put("sid", root.compileFor("sid", source, "libmpi.so.40", "libopen_mpi.so.40", "libpmix.so.2"));
    }

    @AfterAll
    void close() {
        if (pods != null) {
            pods.close();
        }
    }

    static Stream<Client> clients() throws IOException {
        List<Client> clients = Files.readAllLines(DOCUMENT).stream()
                .dropWhile(line -> !line.startsWith("<!-- versions"))
                .takeWhile(line -> !line.equals("<!-- end -->"))
                .filter(line ->
                        line.startsWith("| bookworm ") || line.startsWith("| trixie ") || line.startsWith("| sid "))
                .map(line -> line.split(" *[|] *"))
                .map(cells ->
                        new Client(cells[1], cells[2], cells[3], List.of(cells).subList(4, 8)))
                .toList();
        assertThat(clients).as(DOCUMENT.toString()).hasSize(3);
        return clients.stream();
    }

    /** What the matrix calls served: PMIx over two pods with either library of the server, then MPI in one pod. */
    static Stream<Arguments> served() throws IOException {
        return clients()
                .flatMap(client -> IntStream.range(0, 4)
                        .filter(cell -> client.cells().get(cell).equals("served"))
                        .mapToObj(cell -> Arguments.of(client, cell % 2 == 0 ? "trixie" : "sid", cell < 2 ? 2 : 1)));
    }

    /** @param server the release whose libpmix pmixd loads */
    private List<String> run(String server, Client client, int count, String argument) throws Exception {
        String program = programs.get(client.suite()) + ' ' + argument;
        String pmixd = server.equals("trixie") ? "" : "WRAPPER=(chroot /debian/" + server + ")\n";
        String start = "start_pods " + count + ' ' + 4 / count + ' ';
        try (PlayedJobService service = new PlayedJobService(directory, count)) {
            service.playFabric(pods.root().scratch(""));
            return pods.run(service, pmixd + start + program + "\nfinish").lines();
        }
    }

    @ParameterizedTest
    @MethodSource("served")
    void everyVersionReadsTheSameFromEveryLibraryOfTheServer(Client client, String server, int pods) throws Exception {
        List<String> lines = run(server, client, pods, pods == 1 ? "mpi" : "pmix");
        String text = String.join("\n", lines);
        for (int pod = 0; pod < pods; pod++) {
            assertThat(lines).as(text).contains("launcher " + pod + " 0", "pmixd " + pod + " 0");
        }
        for (int rank = 0; rank < 4; rank++) {
            int pod = rank * pods / 4;
            String start = "out " + pod + ": [" + rank + "] ";
            List<String> said = lines.stream()
                    .filter(line -> line.startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .toList();
            assertThat(said)
                    .as(text)
                    .anyMatch(line -> line.startsWith("library: Open MPI v" + client.openMpi())
                            && line.contains("; OpenPMIx " + client.libpmix()))
                    .containsSubsequence(
                            "size: PMIX_UINT32 4",
                            "local rank: PMIX_UINT16 " + rank % (4 / pods),
                            "host: PMIX_STRING pod-" + pod,
                            "coordinates: PMIX_DATA_ARRAY of 2, 0 " + pod,
                            "device: PMIX_DATA_ARRAY PMIX_GEOMETRY 0 " + pod,
                            "fence: PMIX_SUCCESS",
                            "card: PMIX_STRING card of " + (rank + 1) % 4,
                            "fabric: PMIX_SUCCESS infiniband-0",
                            "query: PMIX_SUCCESS PMIX_SIZE " + 2 * pods);
            assertThat(said.contains("sum: 6")).as(text).isEqualTo(pods == 1);
        }
    }

    @ParameterizedTest
    @MethodSource("clients")
    void anAbortOfOneRankEndsTheJobWithItsCode(Client client) throws Exception {
        List<String> lines = run("trixie", client, 2, "abort");
        assertThat(lines)
                .as(String.join("\n", lines))
                .contains("launcher 0 7", "launcher 1 7")
                .anyMatch(line -> line.contains("cannot go on"));
    }
}
