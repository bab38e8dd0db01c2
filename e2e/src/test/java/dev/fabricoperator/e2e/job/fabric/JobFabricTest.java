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
import dev.fabricoperator.cli.KubectlFabric;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.FabricEventJob;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.LiveSubnet;
import dev.fabricoperator.e2e.node.NodeFabrics;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.query.AggregatedApi;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.fabric.level.Channel;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Jobs on three real nodes that are in two fabrics: pods talk over the Ethernet, which is there; the InfiniBand is played, see {@link NodeFabrics}.
 * Nodes 1 and 3 are near each other in both, node 2 is far from them.
 */
@OnRealNodes
class JobFabricTest {
    private static final int NODES = 3;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static RealCluster cluster;

    /** @param pods by completion index */
    private record Ended(String name, int code, String output, List<Pod> pods) {
        String node(int index) {
            return pods.get(index).getSpec().getNodeName();
        }
    }

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

    private static KubernetesClient admin() {
        return cluster.admin();
    }

    private static String kubectl(String... arguments) {
        return Command.kubectl(cluster).run(arguments);
    }

    private static Job withCards(Job job) {
        return NodeFabrics.withCards(DirectJob.spread(job));
    }

    private static Ended run(
            int pods,
            int ranksPerPod,
            @Nullable String rankOrder,
            java.util.function.UnaryOperator<Job> change,
            String... command) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        DirectJob job = new DirectJob(
                admin(),
                new DirectJob.Wanted(
                        ProofImages.PLAIN,
                        List.of(command),
                        pods,
                        ranksPerPod,
                        List.of("OMPI_MCA_mpi_yield_when_idle=1"),
                        null,
                        rankOrder,
                        false),
                change);
        int code = job.run(LIMIT, new PrintStream(output, true, StandardCharsets.UTF_8));
        List<Pod> ofJob =
                admin()
                        .pods()
                        .inNamespace(DirectJob.NAMESPACE)
                        .withLabel("job-name", job.name())
                        .list()
                        .getItems()
                        .stream()
                        .sorted(Comparator.comparing(pod -> Integer.parseInt(
                                pod.getMetadata().getAnnotations().get("batch.kubernetes.io/job-completion-index"))))
                        .toList();
        return new Ended(job.name(), code, output.toString(StandardCharsets.UTF_8), ofJob);
    }

    private static FabricJob finished(Ended ended) {
        return admin().resources(FabricJob.class)
                .inNamespace(DirectJob.NAMESPACE)
                .withName(ended.name())
                .waitUntilCondition(
                        job -> job != null
                                && job.getStatus() != null
                                && job.getStatus().phase() == JobPhase.Succeeded,
                        LIMIT.toSeconds(),
                        TimeUnit.SECONDS);
    }

    private static JsonNode query(String path) {
        try {
            return JSON.readTree(kubectl("get", "--raw", "/apis/query.fabric-operator.dev/v1alpha1/fabrics/" + path));
        } catch (JsonProcessingException e) {
            throw new AssertionError(path, e);
        }
    }

    @Test
    void aJobWithoutDevicesOfItsOwnShowsTheFabricThatItsPodsTalkOverAndItsCost() {
        Ended ended = run(3, 1, null, DirectJob::spread, "mpi-proof", "1");

        assertThat(ended.output()).contains("proof: ring ok, collectives ok, 3 ranks on 3 nodes");
        FabricJob job = finished(ended);
        assertThat(job.getStatus().fabric()).isEqualTo(NodeFabrics.ETHERNET);
        double sum = 0;
        int pairs = 0;
        for (int from = 1; from <= NODES; from++) {
            for (int to = 1; to <= NODES; to++) {
                if (from != to) {
                    sum += cost("node-" + from, "node-" + to);
                    pairs++;
                }
            }
        }
        assertThat(Objects.requireNonNull(job.getStatus().placement()).meanCost())
                .isCloseTo(sum / pairs, Offset.offset(0.005));
        String shown = kubectl("-n", DirectJob.NAMESPACE, "get", "fjob", ended.name());
        assertThat(shown.lines().toList().get(0).split("\\s+"))
                .containsExactly("NAME", "SIZE", "READY", "NODES", "FABRIC", "COST", "PHASE", "ATTEMPT", "AGE");
        assertThat(shown.lines().toList().get(1))
                .matches(ended.name()
                        + " +3 +3 +3 +ethernet +\\d+(\\.\\d)? \\(best \\d+(\\.\\d)?\\) +Succeeded +0 +\\d\\w+");
        System.out.print(shown);
    }

    @Test
    void everyRankIsToldOfTheLevelsOfItsChannelsAndWhatItsPodSetsStays() {
        setLevels(
                "[{\"name\": \"low-latency\", \"serviceLevel\": 2, \"dscp\": 46}, {\"name\": \"bulk-data\", \"serviceLevel\": 1, \"dscp\": 10}]");
        try {
            Ended ended = run(
                    2,
                    2,
                    null,
                    job -> new JobBuilder(DirectJob.spread(job))
                            .editSpec()
                            .editTemplate()
                            .editMetadata()
                            .addToAnnotations("fabric-operator.dev/fabric", NodeFabrics.ETHERNET)
                            .addToAnnotations("fabric-operator.dev/qos", "mpi=low-latency,nccl=bulk-data")
                            .endMetadata()
                            .editSpec()
                            .editFirstContainer()
                            .addNewEnv()
                            .withName("NCCL_IB_SL")
                            .withValue("7")
                            .endEnv()
                            .endContainer()
                            .endSpec()
                            .endTemplate()
                            .endSpec()
                            .build(),
                    "sh",
                    "-c",
                    "echo \"levels $UCX_IB_SL $UCX_IB_TRAFFIC_CLASS $NCCL_IB_SL $NCCL_IB_TC\"; exec mpi-proof 2");

            assertThat(ended.output()).contains("proof: ring ok, collectives ok, 4 ranks on 2 nodes");
            assertThat(ended.output().lines().filter(line -> line.endsWith("levels 2 184 7 40")))
                    .hasSize(4);
            assertThat(finished(ended).getStatus().channels())
                    .containsExactly(
                            new JobChannel(Channel.mpi, "low-latency", 2, 46, null),
                            new JobChannel(Channel.nccl, "bulk-data", 1, 10, null));
        } finally {
            setLevels("null");
        }
    }

    private static void setLevels(String json) {
        admin().resources(Fabric.class)
                .withName(NodeFabrics.ETHERNET)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"levels\": " + json + "}}");
    }

    private static int cost(String from, String to) {
        return query(NodeFabrics.ETHERNET + "/cost?from=" + from + "/eth0&to=" + to + "/eth0")
                .get("cost")
                .asInt();
    }

    @Test
    void everyAttributeThatARankReadsIsWhatTheClusterSaysOfFabricNodesAndDevices() {
        // All of them: a rank that ends without PMIx_Init after another of its pod has called it fails the job.
        Ended ended = run(
                NODES,
                2,
                null,
                JobFabricTest::withCards,
                "sh",
                "-c",
                "[ $PMIX_RANK = 3 ] || exec > /dev/null; exec pmix-report fabric");

        assertThat(ended.code()).as(ended.output()).isZero();
        Report report = Report.parse(ended.output());
        new ExpectedJob(admin(), JobFabricTest::query, ended.pods(), 2).compare(report);
        assertThat(finished(ended).getStatus().fabric()).isEqualTo(NodeFabrics.INFINIBAND);
    }

    @Test
    void theCommandLineAsksThePmixServerOfARunningPod() throws IOException {
        String name = "asked";
        DirectJob.optIn(admin());
        admin().load(new ByteArrayInputStream("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: %s, namespace: %s}
                spec:
                  completions: 2
                  parallelism: 2
                  completionMode: Indexed
                  template:
                    metadata: {annotations: {fabric-operator.dev/launch: direct}}
                    spec:
                      restartPolicy: Never
                      automountServiceAccountToken: false
                      terminationGracePeriodSeconds: 1
                      containers:
                      - {name: ranks, image: "%s", imagePullPolicy: Never, command: [sleep, "600"]}
                """.formatted(name, DirectJob.NAMESPACE, ProofImages.PLAIN)
                        .getBytes(StandardCharsets.UTF_8)))
                .create();
        // A server that still waits for the job's other pod lets no tool in: the command asks again.
        String pod = Awaitility.await()
                .atMost(LIMIT)
                .pollInterval(Duration.ofMillis(100))
                .until(
                        () ->
                                admin()
                                        .pods()
                                        .inNamespace(DirectJob.NAMESPACE)
                                        .withLabel("job-name", name)
                                        .list()
                                        .getItems()
                                        .stream()
                                        .filter(each -> "Running"
                                                .equals(each.getStatus().getPhase()))
                                        .map(each -> each.getMetadata().getName())
                                        .filter(each -> each.startsWith(name + "-1-"))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();

        KubectlFabric.Outcome answer = ask(pod, "PMIX_FABRIC_IDENTIFIER", "PMIX_QUERY_NAMESPACES");
        assertThat(answer.exitCode()).as(answer.err()).isZero();
        String text = new String(answer.out(), StandardCharsets.UTF_8);
        assertThat(text).contains(NodeFabrics.ETHERNET, DirectJob.NAMESPACE + "." + name);
        System.out.print(text);
        KubectlFabric.Outcome devices =
                ask(pod, "-o", "json", "--", "PMIX_FABRIC_NUM_DEVICES", "PMIX_FABRIC_NO_SUCH_KEY");
        assertThat(devices.exitCode()).isEqualTo(1);
        assertThat(devices.err()).contains("PMIX_FABRIC_NO_SUCH_KEY");
        JsonNode answers = new ObjectMapper().readTree(devices.out()).path("answers");
        assertThat(answers.at("/0/type").asText()).isEqualTo("PMIX_SIZE");
        assertThat(answers.at("/0/value").asInt()).isPositive();
        assertThat(answers.at("/1/error").asText()).isNotEmpty();

        kubectl("-n", DirectJob.NAMESPACE, "delete", "job", name);
        kubectl("-n", DirectJob.NAMESPACE, "wait", "--for=delete", "pod/" + pod, "--timeout=240s");
        KubectlFabric.Outcome gone = ask(pod, "PMIX_FABRIC_VENDOR");
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.err()).startsWith("error: ").contains(pod);
    }

    private static KubectlFabric.Outcome ask(String pod, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "pmix",
                pod,
                "-n",
                DirectJob.NAMESPACE,
                "--kubeconfig",
                cluster.kubeconfig().toString()));
        arguments.addAll(List.of(more));
        return KubectlFabric.run(arguments.toArray(String[]::new));
    }

    @Test
    void withRankOrderTopologyConsecutiveRanksAreNearerThanByIndex() {
        Ended ended = run(2 * NODES, 1, "topology", DirectJob::spread, "mpi-proof", "1");

        assertThat(ended.code()).as(ended.output()).isZero();
        String places = ended.output()
                .lines()
                .filter(line -> line.startsWith("places: "))
                .findFirst()
                .orElseThrow();
        List<String> nodeOfRank = Arrays.stream(
                        places.substring("places: ".length()).split(" "))
                .map(name -> ended.pods().stream()
                        .filter(pod -> pod.getMetadata().getName().startsWith(name))
                        .findFirst()
                        .orElseThrow()
                        .getSpec()
                        .getNodeName())
                .toList();
        List<String> nodeOfIndex =
                IntStream.range(0, 2 * NODES).mapToObj(ended::node).toList();
        double byTopology = meanToTheNext(nodeOfRank);
        double byIndex = meanToTheNext(nodeOfIndex);
        System.out.println("mean cost from rank to rank: " + byTopology + " by topology " + nodeOfRank + ", " + byIndex
                + " by index " + nodeOfIndex);
        assertThat(nodeOfRank).hasSize(2 * NODES).containsExactlyInAnyOrderElementsOf(nodeOfIndex);
        // The scheduler puts the first three pods on three nodes, so that by index no two of them are neighbours on
        // one.
        assertThat(byTopology).isLessThan(byIndex);
        assertThat(Objects.requireNonNull(finished(ended).getStatus().placement())
                        .neighborCost())
                .isCloseTo(byTopology, Offset.offset(0.005));
    }

    @Test
    void noRankStartsBeforeTheHostsOfAllPodsArePreparedAndRanksHaveTheFabricsVariables() throws Exception {
        List<String> nodes = admin().nodes().list().getItems().stream()
                .map(node -> node.getMetadata().getName())
                .toList();
        kubectl("patch", "fabric", NodeFabrics.ETHERNET, "--type=merge", "-p", """
                {"spec": {"hostPreparation": {
                  "device": [{"name": "PARTITION", "value": "0x8001"}],
                  "env": [{"name": "SITE_PROVIDER", "value": "verbs;ofi_rxm"}, {"name": "OMPI_MCA_mpi_yield_when_idle", "value": "0"},
                          {"name": "FI_TCP_IFACE", "value": "lo"}]}}}
                """);
        try (RecordingPreparer preparer = new RecordingPreparer(cluster, NodeFabrics.ETHERNET, nodes);
                ExecutorService preparing = Executors.newSingleThreadExecutor()) {
            Future<Pod> refused = preparing.submit(() -> {
                eventually(() -> assertThat(reasonsToWait()).contains("HostsNotPrepared"));
                Pod pod = preparer.unprepared(DirectJob.NAMESPACE).getFirst();
                RecordingPreparer.tell(preparer.of(pod.getSpec().getNodeName()), pod, "False", "no partition is left");
                preparer.prepare(DirectJob.NAMESPACE, NODES);
                return pod;
            });
            Ended ended = run(
                    NODES,
                    1,
                    null,
                    job -> new JobBuilder(DirectJob.spread(job))
                            .editSpec()
                            .withBackoffLimit(1)
                            .endSpec()
                            .build(),
                    "sh",
                    "-c",
                    "echo \"begun $(date +%s%N) $SITE_PROVIDER $OMPI_MCA_mpi_yield_when_idle $FI_TCP_IFACE\"");

            assertThat(ended.code()).as(ended.output()).isZero();
            Pod without = refused.get();
            assertThat(kubectl(
                            "logs",
                            "-n",
                            DirectJob.NAMESPACE,
                            without.getMetadata().getName()))
                    .contains("node " + without.getSpec().getNodeName() + " cannot be prepared for pod "
                            + without.getMetadata().getName() + ": no partition is left");
            List<Pod> run = ended.pods().stream()
                    .filter(pod -> pod.getStatus().getPhase().equals("Succeeded"))
                    .toList();
            Instant last = preparer.recorded().values().stream()
                    .map(RecordingPreparer.Preparation::done)
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
            List<String[]> begun = ended.output()
                    .lines()
                    .filter(line -> line.contains("begun "))
                    .map(line -> line.substring(line.indexOf("begun ")).split(" "))
                    .toList();
            assertThat(begun).hasSize(NODES).allSatisfy(line -> {
                assertThat(Instant.ofEpochSecond(0, Long.parseLong(line[1]))).isAfter(last);
                assertThat(line[2]).isEqualTo("verbs;ofi_rxm");
                assertThat(line[3]).as("the pod's own").isEqualTo("1");
                assertThat(line[4]).as("not pmixd's").isEqualTo("lo");
            });
            System.out.println("the last rank began "
                    + begun.stream()
                            .mapToLong(line -> Duration.between(last, Instant.ofEpochSecond(0, Long.parseLong(line[1])))
                                    .toMillis())
                            .max()
                            .orElseThrow()
                    + " ms after the last host was prepared");
            assertThat(preparer.recorded())
                    .containsOnlyKeys(
                            run.stream().map(pod -> pod.getMetadata().getName()).toArray(String[]::new));
            assertThat(preparer.recorded().values())
                    .allSatisfy(each -> assertThat(each.values()).isEqualTo(Map.of("PARTITION", "0x8001")));

            Pod first = run.getFirst();
            String node = first.getSpec().getNodeName();
            String other = run.getLast().getSpec().getNodeName();
            assertThatThrownBy(() -> RecordingPreparer.tell(preparer.of(other), first, "False", "not mine"))
                    .hasMessageContaining("the preparer of node " + other + " may not speak of a pod of node " + node);
            assertThatThrownBy(() -> preparer.of(node)
                            .pods()
                            .inNamespace(DirectJob.NAMESPACE)
                            .withName(first.getMetadata().getName())
                            .subresource("status")
                            .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"status\": {\"phase\": \"Failed\"}}"))
                    .hasMessageContaining("a preparer writes the condition");
        } finally {
            kubectl(
                    "patch",
                    "fabric",
                    NodeFabrics.ETHERNET,
                    "--type=json",
                    "-p",
                    "[{\"op\": \"remove\", \"path\": \"/spec/hostPreparation\"}]");
        }
    }

    @Test
    void aCablePulledInTheSubnetIsToldToTheHandlersOfAllRunningRanks() throws InterruptedException {
        try (LiveSubnet subnet = new LiveSubnet(cluster, Duration.ofSeconds(1))) {
            FabricEventJob job = new FabricEventJob(cluster, 2, 1, LIMIT);
            job.awaitReady();
            Instant pulled = subnet.pull(cluster.nodes().getFirst().name(), 0);
            List<FabricEventJob.Told> told = job.awaitUpdates(1);

            assertThat(job.await()).isZero();
            int index = fabricIndex();
            for (int rank = 0; rank < 2 * NODES; rank++) {
                int each = rank;
                List<FabricEventJob.Told> events =
                        told.stream().filter(event -> event.rank() == each).toList();
                assertThat(events)
                        .extracting(FabricEventJob.Told::name)
                        .startsWith("PMIX_FABRIC_UPDATE_PENDING", "PMIX_FABRIC_UPDATED");

                assertThat(events).allSatisfy(event -> {
                    assertThat(event.index()).isEqualTo(index);
                    assertThat(event.when()).isAfter(pulled);
                });
            }
            System.out.println("the last rank was told "
                    + Duration.between(pulled, told.getLast().when()).toMillis() + " ms after the cable was pulled");
        }
        eventually(() -> assertThat(admin().resources(Fabric.class)
                        .withName(NodeFabrics.INFINIBAND)
                        .require()
                        .getStatus()
                        .sources())
                .noneMatch(source -> "live".equals(source.type())));
    }

    /** OpenSM takes another routing engine. */
    @Test
    void ranksAreToldThatPacketsTakeAnotherWayThoughNoCableHasChanged() throws InterruptedException {
        try (LiveSubnet subnet = LiveSubnet.routed(cluster, Duration.ofSeconds(1))) {
            FabricEventJob job = new FabricEventJob(cluster, 2, 1, LIMIT);
            job.awaitReady();
            String digest = costDigest();
            Instant before = Instant.now();
            subnet.reroute("sssp");
            List<FabricEventJob.Told> told = job.awaitUpdates(1);

            assertThat(job.await()).isZero();
            for (int rank = 0; rank < 2 * NODES; rank++) {
                int each = rank;
                assertThat(told.stream().filter(event -> event.rank() == each).toList())
                        .allSatisfy(event -> assertThat(event.when()).isAfter(before))
                        .extracting(event -> event.name() + " " + event.routesChanged())
                        .containsExactly("PMIX_FABRIC_UPDATE_PENDING false", "PMIX_FABRIC_UPDATED true");
            }
            assertThat(costDigest()).isEqualTo(digest);
        }
    }

    private static String costDigest() {
        return Objects.requireNonNull(admin().resources(Fabric.class)
                        .withName(NodeFabrics.INFINIBAND)
                        .require()
                        .getStatus()
                        .costMatrix())
                .digest();
    }

    private static int fabricIndex() {
        return Objects.requireNonNull(admin().resources(Fabric.class)
                .withName(NodeFabrics.INFINIBAND)
                .require()
                .getStatus()
                .index());
    }

    private static List<String> reasonsToWait() {
        return admin().resources(FabricJob.class).inNamespace(DirectJob.NAMESPACE).list().getItems().stream()
                .filter(job -> job.getStatus() != null && job.getStatus().phase() == JobPhase.Assembling)
                .flatMap(job -> job.getStatus().conditions().stream())
                .filter(condition -> condition.type().equals("Whole"))
                .map(Condition::reason)
                .toList();
    }

    private static double meanToTheNext(List<String> nodes) {
        double sum = 0;
        for (int i = 1; i < nodes.size(); i++) {
            sum += nodes.get(i - 1).equals(nodes.get(i)) ? 0 : cost(nodes.get(i - 1), nodes.get(i));
        }
        return sum / (nodes.size() - 1);
    }

    /** A sealed frame of two bytes between pods' servers, sent when a connection was silent for seconds: head, frame's type, message's type, tag. */
    private static final long KEEP_ALIVE_BYTES = 4 + 1 + 1 + 16;

    @Test
    void onlyKeepAlivesPassBetweenThePodsServersBeforeEveryPeerHasItsFirstMessageAlsoWhenHalfOfTheRanksAreLate() {
        Ended late = run(4, 2, null, DirectJob::spread, "first-message", "--settle", "10000", "--late", "500");
        Ended exchanged = run(4, 2, null, DirectJob::spread, "first-message", "--settle", "4000", "--exchange");

        assertThat(late.code()).as(late.output()).isZero();
        assertThat(exchanged.code()).as(exchanged.output()).isZero();
        assertThat(betweenServers(late))
                .hasSize(8)
                .allMatch(bytes -> bytes <= 100 * KEEP_ALIVE_BYTES && bytes % KEEP_ALIVE_BYTES == 0);
        // What is counted does count: the same addresses by put, fence, get.
        assertThat(betweenServers(exchanged))
                .hasSize(8)
                .allMatch(bytes -> bytes > 200)
                .anyMatch(bytes -> bytes % KEEP_ALIVE_BYTES != 0);
    }

    /** Bytes of each rank's pod from the start to the last first message. */
    private static List<Long> betweenServers(Ended ended) {
        return ended.output()
                .lines()
                .filter(line -> line.startsWith("first rank="))
                .map(line -> line.replaceFirst(".*servers=", "").split(","))
                .map(bytes -> Long.parseLong(bytes[1]) - Long.parseLong(bytes[0]))
                .toList();
    }
}
