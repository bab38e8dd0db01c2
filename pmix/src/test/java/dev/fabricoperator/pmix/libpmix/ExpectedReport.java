/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import dev.fabricoperator.protocol.job.DeviceAttribute;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.EndpointTemplate.Format;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobFabric;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What e2e/programs/pmix-report.c has to print for a job, written down from the standard and not from the code. */
final class ExpectedReport {
    /** Of the server. */
    static final String VERSION = "1.2.3-dev.4";

    static final String CLUSTER_ID = "0b0bf8a4-9cc4-43f0-a7a2-6d6e2b8e5c11";

    private final List<String> lines = new ArrayList<>();
    private final JobMap map;

    private ExpectedReport(JobMap map) {
        this.map = map;
    }

    /** What one rank prints. */
    static List<String> of(JobMap map, int rank) {
        JobPod pod = podOf(map, rank);
        List<String> lines = new ArrayList<>(List.of(
                "self " + map.nspace() + " " + rank,
                "self pmix.appnum PMIX_UINT32 " + pod.app(),
                "self pmix.nodeid PMIX_UINT32 " + map.pods().indexOf(pod)));
        lines.addAll(all(map, pod, rank));
        return lines;
    }

    /** What every rank prints of others. */
    static List<String> of(JobMap map) {
        List<String> lines = all(map, map.pods().getFirst(), -1);
        lines.removeIf(line -> Stream.of(
                        "pmix.srvr.host",
                        "pmix.lprocs",
                        "pmix.pmem",
                        "pmix.lcpus",
                        "pmix.wdir",
                        "pmix.app.argv",
                        "  PMIX_PROC ")
                .anyMatch(line::contains));
        return lines;
    }

    private static JobPod podOf(JobMap map, int rank) {
        return map.pods().stream()
                .filter(pod -> rank >= pod.firstRank() && rank < pod.firstRank() + pod.rankCount())
                .findFirst()
                .orElseThrow();
    }

    /** @param self the reader, -1 for nobody */
    private static List<String> all(JobMap map, JobPod own, int self) {
        ExpectedReport report = new ExpectedReport(map);
        report.job(own);
        map.apps().forEach(app -> report.app(app, own));
        for (int i = 0; i < map.pods().size(); i++) {
            report.node(i, own);
        }
        for (int rank = 0; rank < map.size(); rank++) {
            report.rank(rank, self);
        }
        return report.lines;
    }

    private void job(JobPod own) {
        JobFabric fabric = Objects.requireNonNull(map.fabric());
        int size = map.size();
        lines.add("job pmix.job.size PMIX_UINT32 " + size);
        lines.add("job pmix.num.nodes PMIX_UINT32 " + map.pods().size());
        lines.add("job pmix.job.napps PMIX_UINT32 " + map.apps().size());
        lines.add("job pmix.session.id PMIX_UINT32 " + map.sessionId());
        lines.add("job pmix.univ.size PMIX_UINT32 " + size);
        lines.add("job pmix.max.size PMIX_UINT32 " + size);
        lines.add("job pmix.jobid PMIX_STRING " + map.nspace());
        lines.add("job pmix.offset PMIX_PROC_RANK 0");
        lines.add("job pmix.nlist PMIX_STRING "
                + map.pods().stream().map(JobPod::name).collect(Collectors.joining(",")));
        lines.add("job pmix.alist PMIX_STRING "
                + map.pods().stream().map(JobPod::name).collect(Collectors.joining(",")));
        lines.add("job pmix.rm.name PMIX_STRING fabric-operator");
        lines.add("job pmix.rm.version PMIX_STRING " + VERSION);
        lines.add("job pmix.clid PMIX_STRING " + CLUSTER_ID);
        lines.add("job pmix.srvr.host PMIX_STRING " + own.name());
        lines.add("job pmix.srv.strtime PMIX_STRING TIME");
        lines.add("job pmix.tmpdir PMIX_STRING /tmp/session-1");
        lines.add("job pmix.nsdir PMIX_STRING /tmp/session-1/job");
        lines.add("job pmix.lprocs PMIX_DATA_ARRAY [" + own.rankCount() + "] of PMIX_PROC");
        for (int rank = own.firstRank(); rank < own.firstRank() + own.rankCount(); rank++) {
            lines.add("  PMIX_PROC " + map.nspace() + " " + rank);
        }
        lines.add("job pmix.fab.vndr PMIX_STRING " + fabric.vendor());
        lines.add("job pmix.fab.id PMIX_STRING " + fabric.identifier());
        lines.add("job pmix.fab.idx PMIX_SIZE " + fabric.index());
        lines.add("job pmix.fab.nverts PMIX_SIZE " + fabric.devices());
        lines.add("job pmix.fab.grps PMIX_STRING " + fabric.groups());
        strings("job pmix.fab.switch", fabric.switches());
        List<JobFabric.Plane> planes = fabric.planes();
        strings("job pmix.fab.plane", planes.stream().map(JobFabric.Plane::id).toList());
        lines.add("job pmix.fab.dims PMIX_DATA_ARRAY "
                + uint32s(planes.stream().mapToInt(JobFabric.Plane::dims).toArray()));
        lines.add("job pmix.fab.shape PMIX_DATA_ARRAY [" + planes.size() + "] of PMIX_INFO");
        for (JobFabric.Plane plane : planes) {
            lines.add("  pmix.fab.shape PMIX_DATA_ARRAY [2] of PMIX_INFO");
            lines.add("    pmix.fab.plane PMIX_STRING " + plane.id());
            lines.add("    pmix.fab.shape PMIX_DATA_ARRAY " + uint32s(plane.sizes()));
        }
        lines.add("job pmix.fab.shapestr PMIX_DATA_ARRAY [" + planes.size() + "] of PMIX_INFO");
        for (JobFabric.Plane plane : planes) {
            lines.add("  pmix.fab.shapestr PMIX_DATA_ARRAY [2] of PMIX_INFO");
            lines.add("    pmix.fab.plane PMIX_STRING " + plane.id());
            lines.add("    pmix.fab.shapestr PMIX_STRING " + plane.shape());
        }
        short[] costs = Objects.requireNonNull(fabric.costs());
        lines.add("job pmix.fab.cm PMIX_DATA_ARRAY [" + costs.length + "] of PMIX_UINT16 "
                + IntStream.range(0, costs.length)
                        .mapToObj(i -> "" + (costs[i] & 0xffff))
                        .collect(Collectors.joining(" ")));
    }

    private void app(JobApp app, JobPod own) {
        int leader = map.pods().stream()
                .filter(pod -> pod.app() == app.number())
                .mapToInt(JobPod::firstRank)
                .min()
                .orElseThrow();
        String whose = "app" + app.number();
        lines.add(whose + " pmix.app.size PMIX_UINT32 " + app.size());
        lines.add(whose + " pmix.max.size PMIX_UINT32 " + app.size());
        lines.add(whose + " pmix.aldr PMIX_PROC_RANK " + leader);
        strings(whose + " pmix.pset.nms", List.of(app.name()));
        if (own.app() == app.number()) {
            lines.add(whose + " pmix.wdir PMIX_STRING /work here");
            lines.add(whose + " pmix.app.argv PMIX_STRING solver -n 4");
        }
    }

    private void node(int id, JobPod own) {
        JobPod pod = map.pods().get(id);
        String node = "node" + id;
        lines.add(node + " pmix.nodeid PMIX_UINT32 " + id);
        lines.add(node + " pmix.alias PMIX_STRING " + pod.name() + ",10.0.0." + (id + 1));
        lines.add(node + " pmix.lpeers PMIX_STRING " + ranks(Stream.of(pod)));
        lines.add(node + " pmix.local.size PMIX_UINT32 " + pod.rankCount());
        lines.add(node + " pmix.lldr PMIX_PROC_RANK " + pod.firstRank());
        lines.add(node + " pmix.node.size PMIX_UINT32 " + pod.rankCount());
        if (pod == own) {
            lines.add(node + " pmix.pmem PMIX_UINT64 " + (8L << 30));
            lines.add(node + " pmix.lcpus PMIX_ERR_NOT_FOUND");
        }
        devices(node, pod);
    }

    private void devices(String node, JobPod pod) {
        List<JobDevice> placed = pod.devices().stream()
                .filter(device -> device.logical().length > 0)
                .toList();
        lines.add(node + " pmix.fab.coord PMIX_DATA_ARRAY [" + placed.size() + "] of PMIX_GEOMETRY");
        placed.forEach(device -> lines.add("  PMIX_GEOMETRY " + geometry(device)));
        lines.add(node + " pmix.fab.devs PMIX_DATA_ARRAY [" + pod.devices().size() + "] of PMIX_INFO");
        for (JobDevice device : pod.devices()) {
            List<String> members = new ArrayList<>(List.of("pmix.dev.id PMIX_STRING " + device.deviceId()));
            for (DeviceAttribute attribute : device.attributes()) {
                Object value = attribute.key().equals("pmix.fabdev.nm") ? device.osName() : attribute.value();
                members.add(attribute.key() + " PMIX_" + attribute.type() + " " + value);
            }
            if (device.attributes().isEmpty()) {
                members.add("pmix.fabdev.nm PMIX_STRING " + device.osName());
                members.add("pmix.fabdev.vndr PMIX_STRING unknown");
            }
            members.add("pmix.fabdev.btyp PMIX_STRING unknown");
            if (device.attributes().isEmpty()) {
                members.add("pmix.dev.type PMIX_DEVTYPE " + device.typeBits());
            }
            members.add("pmix.fabdev.idx PMIX_UINT32 " + device.index());
            if (device.fabric() > 0) {
                members.add("pmix.fab.idx PMIX_SIZE "
                        + map.fabrics().get(device.fabric()).index());
            }
            members.add("pmix.fab.coord PMIX_GEOMETRY " + geometry(device));
            members.add("pmix.fabdev.coord PMIX_GEOMETRY " + geometry(device));
            members.add("pmix.fab.plane PMIX_STRING " + device.plane());
            members.add("pmix.fab.switch PMIX_STRING " + device.switchId());
            lines.add("  pmix.fabdev PMIX_DATA_ARRAY [" + members.size() + "] of PMIX_INFO");
            members.forEach(member -> lines.add("    " + member));
        }
    }

    private String geometry(JobDevice device) {
        return "fabric " + map.fabrics().get(device.fabric()).index() + " " + device.deviceId() + " "
                + device.osName() + " logical:" + numbers(device.logical(), ",") + " physical:"
                + numbers(device.physical(), ",");
    }

    private void rank(int rank, int self) {
        JobPod pod = podOf(map, rank);
        String whose = "rank" + rank;
        int local = rank - pod.firstRank();
        int before = map.pods().stream()
                .filter(other -> other.app() == pod.app() && other.firstRank() < pod.firstRank())
                .mapToInt(JobPod::rankCount)
                .sum();
        lines.add(whose + " pmix.hname PMIX_STRING " + pod.name());
        lines.add(whose + " pmix.nodeid PMIX_UINT32 " + map.pods().indexOf(pod));
        lines.add(whose + " pmix.appnum PMIX_UINT32 " + pod.app());
        lines.add(whose + " pmix.lrank PMIX_UINT16 " + local);
        lines.add(whose + " pmix.nrank PMIX_UINT16 " + local);
        lines.add(whose + " pmix.grank PMIX_PROC_RANK " + rank);
        lines.add(whose + " pmix.apprank PMIX_PROC_RANK " + (before + local));
        lines.add(whose + " pmix.reinc PMIX_UINT32 0");
        lines.add(whose + " pmix.spawned PMIX_BOOL false");
        if (rank == self) {
            lines.add(whose + " pmix.pdir PMIX_STRING /tmp/session-1/job/" + rank);
            lines.add(whose + " pmix.pkgrank PMIX_UINT16 " + local);
            lines.add(whose + " pmix.cpuset PMIX_ERR_NOT_FOUND");
            lines.add(whose + " pmix.locstr PMIX_ERR_NOT_FOUND");
        }
        List<JobDevice> reachable = pod.devices().stream()
                .filter(device -> device.endpoint() != null)
                .toList();
        lines.add(whose + " pmix.fab.endpt PMIX_DATA_ARRAY [" + reachable.size() + "] of PMIX_ENDPOINT");
        reachable.forEach(device -> lines.add("  PMIX_ENDPOINT " + device.deviceId() + " " + device.osName() + " "
                + address(Objects.requireNonNull(device.endpoint()), local)));
        lines.add(whose + " pmix.dev.dist PMIX_DATA_ARRAY [" + pod.devices().size() + "] of PMIX_DEVICE_DIST");
        pod.devices()
                .forEach(device -> lines.add("  PMIX_DEVICE_DIST " + device.deviceId() + " " + device.osName() + " "
                        + device.typeBits() + " " + device.minimumDistance() + " " + device.maximumDistance()));
        List<JobDevice> cabled = pod.devices().stream()
                .filter(device -> device.switchId() != null)
                .toList();
        lines.add(whose + " pmix.speers PMIX_DATA_ARRAY [" + cabled.size() + "] of PMIX_INFO");
        for (JobDevice device : cabled) {
            lines.add("  pmix.speers PMIX_DATA_ARRAY [3] of PMIX_INFO");
            lines.add("    pmix.dev.id PMIX_STRING " + device.deviceId());
            lines.add("    pmix.fab.switch PMIX_STRING " + device.switchId());
            lines.add("    pmix.speers PMIX_STRING "
                    + ranks(map.pods().stream()
                            .filter(other -> other.devices().stream()
                                    .anyMatch(theirs -> Objects.equals(theirs.switchId(), device.switchId())))));
        }
        devices("host of " + whose, pod);
    }

    private static String address(EndpointTemplate endpoint, int local) {
        HexFormat hex = HexFormat.of();
        return endpoint.format() == Format.FI_SOCKADDR_IN
                ? "0200" + hex.toHexDigits((short) (endpoint.firstPort() + local)) + hex.formatHex(endpoint.address())
                        + "0".repeat(16)
                : "1b00ffff00000000" + hex.formatHex(endpoint.address()) + "0".repeat(48);
    }

    private static String ranks(Stream<JobPod> pods) {
        return pods.flatMapToInt(pod -> IntStream.range(pod.firstRank(), pod.firstRank() + pod.rankCount()))
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(","));
    }

    private void strings(String key, List<String> values) {
        lines.add(key + " PMIX_DATA_ARRAY [" + values.size() + "] of PMIX_STRING");
        values.forEach(value -> lines.add("  PMIX_STRING " + value));
    }

    private static String uint32s(int[] values) {
        return "[" + values.length + "] of PMIX_UINT32 " + numbers(values, " ");
    }

    private static String numbers(int[] values, String separator) {
        return Arrays.stream(values).mapToObj(Integer::toString).collect(Collectors.joining(separator));
    }
}
