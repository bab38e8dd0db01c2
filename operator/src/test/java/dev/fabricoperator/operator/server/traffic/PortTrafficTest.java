/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.CounterSource;
import dev.fabricoperator.crds.CounterSourceBuilder;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SourceStatusBuilder;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.Path;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedFabrics;
import dev.fabricoperator.view.answer.JobTrafficAnswer;
import dev.fabricoperator.view.answer.JobTrafficAnswer.LinkBasis;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import dev.fabricoperator.view.mapping.FabricMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** 250 hosts, the even ones on one leaf and the odd ones on another, and one cable between the two; without forwarding tables. */
class PortTrafficTest {
    private static final int HOSTS = 250;
    private static final int UPLINK = 251;
    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");
    private static final long EDR = 100_000_000_000L;

    private final JobsOnNodes jobs = new JobsOnNodes();
    private final AtomicLong nanos = new AtomicLong();
    private final SteadyClock clock = new SteadyClock(nanos::get);
    private final TrafficOfJobs reports = new TrafficOfJobs(clock);
    private final PortTraffic traffic = new PortTraffic(
            jobs,
            new CounterSources(new MetricsWay(List.of(), Duration.ofSeconds(1), 1), clock, Clock.systemUTC()),
            reports,
            clock);
    private HttpServer sweep;
    private byte[] body = new byte[0];
    private CountDownLatch mayAnswer = new CountDownLatch(0);

    @BeforeEach
    void serve() throws IOException {
        sweep = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sweep.createContext(FabricApi.PORTS_PATH, exchange -> {
            try {
                mayAnswer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        sweep.start();
    }

    @AfterEach
    void stop() {
        mayAnswer.countDown();
        sweep.stop(0);
    }

    private static String guid(int host) {
        return "%016x".formatted(0x248a_0703_0000_0000L + host);
    }

    private static String leafId(int leaf) {
        return "a00000000000000" + leaf;
    }

    private static SwitchPort port(int number, String peer, int peerPort) {
        return SwitchPortBuilder.builder()
                .number(number)
                .peer(new PortPeer(peer, peerPort))
                .state(PortState.Active)
                .speedBitsPerSecond(EDR)
                .build();
    }

    private static Switch leaf(int leaf) {
        List<SwitchPort> ports = new ArrayList<>();
        for (int host = leaf; host < HOSTS; host += 2) {
            ports.add(port(host + 1, guid(host), 1));
        }
        ports.add(port(UPLINK, leafId(1 - leaf), UPLINK));
        return SwitchBuilder.builder().id(leafId(leaf)).source("s").ports(ports).build();
    }

    private static FabricDevice device(int host) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName("n" + host + "-mlx5-0-1")
                .withUid("uid-" + host)
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n" + host)
                .hostname("host" + host)
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://" + guid(host) + "::" + guid(host))
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .nodeGuid(guid(host))
                .speedBitsPerSecond(EDR)
                .state(PortState.Active)
                .build());
        return device;
    }

    private ServedFabric fabric() {
        return fabric(List.of());
    }

    private ServedFabric fabric(List<CounterSource> counters) {
        List<Switch> cabling = List.of(leaf(0), leaf(1));
        List<Vertex> vertices = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            vertices.add(new Vertex(host, guid(host), 1, "host" + host, "mlx5_0"));
        }
        FabricMapper mapper = new FabricMapper("ib", FabricModel.of(cabling, vertices), List.of());
        List<ServedDevice> devices = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            FabricDevice device = device(host);
            device.setStatus(mapper.device(host).build());
            devices.add(ServedDevice.of(device));
        }
        Fabric object = new Fabric();
        object.setMetadata(new ObjectMetaBuilder().withName("ib").withUid("u").build());
        object.setSpec(FabricSpecBuilder.builder().counters(counters).build());
        object.setStatus(mapper.fabric(7)
                .index(0)
                .identifier("ib")
                .sources(List.of(SourceStatusBuilder.builder()
                        .name("s")
                        .state("SourceRead")
                        .routes(new RoutesStatus(
                                null, "127.0.0.1:" + sweep.getAddress().getPort(), null))
                        .build()))
                .build());
        List<SwitchFacts> switches = cabling.stream()
                .map(s -> new SwitchFacts(
                        "s." + s.id(),
                        "uid-" + s.id(),
                        "1",
                        "s",
                        null,
                        null,
                        s,
                        Collections.emptySortedMap(),
                        FabricSwitchStatusBuilder.builder().fabric("ib").build()))
                .toList();
        ServedFabrics fabrics = new ServedFabrics(4);
        assertThat(fabrics.refresh(devices, switches, List.of(FabricFacts.of(object))))
                .isEmpty();
        return Objects.requireNonNull(fabrics.get("ib"));
    }

    private void job(String name, int firstHost, int hosts) {
        for (int host = firstHost; host < firstHost + hosts; host++) {
            jobs.seen(null, pod(name, host, "Job"));
        }
    }

    private static PodFact pod(String name, int host, String kind) {
        return new PodFact(
                "lab",
                name + "-" + host,
                "uid-" + name + "-" + host,
                "1",
                "2026-11-28T12:00:00Z",
                "n" + host,
                List.of(),
                Map.of(),
                new OwnerRef("batch/v1", kind, name, "uid-" + name),
                true,
                null,
                null,
                PodFact.Life.Alive);
    }

    private PortTrafficAnswer hotSpots(String... hot) throws Exception {
        return said("""
                {"asOf": "2026-11-28T12:00:00Z", "problem": "no data", "portsAtEnd": 1, "ports": [], "hotSpots": [%s]}
                """.formatted(String.join(",", hot))).hotSpots();
    }

    private PortTraffic.Said said(String text) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        body = bytes.toByteArray();
        ServedFabric fabric = fabric();
        return traffic.fetch(fabric, List.of(fabric));
    }

    private static CounterSource counter(String url, String sent) {
        return CounterSourceBuilder.builder()
                .url(url)
                .sent(sent)
                .switchLabel("s")
                .portLabel("p")
                .build();
    }

    private static String text(CounterSources exporters, String id) throws IOException {
        byte[] gzip = Objects.requireNonNull(exporters.document("ib", id));
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void twoEntriesOfOneUrlAnswerEachForItselfAndPortsWithoutACounterAreSaid() throws Exception {
        String host = "127.0.0.1:" + sweep.getAddress().getPort();
        byte[] metrics = "out{s=\"%s\",p=\"1\"} 1\nother{s=\"%s\",p=\"251\"} 1\n"
                .formatted(leafId(0), leafId(0))
                .getBytes(StandardCharsets.UTF_8);
        sweep.createContext("/metrics", exchange -> {
            exchange.sendResponseHeaders(200, metrics.length);
            exchange.getResponseBody().write(metrics);
            exchange.close();
        });
        List<CounterSource> counters =
                List.of(counter("http://" + host + "/metrics", "out"), counter("http://" + host + "/metrics", "other"));
        CounterSources exporters = new CounterSources(
                new MetricsWay(List.of(host), Duration.ofSeconds(30), 1 << 20), clock, Clock.systemUTC());
        said("{\"ports\": [], \"hotSpots\": []}");
        ServedFabric fabric = fabric(counters);
        exporters.look(List.of(fabric));

        assertThat(text(exporters, CounterSources.id(counters.getFirst()))).contains("\"port\":1}");
        assertThat(text(exporters, CounterSources.id(counters.getLast()))).contains("\"port\":251}");
        assertThat(exporters.document("ib", "another")).isNull();
        PortTrafficAnswer answer = new PortTraffic(jobs, exporters, reports, clock)
                .fetch(fabric, List.of(fabric))
                .ports();
        assertThat(answer.problem()).isEqualTo("no counter of " + HOSTS + " cabled ports of 2 switches");
        exporters.stop();
    }

    private static String hot(int leaf, int port) {
        return """
                {"switch": "%s", "port": %d, "why": "Waiting", "value": 0.5, "since": "2026-11-28T12:00:00Z"}
                """.formatted(leafId(leaf), port);
    }

    @Test
    void aLargeJobTakesTheRoomOfNoSmallOne() throws Exception {
        job("all", 0, HOSTS);
        job("pair", 0, 2);

        PortTrafficAnswer answer = hotSpots(hot(0, UPLINK));
        assertThat(answer.jobsLeftOut()).isEqualTo(1);
        assertThat(answer.hotSpots())
                .singleElement()
                .satisfies(hot -> assertThat(hot.jobs())
                        .extracting(PortTrafficAnswer.Job::name)
                        .containsExactly("pair"));
        assertThat(answer.problem()).isEqualTo("no data");
        assertThat(answer.portsAtEnd()).isEqualTo(1);
    }

    @Test
    void aJobIsNamedAtTheHotPortThatItsPacketsLeaveByAndAtNoOther() throws Exception {
        job("pair", 0, 2);

        assertThat(hotSpots(hot(0, UPLINK), hot(0, 1), hot(0, 3)).hotSpots())
                .extracting(hot -> Objects.requireNonNull(hot.jobs()).size())
                .containsExactly(1, 1, 0);
    }

    @Test
    void whatASweepSaysTwiceOrOfPortsThatTheMapHasNotIsToldOnceOrNot() throws Exception {
        PortTraffic.Said said = said("""
                {"hotSpots": [%s], "ports": [{"switch": "%s", "port": 1}, {"switch": "%s", "port": 1}, {"port": 1}]}
                """.formatted(
                String.join(",", hot(0, UPLINK), hot(0, UPLINK), hot(0, 200), hot(7, 1)), leafId(0), leafId(0)));

        assertThat(said.hotSpots().hotSpots()).hasSize(1);
        assertThat(said.ports().ports()).hasSize(1);
    }

    /** Host 0 sends so much to host 1, and half of that comes back. */
    private static JobTrafficAnswer report(String job, double seconds, long bytes, String asOf) {
        JobTrafficAnswer.Pod[] pods = new JobTrafficAnswer.Pod[2];
        for (int host = 0; host < pods.length; host++) {
            pods[host] = new JobTrafficAnswer.Pod(
                    job + "-" + host,
                    "n" + host,
                    null,
                    seconds,
                    asOf,
                    true,
                    0,
                    List.of(new JobTrafficAnswer.Device(
                            "mlx5_0",
                            "fab://" + guid(host) + "::" + guid(host),
                            bytes / (1 + host),
                            bytes / (2 - host),
                            "rdma-port")));
        }
        return new JobTrafficAnswer(
                "lab", job, 0, seconds, asOf, null, null, 0, 0, List.of(pods), List.of(), 0, 0, 0, null, null, null);
    }

    private static String sends(int leaf, int port, long bytesPerSecond) {
        return """
                {"switch": "%s", "port": %d, "bytesPerSecond": %d}
                """.formatted(leafId(leaf), port, bytesPerSecond);
    }

    @Test
    void atAHotPortEachJobThatTellsNowWhatItSendsHasItsBytesAndItsShare() throws Exception {
        job("told", 0, 2);
        job("silent", 0, 2);
        reports.told("uid", report("told", 10, 1_000_000, NOON.minusSeconds(6).toString()));
        reports.told("uid", report("told", 15, 2_000_000, NOON.minusSeconds(1).toString()));

        PortTrafficAnswer answer =
                said("""
                {"ports": [%s], "hotSpots": [%s]}
                """.formatted(sends(0, UPLINK, 400_000), hot(0, UPLINK))).hotSpots();

        assertThat(Objects.requireNonNull(
                        Objects.requireNonNull(answer.hotSpots()).getFirst().jobs()))
                .extracting(
                        PortTrafficAnswer.Job::name,
                        PortTrafficAnswer.Job::bytesPerSecond,
                        PortTrafficAnswer.Job::share)
                .containsExactly(tuple("silent", null, null), tuple("told", 200_000L, 0.5));
    }

    @Test
    void aJobThatHasEndedOrToldNothingForLongHasNoNumberAtAHotPort() throws Exception {
        job("told", 0, 2);
        reports.told("uid", report("told", 10, 1_000_000, NOON.toString()));
        nanos.addAndGet(Duration.ofSeconds(16).toNanos());

        assertThat(Objects.requireNonNull(hotSpots(hot(0, UPLINK)).hotSpots())
                        .getFirst()
                        .jobs())
                .containsExactly(new PortTrafficAnswer.Job("lab", "told", null, null, Path.Basis.cheapest));
        assertThat(links("told")).extracting(JobTrafficAnswer.Link::share).containsOnlyNulls();
        assertThat(links("told")).hasSize(4);
    }

    @Test
    void jobsAtHotPortsAreAskedInTurnAndWhatNeverEndsIsNot() throws Exception {
        Set<String> asked = new HashSet<>();
        reports.listen((namespace, job) -> asked.add(job), (namespace, job) -> false);
        for (int job = 0; job < 100; job++) {
            job("job-" + job, 2 * job, 2);
        }
        jobs.seen(null, pod("web", 0, "ReplicaSet"));
        jobs.seen(null, pod("web", 1, "ReplicaSet"));

        PortTrafficAnswer answer = hotSpots(hot(0, UPLINK));
        assertThat(Objects.requireNonNull(
                        Objects.requireNonNull(answer.hotSpots()).getFirst().jobs()))
                .hasSize(101);
        assertThat(asked).hasSize(64);
        hotSpots(hot(0, UPLINK));
        assertThat(asked).hasSize(100).doesNotContain("web");
    }

    private List<JobTrafficAnswer.Link> links(String job) throws Exception {
        return Objects.requireNonNull(answer(job).links());
    }

    private JobTrafficAnswer answer(String job) throws Exception {
        return Objects.requireNonNull(traffic.ofJob("lab", job, List.of(fabric())))
                .get();
    }

    @Test
    void theLinksOfAJobAreThoseOfItsWaysAndOfItsOwnDevicesMeasured() throws Exception {
        job("ring", 0, 2);
        reports.told("uid", report("ring", 10, 1_000_000, NOON.toString()));
        said("""
                {"ports": [%s, %s], "hotSpots": []}
                """.formatted(sends(0, UPLINK, 1_000_000), sends(0, 1, 10)));

        assertThat(links("ring"))
                .containsExactlyInAnyOrder(
                        link(0, UPLINK, leafId(1) + " port " + UPLINK, 100_000, 0.1, LinkBasis.estimated),
                        link(1, UPLINK, leafId(0) + " port " + UPLINK, 50_000, null, LinkBasis.estimated),
                        link(0, 1, guid(0) + " port 1", 50_000, 1.0, LinkBasis.measured),
                        link(1, 2, guid(1) + " port 1", 100_000, null, LinkBasis.measured));
    }

    @Test
    void aPodThatNamesDevicesOfOtherNodesOrOneManyTimesIsOnLinksOfItsOwnNodeAlone() throws Exception {
        List<JobTrafficAnswer.Device> claimed = new ArrayList<>();
        for (int device = 0; device < 64; device++) {
            int host = device % 8;
            claimed.add(new JobTrafficAnswer.Device(
                    "eth" + device, "fab://" + guid(host) + "::" + guid(host), 1_000, 1_000, "interface"));
        }
        List<JobTrafficAnswer.Pod> pods = new ArrayList<>();
        List<JobTrafficAnswer.Pair> pairs = new ArrayList<>();
        for (int pod = 0; pod < 46; pod++) {
            pods.add(
                    new JobTrafficAnswer.Pod("pod-" + pod, "n" + pod % 2, null, 10, NOON.toString(), true, 0, claimed));
            for (int to = 1 - pod % 2; to < 46; to += 2) {
                pairs.add(new JobTrafficAnswer.Pair("pod-" + pod, "pod-" + to, 10, 0, null));
            }
        }
        reports.told(
                "uid",
                new JobTrafficAnswer(
                        "lab",
                        "forged",
                        0,
                        10,
                        NOON.toString(),
                        null,
                        null,
                        0,
                        0,
                        pods,
                        pairs,
                        0,
                        0,
                        0,
                        null,
                        null,
                        null));

        assertThat(links("forged"))
                .extracting(JobTrafficAnswer.Link::switchId, JobTrafficAnswer.Link::port)
                .containsExactlyInAnyOrder(
                        tuple(leafId(0), UPLINK), tuple(leafId(1), UPLINK), tuple(leafId(0), 1), tuple(leafId(1), 2));
    }

    @Test
    void theLinksOfAJobAreFoundOnceASecondHoweverManyAsk() throws Exception {
        reports.told("uid", report("ring", 10, 1_000_000, NOON.toString()));
        JobTrafficAnswer first = answer("ring");

        assertThat(answer("ring")).isSameAs(first);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(answer("ring")).isNotSameAs(first).isEqualTo(first);
    }

    @Test
    void theLinksOfAJobWaitForNoSweepThatHangs() throws Exception {
        job("ring", 0, 2);
        reports.told("uid", report("ring", 10, 1_000_000, NOON.toString()));
        mayAnswer = new CountDownLatch(1);

        long began = System.nanoTime();
        assertThat(links("ring")).hasSize(4);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(8));
    }

    private static JobTrafficAnswer.Link link(
            int leaf, int port, String peer, long bytesPerSecond, @Nullable Double share, LinkBasis basis) {
        return new JobTrafficAnswer.Link("ib", leafId(leaf), null, port, peer, bytesPerSecond, share, basis);
    }
}
