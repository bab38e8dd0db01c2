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
import dev.fabricoperator.protocol.pmix.PmixType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A job on a two-level fat tree with two planes, and on an Ethernet of one switch: each pod has an InfiniBand port on either plane and its own Ethernet
 * interface. Pods 2n and 2n+1 share a leaf of the tree. The last pod is an app of its own.
 */
final class SampleJob {
    private SampleJob() {}

    static JobMap of(String nspace, int pods, int ranksPerPod) {
        List<JobPod> all = new ArrayList<>();
        int apps = pods > 2 ? 2 : 1;
        for (int pod = 0; pod < pods; pod++) {
            all.add(pod(pod, apps == 2 && pod == pods - 1 ? 1 : 0, pod * ranksPerPod, ranksPerPod));
        }
        List<JobApp> declared = apps == 1
                ? List.of(new JobApp(0, "workers", pods * ranksPerPod))
                : List.of(new JobApp(0, "workers", (pods - 1) * ranksPerPod), new JobApp(1, "reducer", ranksPerPod));
        return new JobMap(nspace, 0, new byte[32], declared, all, fabric(pods), List.of(ethernet(pods)));
    }

    private static JobPod pod(int pod, int app, int firstRank, int ranks) {
        byte[] address = ByteBuffer.allocate(4).putInt(0x0a000000 + pod + 1).array();
        List<JobDevice> devices = new ArrayList<>();
        for (int plane = 0; plane < 2; plane++) {
            String guid = String.format("506b:4b03:00%02x:%04x", plane, pod + 1);
            devices.add(new JobDevice(
                    "fab://" + guid + "::" + guid,
                    "mlx5_" + plane,
                    0x08,
                    List.of(
                            new DeviceAttribute("pmix.hname", PmixType.STRING, "host-" + pod),
                            new DeviceAttribute("pmix.fabdev.nm", PmixType.STRING, "mlx5_" + (plane + 4)),
                            new DeviceAttribute("pmix.fabdev.vndr", PmixType.STRING, "Mellanox"),
                            new DeviceAttribute("pmix.fabdev.mtu", PmixType.SIZE, 4092L),
                            new DeviceAttribute("pmix.fabdev.speed", PmixType.SIZE, 400_000_000_000L),
                            new DeviceAttribute("pmix.fabdev.state", PmixType.LINK_STATE, 2L),
                            new DeviceAttribute("pmix.dev.type", PmixType.DEVTYPE, 8L)),
                    2 * pod + plane,
                    "plane-" + plane,
                    "leaf-" + plane + "-" + pod / 2,
                    new int[] {plane, pod / 2, pod % 2},
                    new int[] {plane, pod / 2, 10 + pod % 2},
                    10 + 11 * plane,
                    21,
                    plane == 0
                            ? new EndpointTemplate(
                                    Format.FI_SOCKADDR_IB,
                                    ByteBuffer.allocate(16)
                                            .putLong(0xfe80_0000_0000_0000L)
                                            .putLong(0x506b_4b03_0000_0001L + pod)
                                            .array(),
                                    0,
                                    100 + pod)
                            : null));
        }
        devices.add(new JobDevice(
                "ipv4://02:00:00:00:00:0" + (pod + 1) % 10,
                "eth0",
                0x04,
                List.of(),
                1,
                pod,
                "plane-0",
                "bridge",
                new int[] {pod},
                new int[] {20 + pod},
                65535,
                65535,
                new EndpointTemplate(Format.FI_SOCKADDR_IN, address, 20000, 0),
                0,
                true));
        return new JobPod(
                "job-" + pod, "host-" + pod, app, firstRank, ranks, address, 19999, "0-" + (ranks - 1), devices);
    }

    /** Its plane has the name of one of the other fabric. */
    private static JobFabric ethernet(int pods) {
        short[] costs = new short[pods * pods];
        Arrays.fill(costs, (short) 900);
        for (int pod = 0; pod < pods; pod++) {
            costs[pod * pods + pod] = 0;
        }
        return new JobFabric(
                "ethernet-0",
                "Intel",
                "ethernet-0",
                1,
                5,
                List.of(new JobFabric.Plane("plane-0", 1, new int[] {pods}, "" + pods)),
                List.of("bridge"),
                "",
                pods,
                costs,
                Map.of());
    }

    private static JobFabric fabric(int pods) {
        int devices = 2 * pods;
        short[] costs = new short[devices * devices];
        for (int from = 0; from < devices; from++) {
            for (int to = 0; to < devices; to++) {
                boolean samePlane = from % 2 == to % 2;
                int cost = !samePlane ? 65535 : from == to ? 0 : from / 4 == to / 4 ? 200 : 400;
                costs[from * devices + to] = (short) cost;
            }
        }
        int leaves = (pods + 1) / 2;
        List<String> switches = new ArrayList<>();
        StringBuilder groups = new StringBuilder();
        for (int plane = 0; plane < 2; plane++) {
            for (int leaf = 0; leaf < leaves; leaf++) {
                switches.add("leaf-" + plane + "-" + leaf);
            }
        }
        for (int pod = 0; pod < pods; pod++) {
            groups.append(pod % 2 == 1 ? "," : (pod == 0 ? "" : ";") + pod / 2 + ":")
                    .append("job-")
                    .append(pod);
        }
        return new JobFabric(
                "infiniband-0",
                "NVIDIA",
                "infiniband-0",
                3,
                17,
                List.of(
                        new JobFabric.Plane("plane-0", 3, new int[] {2, leaves, 2}, "2x" + leaves + "x2"),
                        new JobFabric.Plane("plane-1", 3, new int[] {2, leaves, 2}, "2x" + leaves + "x2")),
                switches,
                groups.toString(),
                devices,
                costs,
                Map.of(),
                null,
                new JobFabric.Levels(
                        List.of("low-latency", "bulk-data"),
                        List.of(
                                new JobFabric.Channel("mpi", "low-latency"),
                                new JobFabric.Channel("nccl", "bulk-data"))),
                "FatTree");
    }
}
