/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.job.fabric.Report;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unmodified programs in real pods: Debian's Open MPI, libpmix and libfabric, started by direct launch. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class DirectLaunchTest {

    private final FaultCase faults;

    private record Ended(String job, int code, String output) {}

    DirectLaunchTest(FaultCase faults) {
        this.faults = faults;
    }

    private Ended run(String image, int pods, int ranksPerPod, String... command) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        DirectJob job = new DirectJob(
                faults.admin,
                new DirectJob.Wanted(
                        image,
                        List.of(command),
                        pods,
                        ranksPerPod,
                        // Ranks that wait in a loop would take the few cores from each other.
                        List.of("OMPI_MCA_mpi_yield_when_idle=1"),
                        null,
                        null,
                        false));
        int code = job.run(LIMIT, new PrintStream(output, true, StandardCharsets.UTF_8));
        return new Ended(job.name(), code, output.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 4", "8, 1"})
    void openMpiMakesRingAndCollectivesAndSeesItsNodes(int pods, int ranksPerPod) {
        Ended ended = run(ProofImages.PLAIN, pods, ranksPerPod, "mpi-proof", Integer.toString(ranksPerPod));

        assertThat(ended.output())
                .contains("proof: ring ok, collectives ok, " + pods * ranksPerPod + " ranks on " + pods + " nodes");
        assertThat(ended.code()).isZero();
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"2, 2", "4, 1", "4, 2", "4, 4", "8, 2", "8, 4"})
    void itDoesInTheOtherShapesToo(int pods, int ranksPerPod) {
        openMpiMakesRingAndCollectivesAndSeesItsNodes(pods, ranksPerPod);
    }

    @Test
    void whoMayViewTheNamespaceSeesItsJobsAndWritesNone() {
        faults.admin
                .resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName("viewer")
                        .withNamespace(DirectJob.NAMESPACE)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "view")
                        .addNewSubject("rbac.authorization.k8s.io", "User", "viewer", null)
                        .build())
                .create();

        Awaitility.await().atMost(LIMIT).until(() -> viewerMay("list"));
        assertThat(viewerMay("get")).isTrue();
        assertThat(viewerMay("patch")).isFalse();
        assertThat(viewerMay("delete")).isFalse();
    }

    private boolean viewerMay(String verb) {
        return faults.admin
                .authorization()
                .v1()
                .subjectAccessReview()
                .create(new SubjectAccessReviewBuilder()
                        .withNewSpec()
                        .withUser("viewer")
                        .withNewResourceAttributes()
                        .withNamespace(DirectJob.NAMESPACE)
                        .withGroup("fabric-operator.dev")
                        .withResource("fabricjobs")
                        .withVerb(verb)
                        .endResourceAttributes()
                        .endSpec()
                        .build())
                .getStatus()
                .getAllowed();
    }

    @ParameterizedTest
    @ValueSource(strings = {ProofImages.BARE, ProofImages.USER})
    void imagesWithoutShellOrUserEntryOrWithAUserOfTheirOwnAreLaunched(String image) {
        Ended ended = run(image, 2, 2, "/usr/local/bin/mpi-proof", "2");

        assertThat(ended.output()).contains("proof: ring ok, collectives ok, 4 ranks on 2 nodes");
        assertThat(ended.code()).isZero();
    }

    @Test
    void openMpiPublishesNamesConnectsAndMakesCommunicatorsOfGroups() {
        Ended ended = run(ProofImages.PLAIN, 3, 2, "mpi-exchange");

        assertThat(ended.output())
                .contains("names and connections: ok, 3 with 3")
                .contains("sessions: ok, 6 ranks");
        assertThat(ended.code()).isZero();
    }

    @Test
    void libfabricReachesEveryPeerFromPmixEndpointsAloneAlsoWhenHalfOfTheRanksAreLate() {
        Ended ended = run(ProofImages.PLAIN, 4, 1, "first-message", "--late", "500");

        assertThat(ended.output().lines().filter(line -> line.startsWith("first rank=")))
                .hasSize(4);
        assertThat(ended.code()).isZero();
    }

    @Test
    void theFirstFailingRanksCodeEndsTheJob() {
        Ended ended = run(ProofImages.PLAIN, 2, 1, "sh", "-c", "[ $PMIX_RANK = 0 ] && sleep 60; exit 7");

        assertThat(ended.code()).isEqualTo(7);
    }

    @Test
    void aProgramThatNeverCallsPmixInitRunsToItsEnd() {
        Ended ended = run(ProofImages.PLAIN, 2, 2, "sh", "-c", "echo rank $PMIX_RANK of $PMIX_NAMESPACE");

        assertThat(ended.output()).contains("rank 0 of jobs.run-", "rank 1 of", "rank 2 of", "rank 3 of");
        assertThat(ended.code()).isZero();
    }

    /** Without cards the pod's own interface is the only one: {@code sockaddr_in} of its address, with a port for each rank. */
    @Test
    void everyRankReadsEveryPeersEndpoints() {
        Ended ended = run(
                ProofImages.PLAIN,
                2,
                2,
                "sh",
                "-c",
                "out=$(pmix-report); code=$?; echo \"$out\" | sed \"s/^/$PMIX_RANK: /\"; exit $code");

        assertThat(ended.code()).isZero();
        List<String> addresses = faults
                .admin
                .pods()
                .inNamespace(DirectJob.NAMESPACE)
                .withLabel("job-name", ended.job())
                .list()
                .getItems()
                .stream()
                .sorted(Comparator.comparing(
                        pod -> pod.getMetadata().getAnnotations().get("batch.kubernetes.io/job-completion-index")))
                .map(pod -> HexFormat.of()
                        .formatHex(InetAddress.ofLiteral(pod.getStatus().getPodIP())
                                .getAddress()))
                .toList();
        assertThat(addresses).hasSize(2);
        List<List<String>> reports =
                IntStream.range(0, 4).mapToObj(rank -> endpoints(ended, rank)).toList();
        for (int rank = 0; rank < 4; rank++) {
            assertThat(reports.getFirst().get(rank))
                    .as("of rank " + rank)
                    .matches("PMIX_ENDPOINT ipv4://([0-9a-f]{2}:){5}[0-9a-f]{2} eth0 0200(?!0000)[0-9a-f]{4}"
                            + addresses.get(rank / 2) + "0{16}");
        }
        assertThat(reports.getFirst()).doesNotHaveDuplicates();
        assertThat(reports)
                .as("of each rank")
                .allSatisfy(report -> assertThat(report).isEqualTo(reports.getFirst()));
    }

    /** What a rank has read: the one endpoint of each rank. */
    private static List<String> endpoints(Ended ended, int reader) {
        String before = reader + ": ";
        Report report = Report.parse(ended.output()
                .lines()
                .filter(line -> line.startsWith(before))
                .map(line -> line.substring(before.length()))
                .collect(Collectors.joining("\n")));
        assertThat(report.of("job", "pmix.job.size")).containsExactly("PMIX_UINT32 4");
        return IntStream.range(0, 4)
                .mapToObj(rank -> report.elements("rank" + rank, "pmix.fab.endpt"))
                .peek(elements -> assertThat(elements).hasSize(1))
                .map(List::getFirst)
                .toList();
    }
}
