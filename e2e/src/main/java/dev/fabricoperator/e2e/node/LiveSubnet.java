/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.e2e.operator.SweeperProcess;
import dev.fabricoperator.e2e.system.Command;
import dev.fabricoperator.fabric.cabling.PortPeer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The InfiniBand fabric that the nodes of a real cluster play, alive: ibsim and opensm on this machine, and the sweeper, which looks at them with ibnetdiscover and
 * writes what it sees. Closed, the fabric is again what the recorded dump says.
 */
public final class LiveSubnet implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final List<String> MANIFESTS = List.of("rbac.yaml", "report.yaml", "writes-own-switches.yaml");
    private static final String SOURCE = "infiniband";

    private static final String BACK =
            "nsenter --net=/proc/" + ProcessHandle.current().pid() + "/ns/net -- ";

    private final RealCluster cluster;
    private final Path directory;
    private final SimulatedSubnet subnet;
    private final ServerProcess sweeper;
    /** Node GUID of the adapter that opensm runs on. */
    private final String host;

    /** Returns when the Fabric is what was swept; nobody looks at forwarding tables. */
    public LiveSubnet(RealCluster cluster, Duration interval) {
        this(cluster, interval, Map.of("SWEEPER_FORWARDING_TABLES", ""), LiveSubnet::isSwept);
    }

    /** The same, with routes: returns when the sweep has dumped forwarding tables, whose ports they name, since the nodes' recorded LIDs are not those that opensm gives. */
    public static LiveSubnet routed(RealCluster cluster, Duration interval) {
        String address = URI.create(cluster.server()).getHost();
        return new LiveSubnet(
                cluster,
                interval,
                Map.of("SWEEPER_ADDRESS", address, "SWEEPER_FORWARDING_TABLES", "dump_fts"),
                fabric -> isSwept(fabric) && !tables(fabric).isEmpty());
    }

    private LiveSubnet(RealCluster cluster, Duration interval, Map<String, String> settings, Predicate<Fabric> ready) {
        this.cluster = cluster;
        NodeFabrics fabrics = cluster.fabrics();
        try {
            this.directory = Files.createTempDirectory("fabric-operator-subnet-");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a directory", e);
        }
        MANIFESTS.forEach(file -> kubectl("apply", "--server-side", "-f", manifest(file)));
        List<String> others = fabrics.otherAdapters();
        subnet = SimulatedSubnet.of(directory, fabrics.dump(), others.getFirst());
        host = others.getFirst();
        sweeper = SweeperProcess.start(
                cluster,
                subnet,
                others.getLast(),
                "live",
                directory,
                interval,
                settings,
                BACK,
                cluster::insideItsNetwork);
        cluster.admin()
                .resources(Fabric.class)
                .withName(NodeFabrics.INFINIBAND)
                .waitUntilCondition(ready, LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /** Digests of the forwarding tables that the Fabric's status names. */
    public static List<String> tables(Fabric fabric) {
        return fabric.getStatus().sources().stream()
                .map(SourceStatus::routes)
                .filter(Objects::nonNull)
                .map(RoutesStatus::digest)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Lets opensm route by another engine; no cable changes. */
    public void reroute(String engine) {
        subnet.manageAnew(host, "-R", engine);
    }

    private static boolean isSwept(Fabric fabric) {
        return fabric != null
                && fabric.getStatus() != null
                && fabric.getStatus().sources().stream()
                        .anyMatch(source -> "live".equals(source.type()) && "SourceRead".equals(source.state()));
    }

    /**
     * Takes the cable out of a card.
     *
     * @param card by its place among the node's
     * @return just before
     */
    public Instant pull(String node, int card) {
        PortPeer leaf = Objects.requireNonNull(cluster.fabrics()
                .host(node)
                .adapters()
                .get(card)
                .adapter()
                .ports()
                .getFirst()
                .peer());
        Instant before = Instant.now();
        subnet.say("Unlink \"S-%s\"[%d]".formatted(leaf.id(), leaf.port()));
        return before;
    }

    /** When the sweeper last said that it has written objects. */
    public Instant lastWritten() throws IOException {
        return Instant.parse(Files.readAllLines(directory.resolve("live.log")).stream()
                .filter(line -> line.endsWith(" objects written"))
                .reduce((first, second) -> second)
                .orElseThrow()
                .replaceFirst(" .*", ""));
    }

    private void kubectl(String... arguments) {
        Command.kubectl(cluster).run(arguments);
    }

    private static String manifest(String file) {
        return ProjectRoot.find().resolve("config/sweeper").resolve(file).toString();
    }

    @Override
    public void close() {
        sweeper.kill();
        subnet.close();
        cluster.admin().resources(FabricSwitch.class).list().getItems().stream()
                .filter(each -> SOURCE.equals(each.getSpec().source()))
                .forEach(each -> cluster.admin().resource(each).delete());
        cluster.admin()
                .leases()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("fabric-sweeper")
                .delete();
        MANIFESTS.forEach(file -> kubectl("delete", "--ignore-not-found", "-f", manifest(file)));
    }
}
