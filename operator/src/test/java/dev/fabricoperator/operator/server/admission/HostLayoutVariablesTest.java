/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.Pci;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedFabrics;
import dev.fabricoperator.pmix.pmixd.LibraryVariables;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.PodReport;
import dev.fabricoperator.view.mapping.FabricMapper;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What each library is told on hosts as there are, in a file that people can read. */
class HostLayoutVariablesTest {
    private static final Path GOLDEN = Path.of("src/test/resources/host-layout-variables.txt");

    private static final Fabric IB = fabric("ib", 0, Purpose.Compute);
    private static final Fabric ROCE = fabric("roce", 1, Purpose.Compute);
    private static final Fabric STORAGE = fabric("storage", 2, Purpose.Storage);

    private static final List<Fabric> FABRICS = List.of(IB, ROCE, STORAGE);

    /** Of the node, and so of a pod in its network. */
    private static final String ADDRESS = "10.0.0.1";

    private static Fabric fabric(String name, int index, Purpose purpose) {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName(name).build());
        fabric.setSpec(FabricSpecBuilder.builder().purpose(purpose).build());
        fabric.setStatus(FabricStatusBuilder.builder().index(index).build());
        return fabric;
    }

    private static FabricDevice device(
            @Nullable Fabric fabric,
            int plane,
            int index,
            Family family,
            String name,
            @Nullable String netdev,
            int port,
            String... addresses) {
        boolean rdma = family != Family.Ethernet && family != Family.Slingshot;
        FabricDevice device = new FabricDevice();
        device.setMetadata(
                new ObjectMetaBuilder().withName("n1-" + name + "-" + port).build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n1")
                .osName(name)
                .port(port)
                .nodeGuid(rdma ? guid(name) : null)
                .pci(family == Family.Slingshot ? new Pci(pci(name), null, null, null) : null)
                .driver(family == Family.EFA ? "efa" : null)
                .deviceId("id-" + name + "-" + port)
                .type(rdma ? DeviceType.OpenFabrics : DeviceType.Network)
                .family(family)
                .state(PortState.Active)
                .role(Role.Fabric)
                .function(name.startsWith("bond") || name.startsWith("mlx5_bond") ? Function.Bond : Function.Physical)
                .netdev(netdev)
                .ipAddresses(List.of(addresses))
                .build());
        device.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric(fabric == null ? null : fabric.getMetadata().getName())
                .plane(String.valueOf(plane))
                .index(index)
                .build());
        return device;
    }

    private static String guid(String name) {
        return String.format(Locale.ROOT, "%016x", 0x248a_0703_0000_0000L + Integer.toUnsignedLong(name.hashCode()));
    }

    /** A Slingshot device has a name for libfabric beside that of its interface. */
    private static String pci(String netdev) {
        return "0000:2" + netdev.substring(3) + ":00.0";
    }

    /** The interface with the node's address. */
    private static FabricDevice own(String name) {
        FabricDevice device = device(null, 0, 0, Family.Ethernet, name, name, 0, ADDRESS + "/24");
        device.setSpec(FabricDeviceSpecBuilder.builder(device.getSpec())
                .role(Role.Management)
                .build());
        return device;
    }

    private static FabricDevice labelled(String purpose, FabricDevice device) {
        device.getMetadata().setLabels(Map.of(FabricApi.LABEL_PURPOSE, purpose));
        return device;
    }

    private static Map<String, List<FabricDevice>> layouts() {
        Map<String, List<FabricDevice>> layouts = new LinkedHashMap<>();
        layouts.put(
                "one InfiniBand adapter",
                List.of(device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1, "10.1.0.1/24")));
        layouts.put(
                "two InfiniBand adapters, IPoIB on the first",
                List.of(
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1, "10.1.0.1/24")));
        List<FabricDevice> rails = new ArrayList<>();
        List<FabricDevice> planes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            // The kernel's names are not the order of the rails.
            rails.add(device(IB, i, i, Family.InfiniBand, "mlx5_" + (7 - i), "ibp" + i, 1));
            planes.add(device(IB, i, i, Family.InfiniBand, "mlx5_" + i % 4, null, 1 + i / 4));
        }
        layouts.put("eight rails", rails);
        layouts.put("four adapters with two planes each", planes);
        layouts.put(
                "InfiniBand for computing, RoCE for storage",
                List.of(
                        device(STORAGE, 0, 0, Family.RoCE, "mlx5_2", "ens1f0np0", 1, "10.2.0.1/24"),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1),
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1)));
        layouts.put(
                "InfiniBand and RoCE of no stated purpose",
                List.of(
                        device(ROCE, 0, 0, Family.RoCE, "mlx5_2", "ens1f0np0", 1, "10.2.0.1/24"),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1),
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1)));
        layouts.put(
                "InfiniBand, and RoCE that a label has for storage",
                List.of(
                        labelled("storage", device(ROCE, 0, 0, Family.RoCE, "mlx5_2", "ens1f0np0", 1, "10.2.0.1/24")),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1),
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1)));
        layouts.put(
                "an adapter with one port for computing, and one for storage",
                List.of(
                        device(STORAGE, 0, 0, Family.RoCE, "mlx5_0", "ens1f0np0", 1, "10.2.0.1/24"),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 2)));
        layouts.put(
                "a bond of two RoCE ports",
                List.of(device(ROCE, 0, 0, Family.RoCE, "mlx5_bond_0", "bond0", 1, "10.3.0.1/24", "fe80::1/64")));
        layouts.put(
                "EFA",
                List.of(
                        device(ROCE, 0, 0, Family.EFA, "rdmap0s6", null, 1),
                        device(ROCE, 0, 1, Family.EFA, "rdmap16s27", null, 1),
                        own("ens5")));
        layouts.put(
                "Slingshot",
                List.of(
                        device(ROCE, 0, 0, Family.Slingshot, "hsn0", "hsn0", 0, "10.5.0.1/16"),
                        device(ROCE, 0, 1, Family.Slingshot, "hsn1", "hsn1", 0, "10.5.0.2/16")));
        layouts.put(
                "Ethernet for computing",
                List.of(device(ROCE, 0, 0, Family.Ethernet, "ens3f0", "ens3f0", 0, "10.6.0.1/16")));
        layouts.replaceAll((name, devices) -> {
            List<FabricDevice> all = new ArrayList<>(devices);
            if (devices.stream().noneMatch(device -> device.getSpec().role() == Role.Management)) {
                all.add(own("eno1"));
            }
            return all;
        });
        return layouts;
    }

    /** What the launcher sees in a pod that has all devices of the host, and an interface of its own. */
    private static LauncherFacts launcher(List<FabricDevice> devices) {
        List<LauncherFacts.RdmaPort> rdma = new ArrayList<>();
        List<LauncherFacts.CxiDevice> cxi = new ArrayList<>();
        devices.stream()
                .map(FabricDevice::getSpec)
                .sorted(Comparator.comparing(FabricDeviceSpec::osName).thenComparing(FabricDeviceSpec::port))
                .forEach(spec -> {
                    if (spec.family() == Family.Slingshot) {
                        cxi.add(new LauncherFacts.CxiDevice(
                                "cxi" + spec.osName().substring(3), pci(spec.osName())));
                    } else if (spec.type() == DeviceType.OpenFabrics) {
                        rdma.add(new LauncherFacts.RdmaPort(spec.osName(), spec.port(), spec.nodeGuid(), null));
                    }
                });
        return new LauncherFacts(
                1, 1, "0-7", "0", 1, false, true, false, rdma, cxi, List.of(), List.of(), null, null, 0, 0);
    }

    /** Fabrics with devices of the node, each without a cable. */
    private static ServedFabrics served(List<FabricDevice> devices) {
        List<FabricFacts> facts = new ArrayList<>();
        for (Fabric fabric : FABRICS) {
            List<Vertex> vertices = devices.stream()
                    .filter(device -> fabric.getMetadata()
                            .getName()
                            .equals(Objects.requireNonNull(device.getStatus()).fabric()))
                    .map(device -> new Vertex(
                            Objects.requireNonNull(device.getStatus().index()),
                            FabricMember.of(device).endId(),
                            device.getSpec().port(),
                            "n1",
                            device.getSpec().osName(),
                            FabricMember.of(device).use()))
                    .sorted(Comparator.comparing(Vertex::index))
                    .toList();
            if (!vertices.isEmpty()) {
                String name = fabric.getMetadata().getName();
                Fabric object = new Fabric();
                object.setMetadata(fabric.getMetadata());
                object.setSpec(fabric.getSpec());
                object.setStatus(new FabricMapper(name, FabricModel.of(List.of(), vertices), List.of())
                        .fabric(1)
                        .index(fabric.getStatus().index())
                        .build());
                facts.add(FabricFacts.of(object));
            }
        }
        ServedFabrics served = new ServedFabrics(1);
        assertThat(served.refresh(devices.stream().map(ServedDevice::of).toList(), List.of(), facts))
                .isEmpty();
        return served;
    }

    private static Map<String, String> direct(List<FabricDevice> devices, JobTraffic traffic, String own)
            throws Exception {
        ServedFabrics served = served(devices);
        LauncherFacts facts = launcher(devices);
        List<PodReport.OpenDevice> open = new ArrayList<>();
        facts.rdma()
                .forEach(port -> open.add(
                        new PodReport.OpenDevice(port.device(), port.nodeGuid(), null, port.pci(), false, null)));
        facts.cxi()
                .forEach(cxi -> open.add(new PodReport.OpenDevice(cxi.device(), null, null, cxi.pci(), false, null)));
        PodReport report = new PodReport(new byte[16], -1, new byte[] {10, 0, 0, 1}, 27000, 1, "0-7", "", open);
        JobMap map = new JobMaps(new KnownFabrics() {
                    @Override
                    public List<ServedDevice> devicesOf(String node) {
                        return devices.stream().map(ServedDevice::of).toList();
                    }

                    @Override
                    public @Nullable ServedFabric fabric(String name) {
                        return served.get(name);
                    }

                    @Override
                    public List<SwitchFacts> impairedSwitches() {
                        return List.of();
                    }

                    @Override
                    public JobTraffic jobTraffic() {
                        return traffic;
                    }

                    @Override
                    public Set<String> withPreparedHosts() {
                        return Set.of();
                    }

                    @Override
                    public boolean isPending(String name) {
                        return false;
                    }
                })
                .map(
                        new DirectJob(
                                "space",
                                new OwnerRef("batch/v1", "Job", "ring", "0123abcd-0000"),
                                List.of(new DirectJob.App("ring", 1, 1, 1)),
                                Duration.ofMinutes(10),
                                RankOrder.index,
                                null),
                        0,
                        List.of(new Assembly.JoinedPod(new JobPodId(0, "ring-0", "uid0", Instant.EPOCH, "n1"), report)))
                .map();
        JobMap told = JobMapCodec.decode(JobMapCodec.encode(map, JobMapCodec.HIGHEST_VERSION));
        return LibraryVariables.of(told, 0, facts, own, true, port -> null);
    }

    @Test
    void eachLibraryIsToldWhatTheTableSays() throws Exception {
        StringBuilder table = new StringBuilder();
        for (Map.Entry<String, List<FabricDevice>> layout : layouts().entrySet()) {
            List<FabricDevice> devices = layout.getValue();
            List<FabricFacts> facts = FABRICS.stream().map(FabricFacts::of).toList();
            JobTraffic traffic = new JobTraffic(facts, device -> false);
            DeviceVariable.Node usable =
                    UsableDevices.of(devices.stream().map(ServedDevice::of).toList(), facts, traffic, List.of());
            table.append(layout.getKey()).append('\n');
            for (boolean hostNetwork : List.of(false, true)) {
                Map<String, String> env = new TreeMap<>();
                for (DeviceVariable variable : DeviceVariable.values()) {
                    if (variable.isFor(hostNetwork)) {
                        env.put(variable.name(), variable.on(usable, hostNetwork));
                    }
                }
                Map<String, String> direct =
                        new TreeMap<>(direct(devices, traffic, hostNetwork ? withTheNodesAddress(devices) : "eth0"));
                for (DeviceVariable variable : DeviceVariable.values()) {
                    // What a pod's own interface is called in a network of its own is not known before it is there.
                    if (hostNetwork || variable.isFor(false) && !"eth0".equals(direct.get(variable.name()))) {
                        assertThat(direct.getOrDefault(variable.name(), variable.neutral()))
                                .as("%s of %s with launch: direct", variable, layout.getKey())
                                .isEqualTo(env.get(variable.name()));
                    }
                }
                String network = hostNetwork ? "host" : "pod ";
                env.forEach((name, value) -> line(table, "env    " + network, name, value));
                // Another one with each attempt.
                direct.keySet().removeAll(Set.of("FI_OPX_UUID", "FI_PSM3_UUID"));
                direct.forEach((name, value) -> line(table, "direct " + network, name, value));
                assertThat(direct.values()).doesNotContain("");
            }
        }
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(GOLDEN, table);
        }
        assertThat(table).hasToString(Files.readString(GOLDEN));
    }

    private static void line(StringBuilder table, String launch, String name, String value) {
        table.append("  ")
                .append(launch)
                .append(' ')
                .append(name)
                .append('=')
                .append(value)
                .append('\n');
    }

    private static String withTheNodesAddress(List<FabricDevice> devices) {
        return devices.stream()
                .map(FabricDevice::getSpec)
                .filter(spec -> spec.ipAddresses().contains(ADDRESS + "/24"))
                .map(spec -> Objects.requireNonNull(spec.netdev()))
                .findFirst()
                .orElseThrow();
    }
}
