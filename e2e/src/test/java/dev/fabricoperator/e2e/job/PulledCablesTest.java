/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.hostgen.Dumps;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OpenSmPlugin;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.e2e.operator.SweeperProcess;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.protocol.job.JobMap;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cables pulled in a subnet of twelve switches on ibsim, whose opensm has the plugin, with the settings that sweeper, controller and server have by default. The agents'
 * part and pods are played: what the first pod is told, and whether ranks are told of it by the rule of pmixd.
 */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
class PulledCablesTest {
    private static final String FABRIC = "infiniband-0";
    private static final int PODS = 3;
    private static final int RANKS = 16;
    private static final int CABLES = Integer.getInteger("cables", 3);
    /** So long that nothing is heard without the plugin; default is 30 s. */
    private static final Duration INTERVAL = Duration.ofSeconds(Integer.getInteger("sweep.seconds", 600));

    private static final int HOSTS_OF_A_LEAF = 16;
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Duration SETTLED = Duration.ofSeconds(10);

    @TempDir
    static Path directory;

    private static FabricStatus status(JobCase jobs) {
        return Objects.requireNonNull(
                jobs.admin.resources(Fabric.class).withName(FABRIC).require().getStatus());
    }

    private static String dump() throws IOException {
        return Dumps.read(ProjectRoot.find().resolve("fixtures/sim/ft2-128/ibnetdiscover.txt.gz"))
                .text();
    }

    private static List<Device> devices(SimulatedSubnet subnet, String host) throws Exception {
        String map = subnet.run(host, "ibnetdiscover");
        return OfflineFabrics.of(IbnetdiscoverReader.read("map", new BufferedReader(new StringReader(map))))
                .getFirst()
                .devices();
    }

    private static Device of(List<Device> devices, int number) {
        String name = String.format(Locale.ROOT, "node%04d", number);
        return devices.stream()
                .filter(device -> name.equals(device.hostname()))
                .findFirst()
                .orElseThrow();
    }

    /** {@code S-GUID}[PORT] of the cables between switches that packets between the job's devices pass, each named from where they leave. */
    private static Set<String> passed(SimulatedSubnet subnet, String host, List<Device> job) {
        Set<String> passed = new HashSet<>();
        for (Device from : job) {
            for (Device to : job) {
                if (from != to) {
                    passed.addAll(way(subnet, host, from, to));
                }
            }
        }
        return passed;
    }

    private static List<String> way(SimulatedSubnet subnet, String host, Device from, Device to) {
        List<String> hops = new ArrayList<>();
        // On a busy machine opensm may be too late for ibtracert.
        eventually(() -> hops.addAll(
                subnet.trace(host, Objects.requireNonNull(from.portGuid()), Objects.requireNonNull(to.portGuid()))));
        return hops.stream()
                .map(hop -> hop.split(":"))
                .map(hop -> "\"S-" + hop[0] + "\"[" + hop[2] + "]")
                .toList();
    }

    private static Instant lastLogged(String words) throws IOException {
        return Files.readAllLines(directory.resolve("sweeper.log")).stream()
                .filter(line -> line.contains(words))
                .reduce((first, second) -> second)
                .map(line -> Instant.parse(line.replaceFirst(" .*", "")))
                .orElse(Instant.EPOCH);
    }

    private static long milliseconds(Instant from, Instant to) {
        return Duration.between(from, to).toMillis();
    }

    @Test
    void ranksAreToldOfAPulledCableOfTheirRoutesLongBeforeTheNextSweepAndOfNoOther(
            ControlPlane cluster, @ClassNamespace String namespace) throws Exception {
        String dump = dump();
        String manager = dump.replaceFirst("(?s).*\"H-(\\p{XDigit}{16})\"\\[1\\]\\S*\\s+# \"node0128 .*", "$1");
        try (JobCase jobs = new JobCase(cluster, directory);
                SimulatedSubnet subnet = SimulatedSubnet.routed(
                        directory, dump, manager, plus(OpenSmPlugin.options(directory), "-s", "10"))) {
            Manifests.applySweeper(cluster);
            List<Device> all = devices(subnet, manager);
            List<Device> job = IntStream.range(0, PODS)
                    .mapToObj(pod -> of(all, 1 + pod * HOSTS_OF_A_LEAF))
                    .toList();
            all.forEach(device -> AdaptersOfOneNode.create(jobs, device));
            try (ServerProcess sweeper = SweeperProcess.start(
                            cluster,
                            subnet,
                            manager,
                            "sweeper",
                            directory,
                            INTERVAL,
                            Map.of(
                                    "SWEEPER_POLL_INTERVAL",
                                    "PT2S",
                                    "SWEEPER_EVENTS",
                                    OpenSmPlugin.socket(directory).toString()),
                            "",
                            command -> command);
                    OperatorProcess controller =
                            OperatorProcess.start(cluster, directory, "controller", OperatorProcess.BRIEF, Map.of())) {
                OperatorProcess server = jobs.startServer(Map.of());
                eventually(() -> assertThat(status(jobs).sources().stream().map(SourceStatus::routes))
                        .anyMatch(Objects::nonNull));
                jobs.createNode("n1");
                Job object = jobs.createJobOnNode(
                        namespace,
                        "pulled",
                        PODS,
                        "n1",
                        Map.of("fabric-operator.dev/ranks-per-pod", Integer.toString(RANKS)));
                List<PodSide> sides = jobs.pods(object, PODS).stream()
                        .map(pod -> jobs.side(server.jobs(), pod))
                        .toList();
                JobMap map = AdaptersOfOneNode.join(
                        sides,
                        RANKS,
                        job.stream()
                                .map(device -> List.of(Objects.requireNonNull(device.nodeGuid())))
                                .toList());
                try (PlayedFirstPod first = new PlayedFirstPod(List.of(sides.getFirst()), map)) {
                    List<Long> last = new ArrayList<>();
                    System.out.printf("%-6s %10s %10s %12s%n", "cable", "written", "tables", "first pod");
                    for (int round = 0; round < CABLES; round++) {
                        Device from = job.get(round % PODS);
                        String cable = way(subnet, manager, from, job.get((round + 1) % PODS))
                                .getFirst();
                        first.forget();
                        Instant pulled = Instant.now();
                        subnet.say("Unlink " + cable);
                        eventually(() -> assertThat(first.told()).isNotEmpty());
                        Thread.sleep(QUIET);
                        last.add(milliseconds(pulled, first.told().getLast().when()));
                        System.out.printf(
                                "%-6d %10d %10d %12s%n",
                                round + 1,
                                milliseconds(pulled, lastLogged(" objects written")),
                                milliseconds(pulled, lastLogged(" forwarding tables of ")),
                                first.told().stream()
                                        .map(each -> each.event() + " " + milliseconds(pulled, each.when()))
                                        .toList());
                    }
                    last.sort(null);
                    System.out.printf(
                            "from a cable to the first pod, ms: median %d, longest %d%n",
                            last.get(CABLES / 2), last.getLast());

                    // What the last cable has brought is heard by then.
                    Thread.sleep(SETTLED);
                    int wrong = 0;
                    boolean rerouted = false;
                    for (int round = 0; round < CABLES; round++) {
                        Set<String> before = passed(subnet, manager, job);
                        // Hosts of the sixth leaf.
                        Device other = of(all, 1 + 5 * HOSTS_OF_A_LEAF + round);
                        String cable =
                                way(subnet, manager, job.getFirst(), other).getLast();
                        assertThat(before).doesNotContain(cable);
                        first.forget();
                        Instant pulled = Instant.now();
                        subnet.say("Unlink " + cable);
                        eventually(
                                () -> assertThat(lastLogged(" objects written")).isAfter(pulled));
                        Thread.sleep(QUIET);
                        // From then on news may be of that.
                        rerouted |= !passed(subnet, manager, job).equals(before);
                        System.out.printf(
                                "other cable %d: %d events, other ways: %b%n",
                                round + 1, first.told().size(), rerouted);
                        wrong += rerouted ? 0 : first.told().size();
                    }
                    assertThat(wrong).isZero();
                    assertThat(sweeper.isAlive()).isTrue();
                    assertThat(controller.isAlive()).isTrue();
                }
            }
        }
    }

    private static String[] plus(String[] options, String... more) {
        String[] all = Arrays.copyOf(options, options.length + more.length);
        System.arraycopy(more, 0, all, options.length, more.length);
        return all;
    }
}
