/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.ShapeStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.e2e.node.NodeFabrics;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a rank must read in a job with one pod on each of several nodes, whose pods open all cards of their nodes: made of the
 * cluster's objects and the query API's answers, by the rules of the contract.
 */
final class ExpectedJob {
    private static final HexFormat HEX = HexFormat.of();
    private static final String LINK_UP = "2";

    private final List<Pod> pods;
    private final int ranksPerPod;
    private final Fabric fabric;
    private final Fabric ethernet;
    private final Map<String, List<FabricDevice>> cards;
    private final Map<String, FabricDevice> interfaces;
    private final List<Integer> slots;
    private final List<Integer> ethernetSlots;
    private final JsonNode costs;
    private final Set<Integer> numaNodes = numaNodes();

    ExpectedJob(KubernetesClient client, Function<String, JsonNode> query, List<Pod> pods, int ranksPerPod) {
        this.pods = pods;
        this.ranksPerPod = ranksPerPod;
        this.fabric =
                client.resources(Fabric.class).withName(NodeFabrics.INFINIBAND).require();
        this.ethernet =
                client.resources(Fabric.class).withName(NodeFabrics.ETHERNET).require();
        List<FabricDevice> all = client.resources(FabricDevice.class).list().getItems();
        this.cards = all.stream()
                .filter(device -> NodeFabrics.INFINIBAND.equals(status(device).fabric()))
                // Nearest first.
                .sorted(Comparator.comparingInt(this::least)
                        .thenComparing(
                                device -> Objects.requireNonNull(status(device).index())))
                .collect(Collectors.groupingBy(device -> device.getSpec().nodeName()));
        this.interfaces = all.stream()
                .filter(device -> NodeFabrics.ETHERNET.equals(status(device).fabric()))
                .collect(Collectors.toMap(device -> device.getSpec().nodeName(), device -> device));
        this.slots = pods.stream()
                .flatMap(pod -> cards(pod).stream())
                .map(device -> Objects.requireNonNull(status(device).index()))
                .sorted()
                .toList();
        this.ethernetSlots = pods.stream()
                .map(pod -> Objects.requireNonNull(status(interfaceOf(pod)).index()))
                .sorted()
                .toList();
        String list = slots.stream().map(String::valueOf).collect(Collectors.joining(","));
        this.costs = query.apply(NodeFabrics.INFINIBAND + "/cost?rows=" + list + "&cols=" + list)
                .get("costs");
    }

    private static FabricDeviceStatus status(FabricDevice device) {
        return device.getStatus() == null
                ? new FabricDeviceStatus(null, null, null, null, null, null, List.of(), List.of())
                : device.getStatus();
    }

    private List<FabricDevice> cards(Pod pod) {
        return Objects.requireNonNull(cards.get(pod.getSpec().getNodeName()));
    }

    private FabricDevice interfaceOf(Pod pod) {
        return Objects.requireNonNull(interfaces.get(pod.getSpec().getNodeName()));
    }

    /** Not given to ranks that are not bound. */
    private static final List<String> OF_BOUND_RANKS =
            List.of(" pmix.lcpus", " pmix.cpuset", " pmix.locstr", " pmix.pkgrank");

    void compare(Report report) {
        assertThat(cards).hasSize(pods.size());
        assertThat(slots).hasSize(pods.size() * NodeFabrics.CARDS);
        job(report);
        for (int node = 0; node < pods.size(); node++) {
            node(report, "node" + node, pods.get(node));
            for (int local = 0; local < ranksPerPod; local++) {
                int rank = node * ranksPerPod + local;
                rank(report, rank, node, local);
                node(report, "host of rank" + rank, pods.get(node));
            }
        }
        report.values().forEach((what, lines) -> {
            if (OF_BOUND_RANKS.stream().noneMatch(what::endsWith)) {
                assertThat(lines.toString()).as(what).doesNotContain("PMIX_ERR");
            }
        });
    }

    private void job(Report report) {
        FabricStatus status = fabric.getStatus();
        List<ShapeStatus> shapes = status.shapes().stream()
                .filter(shape -> shape.view() == ViewName.logical)
                .toList();
        int size = pods.size() * ranksPerPod;
        is(report, "job", "pmix.job.size", "PMIX_UINT32 " + size);
        is(report, "job", "pmix.num.nodes", "PMIX_UINT32 " + pods.size());
        is(
                report,
                "job",
                "pmix.nlist",
                "PMIX_STRING "
                        + pods.stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.joining(",")));
        is(report, "job", "pmix.fab.vndr", "PMIX_STRING " + status.vendor());
        is(report, "job", "pmix.fab.id", "PMIX_STRING " + status.identifier());
        is(report, "job", "pmix.fab.idx", "PMIX_SIZE " + status.index());
        is(report, "job", "pmix.fab.nverts", "PMIX_SIZE " + slots.size());
        is(report, "job", "pmix.fab.grps", "PMIX_STRING " + groups());
        strings(
                report,
                "pmix.fab.switch",
                List.copyOf(new TreeSet<>(pods.stream()
                        .flatMap(pod -> cards(pod).stream())
                        .map(device -> status(device).switchId())
                        .toList())));
        strings(
                report,
                "pmix.fab.plane",
                shapes.stream().map(ShapeStatus::plane).toList());
        is(
                report,
                "job",
                "pmix.fab.dims",
                "PMIX_DATA_ARRAY [" + shapes.size() + "] of PMIX_UINT32 "
                        + numbers(shapes.stream().map(ShapeStatus::dims).toList(), " "));
        assertThat(report.elements("job", "pmix.fab.shape"))
                .isEqualTo(shapes.stream()
                        .map(shape -> "pmix.fab.shape PMIX_DATA_ARRAY [2] of PMIX_INFO\npmix.fab.plane PMIX_STRING "
                                + shape.plane() + "\npmix.fab.shape PMIX_DATA_ARRAY ["
                                + shape.sizes().size() + "] of PMIX_UINT32 " + numbers(shape.sizes(), " "))
                        .toList());
        assertThat(report.elements("job", "pmix.fab.shapestr"))
                .isEqualTo(shapes.stream()
                        .map(shape -> "pmix.fab.shapestr PMIX_DATA_ARRAY [2] of PMIX_INFO\npmix.fab.plane PMIX_STRING "
                                + shape.plane() + "\npmix.fab.shapestr PMIX_STRING " + shape.string())
                        .toList());
        List<Integer> matrix = new ArrayList<>();
        costs.forEach(row -> row.forEach(cost -> matrix.add(cost.asInt())));
        is(
                report,
                "job",
                "pmix.fab.cm",
                "PMIX_DATA_ARRAY [" + slots.size() * slots.size() + "] of PMIX_UINT16 " + numbers(matrix, " "));
    }

    /** The job's nodes, which are its pods, by the group that their hosts are in. */
    private String groups() {
        Map<Integer, List<String>> groups = new TreeMap<>();
        for (Pod pod : pods) {
            groups.computeIfAbsent(
                            Objects.requireNonNull(status(cards(pod).getFirst()).group()), group -> new ArrayList<>())
                    .add(pod.getMetadata().getName());
        }
        assertThat(groups).as("nodes of both units of the recorded fabric").hasSize(2);
        return groups.entrySet().stream()
                .map(group -> group.getKey() + ":" + String.join(",", group.getValue()))
                .collect(Collectors.joining(";"));
    }

    private void node(Report report, String whose, Pod pod) {
        FabricDevice under = interfaceOf(pod);
        // The pod's own interface has its place in another fabric than the job's default one.
        String ownPlace = "PMIX_GEOMETRY fabric " + ethernet.getStatus().index() + " ipv4://\\S+ eth0 logical:"
                + coordinates(under, ViewName.logical) + " physical:" + coordinates(under, ViewName.physical);
        List<String> places = report.elements(whose, "pmix.fab.coord");
        assertThat(places)
                .hasSize(NodeFabrics.CARDS + 1)
                .startsWith(cards(pod).stream()
                        .map(card -> "PMIX_GEOMETRY " + geometry(card))
                        .toArray(String[]::new));
        assertThat(places.getLast()).matches(ownPlace);
        List<String> devices = report.elements(whose, "pmix.fab.devs");
        assertThat(devices).hasSize(NodeFabrics.CARDS + 1);
        for (int i = 0; i < NodeFabrics.CARDS; i++) {
            assertThat(devices.get(i).lines().map(String::strip))
                    .containsAll(card(cards(pod).get(i)));
        }
        assertThat(devices.getLast().lines().map(String::strip))
                .contains(
                        "pmix.fabdev.nm PMIX_STRING eth0",
                        "pmix.hname PMIX_STRING " + pod.getSpec().getNodeName(),
                        "pmix.fab.switch PMIX_STRING " + status(under).switchId(),
                        "pmix.fab.idx PMIX_SIZE " + ethernet.getStatus().index(),
                        "pmix.fabdev.idx PMIX_UINT32 "
                                + ethernetSlots.indexOf(status(under).index()))
                .anyMatch(line -> line.matches("pmix\\.fab\\.coord " + ownPlace))
                .anyMatch(line -> line.matches("pmix\\.dev\\.id PMIX_STRING ipv4://([0-9a-f]{2}:){5}[0-9a-f]{2}"))
                .doesNotContain("pmix.dev.id PMIX_STRING " + under.getSpec().deviceId());
    }

    private List<String> card(FabricDevice card) {
        FabricDeviceSpec spec = card.getSpec();
        FabricDeviceStatus place = status(card);
        return Stream.of(
                        "pmix.dev.id PMIX_STRING " + spec.deviceId(),
                        "pmix.hname PMIX_STRING " + spec.hostname(),
                        "pmix.fabdev.nm PMIX_STRING " + spec.osName(),
                        known("pmix.fabdev.vndr PMIX_STRING ", spec.vendor()),
                        "pmix.fabdev.vendid PMIX_STRING " + vendorId(spec),
                        known("pmix.fabdev.btyp PMIX_STRING ", spec.busType()),
                        "pmix.fabdev.pcidevid PMIX_STRING "
                                + Objects.requireNonNull(spec.pci())
                                        .address()
                                        .replace('.', ':')
                                        .replaceFirst(":(.)$", ":0$1"),
                        known("pmix.fabdev.driver PMIX_STRING ", spec.driver()),
                        known("pmix.fabdev.fmwr PMIX_STRING ", spec.firmware()),
                        known(
                                "pmix.fabdev.addr PMIX_STRING ",
                                spec.macAddress() == null ? spec.portGuid() : spec.macAddress()),
                        known("pmix.fabdev.mtu PMIX_SIZE ", spec.mtuBytes()),
                        known("pmix.fabdev.speed PMIX_SIZE ", spec.speedBitsPerSecond()),
                        "pmix.fabdev.state PMIX_LINK_STATE " + LINK_UP,
                        known("pmix.fabdev.type PMIX_STRING ", spec.linkLayer()),
                        "pmix.fabdev.idx PMIX_UINT32 " + slots.indexOf(place.index()),
                        "pmix.fab.coord PMIX_GEOMETRY " + geometry(card),
                        "pmix.fab.plane PMIX_STRING " + place.plane(),
                        "pmix.fab.switch PMIX_STRING " + place.switchId())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static String known(String key, @Nullable Object value) {
        return value == null ? "" : key + value;
    }

    private static String vendorId(FabricDeviceSpec spec) {
        var pci = Objects.requireNonNull(spec.pci());
        return spec.model() != null ? spec.model() : pci.vendorId() + ":" + pci.deviceId();
    }

    private String geometry(FabricDevice device) {
        return "fabric " + fabric.getStatus().index() + " " + device.getSpec().deviceId() + " "
                + device.getSpec().osName() + " logical:" + coordinates(device, ViewName.logical) + " physical:"
                + coordinates(device, ViewName.physical);
    }

    private static String coordinates(FabricDevice device, ViewName view) {
        return status(device).coordinates().stream()
                .filter(coordinate -> coordinate.view() == view)
                .map(CoordinateStatus::values)
                .map(values -> numbers(Objects.requireNonNull(values), ","))
                .findFirst()
                .orElseThrow();
    }

    private void rank(Report report, int rank, int node, int local) {
        String whose = "rank" + rank;
        Pod pod = pods.get(node);
        is(report, whose, "pmix.hname", "PMIX_STRING " + pod.getMetadata().getName());
        is(report, whose, "pmix.nodeid", "PMIX_UINT32 " + node);
        is(report, whose, "pmix.appnum", "PMIX_UINT32 0");
        is(report, whose, "pmix.lrank", "PMIX_UINT16 " + local);
        is(report, whose, "pmix.grank", "PMIX_PROC_RANK " + rank);

        List<String> endpoints = report.elements(whose, "pmix.fab.endpt");
        List<String> expected = new ArrayList<>();
        for (FabricDevice card : cards(pod)) {
            // struct sockaddr_ib: family 27, pkey any, no flow; GID; nothing known of the queue pair.
            expected.add("PMIX_ENDPOINT " + named(card) + " 1b00ffff00000000" + gid(card) + "0".repeat(48));
        }
        assertThat(endpoints).hasSize(NodeFabrics.CARDS + 1).startsWith(expected.toArray(String[]::new));
        assertThat(endpoints.getLast())
                .matches("PMIX_ENDPOINT ipv4://\\S+ eth0 0200(?!0000)[0-9a-f]{4}" + ipv4(pod) + "0{16}");

        List<String> distances = report.elements(whose, "pmix.dev.dist");
        List<String> near = new ArrayList<>();
        for (FabricDevice card : cards(pod)) {
            near.add("PMIX_DEVICE_DIST " + named(card) + " " + DeviceTypes.OPENFABRICS + " " + reach(card));
        }
        assertThat(distances).hasSize(NodeFabrics.CARDS + 1).startsWith(near.toArray(String[]::new));
        assertThat(distances.getLast())
                .matches("PMIX_DEVICE_DIST ipv4://\\S+ eth0 " + DeviceTypes.NETWORK + " " + reach(interfaceOf(pod)));

        List<String> peers = new ArrayList<>();
        for (FabricDevice card : cards(pod)) {
            peers.add("pmix.speers PMIX_DATA_ARRAY [3] of PMIX_INFO\npmix.dev.id PMIX_STRING "
                    + card.getSpec().deviceId() + "\npmix.fab.switch PMIX_STRING "
                    + status(card).switchId() + "\npmix.speers PMIX_STRING "
                    + ranksAt(status(card).switchId()));
        }
        assertThat(report.elements(whose, "pmix.speers"))
                .hasSize(NodeFabrics.CARDS + 1)
                .startsWith(peers.toArray(String[]::new));
    }

    private static final class DeviceTypes {
        // PMIX_DEVTYPE_OPENFABRICS, PMIX_DEVTYPE_NETWORK of pmix_common.h
        static final int OPENFABRICS = 0x08;
        static final int NETWORK = 0x04;
    }

    private static String named(FabricDevice card) {
        return card.getSpec().deviceId() + " " + card.getSpec().osName();
    }

    private static String gid(FabricDevice card) {
        return HEX.formatHex(
                InetAddress.ofLiteral(card.getSpec().gids().getFirst()).getAddress());
    }

    private static String ipv4(Pod pod) {
        return HEX.formatHex(InetAddress.ofLiteral(pod.getStatus().getPodIP()).getAddress());
    }

    /** Least and largest distance to the CPUs that a container may use, which are those of this machine. */
    private String reach(FabricDevice device) {
        return least(device) + " "
                + ofThisMachine(device).mapToInt(Distance::maximum).max().orElseThrow();
    }

    private int least(FabricDevice device) {
        return ofThisMachine(device).mapToInt(Distance::minimum).min().orElseThrow();
    }

    private Stream<Distance> ofThisMachine(FabricDevice device) {
        return device.getSpec().distances().stream().filter(distance -> numaNodes.contains(distance.numaNode()));
    }

    private static Set<Integer> numaNodes() {
        Set<Integer> nodes = new TreeSet<>();
        try {
            for (String range : Files.readString(Path.of("/sys/devices/system/node/online"))
                    .strip()
                    .split(",")) {
                String[] ends = range.split("-");
                IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                        .forEach(nodes::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("this machine does not tell its NUMA nodes", e);
        }
        return nodes;
    }

    private String ranksAt(@Nullable String switchId) {
        return IntStream.range(0, pods.size())
                .filter(node -> cards(pods.get(node)).stream()
                        .anyMatch(card -> Objects.equals(status(card).switchId(), switchId)))
                .flatMap(node -> IntStream.range(node * ranksPerPod, (node + 1) * ranksPerPod))
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(","));
    }

    private static void is(Report report, String whose, String key, String value) {
        assertThat(report.of(whose, key)).as(whose + " " + key).containsExactly(value);
    }

    private static void strings(Report report, String key, List<String> values) {
        assertThat(report.of("job", key).getFirst())
                .isEqualTo("PMIX_DATA_ARRAY [" + values.size() + "] of PMIX_STRING");
        assertThat(report.elements("job", key))
                .isEqualTo(values.stream().map(value -> "PMIX_STRING " + value).toList());
    }

    private static String numbers(List<Integer> values, String separator) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(separator));
    }
}
