/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.fabric;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.node.RealNode;
import dev.fabricoperator.e2e.query.AggregatedApi;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What jobs on real nodes have sent, over TCP, as people are told when they have ended. */
@OnRealNodes
class JobTrafficTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long BYTES = 100_000_000;
    private static final long SMALL = 1_000_000;
    private static final Percentage OF_A_PAIR = Percentage.withPercentage(2);
    private static final Percentage OF_ALL = Percentage.withPercentage(5);

    private static RealCluster cluster;

    @BeforeAll
    static void installQueryApi(RealCluster realNodes) {
        cluster = realNodes;
        new AggregatedApi(cluster).install();
    }

    @AfterAll
    static void removeQueryApi() {
        if (cluster != null) {
            new AggregatedApi(cluster).uninstall();
        }
    }

    private static String kubectl(String... arguments) {
        return Command.kubectl(cluster).run(arguments);
    }

    /** Runs it to its end; its name. */
    private static String ring(int pods, int ranksPerPod, UnaryOperator<Job> change) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        DirectJob job = new DirectJob(
                cluster.admin(),
                new DirectJob.Wanted(
                        ProofImages.PLAIN,
                        List.of("mpi-ring", Long.toString(BYTES)),
                        pods,
                        ranksPerPod,
                        List.of("OMPI_MCA_mpi_yield_when_idle=1"),
                        null,
                        null,
                        false),
                change);
        int code = job.run(LIMIT, new PrintStream(output, true, StandardCharsets.UTF_8));
        assertThat(output.toString(StandardCharsets.UTF_8))
                .contains("ring: " + BYTES + " from each of " + pods * ranksPerPod + " ranks");
        assertThat(code).isZero();
        return job.name();
    }

    private static JsonNode traffic(String job, int pods) {
        JsonNode[] told = new JsonNode[1];
        eventually(() -> {
            told[0] = query(job);
            assertThat(told[0].get("podsSilent").asInt()).isZero();
        });
        assertThat(told[0].get("pods")).hasSize(pods);
        System.out.println(told[0].toPrettyString());
        return told[0];
    }

    private static JsonNode query(String job, String... options) {
        String[] words = new String[options.length + 3];
        words[0] = "get";
        words[1] = "--raw";
        words[2] = "/apis/query.fabric-operator.dev/v1alpha1/namespaces/" + DirectJob.NAMESPACE + "/jobs/" + job
                + "/traffic";
        System.arraycopy(options, 0, words, 3, options.length);
        try {
            return JSON.readTree(kubectl(words));
        } catch (JsonProcessingException e) {
            throw new AssertionError(job, e);
        }
    }

    /** Index of a pod of an indexed Job: NAME-INDEX-RANDOM. */
    private static int index(String job, String pod) {
        return Integer.parseInt(pod.substring(job.length() + 1).split("-", -1)[0]);
    }

    private static Map<List<Integer>, Long> bytesByIndices(String job, JsonNode told) {
        Map<List<Integer>, Long> bytes = new HashMap<>();
        told.get("pairs")
                .forEach(pair -> bytes.put(
                        List.of(
                                index(job, pair.get("from").asText()),
                                index(job, pair.get("to").asText())),
                        pair.get("bytes").asLong()));
        return bytes;
    }

    /** Of all nodes' interfaces. */
    private static long bytesSentByNodes() {
        long bytes = 0;
        for (RealNode node : cluster.nodes()) {
            String line = node.inNetwork("cat", "/proc/net/dev")
                    .lines()
                    .filter(each -> each.strip().startsWith("eth0:"))
                    .findFirst()
                    .orElseThrow();
            bytes +=
                    Long.parseLong(line.substring(line.indexOf(':') + 1).strip().split("\\s+", -1)[8]);
        }
        return bytes;
    }

    @Test
    void afterItsEndAJobTellsWhichPodsHaveSentToWhichAndNoOthers() {
        String job = ring(4, 1, DirectJob::spread);

        JsonNode told = traffic(job, 4);

        Map<List<Integer>, Long> bytes = bytesByIndices(job, told);
        for (int from = 0; from < 4; from++) {
            for (int to = 0; to < 4; to++) {
                long ofPair = bytes.getOrDefault(List.of(from, to), 0L);
                if (to == (from + 1) % 4) {
                    assertThat(ofPair).as("%d to %d", from, to).isCloseTo(BYTES, OF_A_PAIR);
                } else {
                    assertThat(ofPair).as("%d to %d", from, to).isLessThan(SMALL);
                }
            }
        }
        assertThat(told.get("pairsLeftOut").asLong()).isZero();
        assertThat(Command.kubectlFabric(cluster).run("traffic", "job", job, "-n", DirectJob.NAMESPACE))
                .contains("100 MB");
    }

    @Test
    void whatItsPodsHaveSentIsWhatTheNodesHaveSent() {
        long before = bytesSentByNodes();
        String job = ring(2, 2, DirectJob::spread);
        long after = bytesSentByNodes();

        JsonNode told = traffic(job, 2);

        Map<List<Integer>, Long> bytes = bytesByIndices(job, told);
        assertThat(bytes.get(List.of(0, 1))).isCloseTo(BYTES, OF_A_PAIR);
        assertThat(bytes.get(List.of(1, 0))).isCloseTo(BYTES, OF_A_PAIR);
        assertThat(told.get("sentBytes").asLong()).isCloseTo(after - before, OF_ALL);
    }

    @Test
    void inTheNodesNetworkOnlyItsOwnConnectionsAreToldAndNoInterface() {
        String job = ring(
                2,
                1,
                unspread -> new JobBuilder(DirectJob.spread(unspread))
                        .editSpec()
                        .editTemplate()
                        .editMetadata()
                        .addToAnnotations("fabric-operator.dev/host-network", "true")
                        .endMetadata()
                        .editSpec()
                        .withHostNetwork(true)
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build());

        JsonNode told = traffic(job, 2);

        Map<List<Integer>, Long> bytes = bytesByIndices(job, told);
        assertThat(bytes.get(List.of(0, 1))).isCloseTo(BYTES, OF_A_PAIR);
        assertThat(bytes.get(List.of(1, 0))).isCloseTo(BYTES, OF_A_PAIR);
        assertThat(told.has("sentBytes")).isFalse();
    }

    @Test
    void whoMayNotViewTheNamespaceIsRefused() {
        String job = ring(2, 1, DirectJob::spread);
        traffic(job, 2);

        assertThatThrownBy(() -> query(job, "--as=somebody")).hasMessageContaining("forbidden");
        cluster.admin()
                .resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName("traffic-viewer")
                        .withNamespace(DirectJob.NAMESPACE)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "view")
                        .addNewSubject("rbac.authorization.k8s.io", "User", "somebody", null)
                        .build())
                .create();
        eventually(() ->
                assertThat(query(job, "--as=somebody").get("job").asText()).isEqualTo(job));
    }
}
