/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.agent;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.e2e.bench.Measured;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.hostgen.RecordedHost;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures the agent on a host of 16 ports against a real API server: resident memory and processor time while nothing
 * happens, and the time from a link's change to the change of its object. {@code e2e/bench/agent.sh} runs it.
 */
public final class AgentBenchmark {
    private static final String NODE = "bench-node";
    private static final String NAMESPACE = "fabric-operator";

    /** Flags of the agent's container, images/agent/src/main/image/app/agent.options. */
    static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-Xms4m",
            "-Xmx16m",
            "-Xmn1m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20",
            "-Xss256k",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=10",
            "-XX:ReservedCodeCacheSize=8m",
            "-XX:+UseCompactObjectHeaders",
            "-XX:TrimNativeHeapInterval=60000",
            "-XX:-UsePerfData");

    private final ControlPlane controlPlane;
    private final Path work;
    private final Path host;
    private final Duration idle;
    private final Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    private final Path agentJar = ProjectRoot.find().resolve("agent/target/fabric-agent.jar");
    private final List<String> rows = new ArrayList<>();

    private AgentBenchmark(ControlPlane controlPlane, Path work, Path host, Duration idle) {
        this.controlPlane = controlPlane;
        this.work = work;
        this.host = host;
        this.idle = idle;
    }

    /** @param arguments seconds to watch each idle process for, 60 by default */
    public static void main(String[] arguments) throws Exception {
        Duration idle = Duration.ofSeconds(arguments.length > 0 ? Long.parseLong(arguments[0]) : 60);
        Path work = Files.createTempDirectory("agent-benchmark");
        Path recording =
                ProjectRoot.find().resolve("fixtures/sysfs/recorded/stampede-c412-603.mlx4-fdr.fsroot.tar.bz2");
        Path host = RecordedHost.unpack(recording, work.resolve("host"));
        SixteenPorts.multiply(host);
        try (ControlPlane controlPlane = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            new AgentBenchmark(controlPlane, work, host, idle).run();
        }
    }

    private void run() throws Exception {
        prepare();
        List<String> common = List.of(
                "--host-root=" + host,
                "--node-name=" + NODE,
                "--api-server=" + controlPlane.server(),
                "--token-file=" + work.resolve("token"),
                "--ca-file=" + work.resolve("ca.crt"),
                "--metrics-port=0");
        String classPath = System.getProperty("java.class.path");
        measure("bare JVM that sleeps", java(List.of("-cp", classPath, BareJvm.class.getName())), false);
        measure("agent", java(agent(List.of(), common)), true);
        Path archive = work.resolve("agent.jsa");
        List<String> training = new ArrayList<>(agent(List.of("-XX:ArchiveClassesAtExit=" + archive), common));
        training.add("--once");
        int exit = new ProcessBuilder(java(training))
                .redirectErrorStream(true)
                .redirectOutput(work.resolve("training.log").toFile())
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IllegalStateException("the training run failed: " + work.resolve("training.log"));
        }
        measure("agent, class archive", java(agent(List.of("-XX:SharedArchiveFile=" + archive), common)), true);
        measure("agent, default JVM flags", agentWithoutFlags(common), true);
        List<String> fabric8 = List.of(
                "-Xmx48m",
                "-Xmn4m",
                "-cp",
                classPath,
                Fabric8Agent.class.getName(),
                host.toString(),
                NODE,
                controlPlane.server(),
                work.resolve("token").toString(),
                work.resolve("ca.crt").toString());
        measure("the same on fabric8", java(fabric8), false);
        System.out.printf(
                Locale.ROOT,
                "%n%-24s %10s %14s %10s   link change to object, ms%n",
                "",
                "RSS MiB",
                "private MiB",
                "idle CPU");
        rows.forEach(System.out::println);
        System.out.println("host of 16 ports (plus 2 of Ethernet); CPU of one core over " + idle.toSeconds()
                + " s; flags " + String.join(" ", FLAGS));
    }

    private List<String> agent(List<String> flags, List<String> common) {
        List<String> command = new ArrayList<>(flags);
        command.add("-jar");
        command.add(agentJar.toString());
        command.addAll(common);
        return command;
    }

    private List<String> agentWithoutFlags(List<String> common) {
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(agent(List.of(), common));
        return command;
    }

    private List<String> java(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(FLAGS);
        command.addAll(arguments);
        return command;
    }

    private void measure(String name, List<String> command, boolean publishes) throws Exception {
        Path log = work.resolve(name.replace(' ', '-') + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        // glibc gives every thread an arena of its own, which an idle daemon never fills.
        builder.environment().put("MALLOC_ARENA_MAX", "1");
        Process process = builder.start();
        try {
            await(() -> Files.readString(log).matches("(?s).*(ready|published).*"), log);
            // Until the C library has given back what starting took.
            Thread.sleep(idle.toMillis() < 60_000 ? 3_000 : 65_000);
            Measured measured = new Measured(process.pid());
            Duration before = measured.processorTime();
            Thread.sleep(idle.toMillis());
            double percent = 100.0 * measured.processorTime().minus(before).toMillis() / idle.toMillis();
            String times = publishes ? linkChanges() : "-";
            rows.add(String.format(
                    Locale.ROOT,
                    "%-24s %10.1f %14.1f %9.2f%%   %s",
                    name,
                    measured.residentKibibytes() / 1024.0,
                    measured.privateKibibytes() / 1024.0,
                    percent,
                    times));
            System.out.println(rows.getLast());
        } finally {
            process.destroy();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }

    /** Pulls and plugs a cable a few times. */
    private String linkChanges() throws Exception {
        Path state = host.resolve("sys/class/infiniband/mlx4_3/ports/1/state");
        List<String> times = new ArrayList<>();
        for (String text : List.of("1: DOWN", "4: ACTIVE", "1: DOWN", "4: ACTIVE")) {
            String expected = text.startsWith("1") ? "Down" : "Active";
            long start = System.nanoTime();
            Files.writeString(state, text + "\n");
            await(
                    () -> expected.equals(String.valueOf(controlPlane
                            .admin()
                            .resources(FabricDevice.class)
                            .withName(NODE + "-mlx4-3-1")
                            .require()
                            .getSpec()
                            .state())),
                    state);
            times.add(Long.toString((System.nanoTime() - start) / 1_000_000));
            Thread.sleep(700);
        }
        return String.join(" ", times);
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition, Path about) throws IOException, InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new IOException("nothing happened within a minute, see " + about);
            }
            Thread.sleep(20);
        }
    }

    private void prepare() throws IOException {
        KubernetesClient admin = controlPlane.admin();
        Path config = ProjectRoot.find().resolve("config");
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        for (String file :
                List.of("crd/fabricdevices.fabric-operator.dev.yaml", "agent/serviceaccount.yaml", "agent/rbac.yaml")) {
            try (InputStream in = Files.newInputStream(config.resolve(file))) {
                admin.load(in).serverSideApply();
            }
        }
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(NODE)
                        .endMetadata()
                        .build())
                .create();
        TokenRequest token = admin.serviceAccounts()
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(NAMESPACE)
                        .withName("fabric-agent")
                        .endMetadata()
                        .build())
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(7200L)
                        .endSpec()
                        .build());
        Files.writeString(work.resolve("token"), token.getStatus().getToken());
        Files.writeString(work.resolve("ca.crt"), controlPlane.authorityPem());
    }
}
