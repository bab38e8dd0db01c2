/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import dev.fabricoperator.e2e.cluster.ControlPlaneNetwork;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A network namespace with a bridge that nodes are plugged into, and a cable from there to this machine.
 *
 * Its range is 172.30.N.0/24, N the first number that no other cluster here has: .1 is the bridge, with API server and DNS, .10 and up are nodes, .254 is this
 * machine. Pods have 10.244.0.0/16, a /24 for each node; only nodes and control plane know the way there. A sleeping process holds the namespace, so that it
 * goes, and both ends of every cable with it, when that is killed.
 */
final class ClusterNetwork implements AutoCloseable {
    private static final int LAST_CLUSTER = 200;
    private static final int FIRST_NODE = 10;
    private static final int LAST_NODE = 40;

    /** Bridges that nodes hang on in turn, each with a cable to the bridge {@code nodes}. */
    static final int LEAVES = 2;

    private final ServerProcess holder;
    private final int number;

    private ClusterNetwork(ServerProcess holder, int number) {
        this.holder = holder;
        this.number = number;
    }

    static ClusterNetwork create(Path log) {
        ServerProcess holder = holder("cluster's network", log);
        try {
            ClusterNetwork network = new ClusterNetwork(holder, claimNumber(holder.pid()));
            network.configure();
            return network;
        } catch (RuntimeException e) {
            holder.kill();
            throw e;
        }
    }

    private static ServerProcess holder(String name, Path log) {
        ServerProcess holder = ServerProcess.start(
                name, List.of("unshare", "--net", "--", "sleep", "infinity"), java.util.Map.of(), log);
        holder.awaitReady(() -> isApart(holder.pid()), Duration.ofMinutes(1));
        return holder;
    }

    /** Whether a process has a network namespace of its own already. */
    static boolean isApart(long pid) {
        try {
            return !Files.readSymbolicLink(namespace(pid)).equals(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
        } catch (IOException e) {
            // Between fork and exec, or gone: whoever asks looks again.
            return false;
        }
    }

    static Path namespace(long pid) {
        return Path.of("/proc", Long.toString(pid), "ns", "net");
    }

    // The cable's name is the claim: the kernel gives it to one only.
    private static int claimNumber(long pid) {
        String used = HostCommand.run("ip", "-4", "-o", "address") + HostCommand.run("ip", "-4", "route");
        HostCommand.Result last = new HostCommand.Result(0, "");
        for (int number = 1; number <= LAST_CLUSTER; number++) {
            if (used.contains("172.30." + number + ".")) {
                continue;
            }
            last = HostCommand.tryRun(List.of(
                    "ip", "link", "add", cable(number), "type", "veth", "peer", "name", "outside", "netns", "" + pid));
            if (last.code() == 0) {
                return number;
            }
        }
        throw new IllegalStateException("no network is free between 172.30.1.0 and 172.30." + LAST_CLUSTER
                + ".0; the last answer was: " + last.output());
    }

    private static String cable(int number) {
        return "fo" + number;
    }

    private void configure() {
        inside("ip", "link", "set", "lo", "up");
        inside("ip", "address", "add", ControlPlaneNetwork.KUBERNETES_SERVICE + "/32", "dev", "lo");
        inside("ip", "link", "add", "nodes", "type", "bridge");
        inside("ip", "address", "add", gateway() + "/24", "dev", "nodes");
        inside("ip", "link", "set", "outside", "master", "nodes");
        inside("ip", "link", "set", "outside", "up");
        inside("ip", "link", "set", "nodes", "up");
        for (int leaf = 1; leaf <= LEAVES; leaf++) {
            inside("sh", "-euc", """
                    ip link add leaf-%1$d type bridge
                    ip link add down%1$d type veth peer name up%1$d
                    ip link set down%1$d master nodes up
                    ip link set up%1$d master leaf-%1$d up
                    ip link set leaf-%1$d up
                    """.formatted(leaf));
        }
        inside("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
        for (int node = FIRST_NODE; node <= LAST_NODE; node++) {
            inside("ip", "route", "add", pods(node), "via", address(node));
        }
        HostCommand.run("ip", "address", "add", prefix() + "254/24", "dev", cable(number));
        HostCommand.run("ip", "link", "set", cable(number), "up");
    }

    /** Runs a command in the control plane's namespace. */
    String inside(String... command) {
        return HostCommand.run(controlPlane().inside(List.of(command)));
    }

    /** Gives a node its cable; it sets the address itself. */
    void plugIn(int node, long pid) {
        String port = "node" + node;
        inside(
                "ip",
                "link",
                "add",
                port,
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "address",
                macAddress(node),
                "netns",
                "" + pid);
        inside("ip", "link", "set", port, "master", leaf(node));
        inside("ip", "link", "set", port, "up");
    }

    /** Name of the bridge that a node hangs on; its port there has the node's number. */
    static String leaf(int node) {
        return "leaf-" + (1 + (node - FIRST_NODE) % LEAVES);
    }

    String macAddress(int node) {
        return "02:00:ac:1e:%02x:%02x".formatted(number, node);
    }

    ControlPlaneNetwork controlPlane() {
        return new ControlPlaneNetwork(namespace(holder.pid()), gateway());
    }

    /** Name of the cluster among those of this machine, also of its control group. */
    String name() {
        return cable(number);
    }

    static int firstNode() {
        return FIRST_NODE;
    }

    String gateway() {
        return prefix() + "1";
    }

    String address(int node) {
        return prefix() + node;
    }

    static String pods(int node) {
        return "10.244." + node + ".0/24";
    }

    /** The ways to the pods of all other nodes, a line each for {@code ip route add}. */
    List<String> routesFrom(int node) {
        List<String> routes = new ArrayList<>();
        for (int other = FIRST_NODE; other <= LAST_NODE; other++) {
            if (other != node) {
                routes.add(pods(other) + " via " + address(other));
            }
        }
        return routes;
    }

    private String prefix() {
        return "172.30." + number + ".";
    }

    @Override
    public void close() {
        holder.kill();
    }

    /** What takes away the traces of a cluster whose processes are gone; it may run twice. */
    static Path writeTidyUp(String cluster, Path directory) {
        // Where nobody else can write: root runs it, and beside the directory anybody may have put a link under its
        // name.
        Path script = directory.resolve("tidy-up");
        try {
            return Files.writeString(script, """
                    #!/bin/sh
                    # Control groups can be removed once the kernel has taken leave of the killed processes.
                    for attempt in $(seq 100); do
                      left=
                      for group in /sys/fs/cgroup/%1$s /sys/fs/cgroup/*/%1$s; do
                        [ -d "$group" ] || continue
                        find "$group" -depth -type d -exec rmdir {} ';' 2> /dev/null
                        [ ! -d "$group" ] || left=yes
                      done
                      [ -n "$left" ] || break
                      sleep 0.1
                    done
                    ip link delete %1$s 2> /dev/null
                    rm -f "$0"
                    [ -e '%2$s/keep' ] || rm -rf --one-file-system '%2$s'
                    """.formatted(cluster, directory));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + script, e);
        }
    }
}
