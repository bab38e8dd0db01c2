/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.KubeconfigFile;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.sweeper.SweeperMain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The sweeper as a process with the rights of its manifest, on an adapter of a {@link SimulatedSubnet}. */
public final class SweeperProcess {
    private static final String FORWARDING_TABLES = "SWEEPER_FORWARDING_TABLES";
    private static final String COUNTERS = "SWEEPER_COUNTERS";
    private static final String DATA_COUNTERS = "SWEEPER_DATA_COUNTERS";

    private SweeperProcess() {}

    /**
     * @param host node GUID of the adapter
     * @param interval between two sweeps
     */
    public static ServerProcess start(
            Cluster cluster, SimulatedSubnet subnet, String host, String name, Path directory, Duration interval) {
        return start(cluster, subnet, host, name, directory, interval, Map.of(), "", command -> command);
    }

    /**
     * The same with more settings, elsewhere.
     *
     * @param more variables of its environment; the program that dumps forwarding tables runs in the subnet
     * @param back what leads its programs from where it runs to this process's network, in which the simulator is
     * @param inside makes of its command one that runs it there
     */
    public static ServerProcess start(
            Cluster cluster,
            SimulatedSubnet subnet,
            String host,
            String name,
            Path directory,
            Duration interval,
            Map<String, String> more,
            String back,
            UnaryOperator<List<String>> inside) {
        Path kubeconfig = directory.resolve(name + ".kubeconfig");
        KubeconfigFile.writeWithToken(
                kubeconfig,
                cluster.server(),
                cluster.authorityPem(),
                ServiceAccountTokens.ofAccount(cluster.admin(), OperatorProcess.NAMESPACE, "fabric-sweeper"));
        Map<String, String> environment = new HashMap<>();
        environment.put("KUBECONFIG", kubeconfig.toString());
        environment.put("SWEEPER_INTERVAL", interval.toString());
        environment.put("SWEEPER_POLL_INTERVAL", interval.dividedBy(2).toString());
        environment.put("SWEEPER_LIMIT", "PT15S");
        environment.put("SWEEPER_LEASE_DURATION", "PT10S");
        // Only what it starts is to be in the simulated subnet.
        Map<String, String> simulated = subnet.environment(host);
        environment.put("PATH", Objects.requireNonNull(simulated.get("PATH")));
        String preload = simulated.get("LD_PRELOAD");
        String prefix = back + "env -C " + directory + " LD_PRELOAD=" + preload + " SIM_HOST="
                + simulated.get("SIM_HOST") + " IBSIM_SOCKNAME=" + simulated.get("IBSIM_SOCKNAME");
        environment.put("SWEEPER_DISCOVER", prefix + " ibnetdiscover");
        environment.put("SWEEPER_MASTER_QUERY", prefix + " sminfo");
        environment.put("SWEEPER_LEVELS", prefix + " smpquery");
        environment.put("SWEEPER_ADDRESS", "127.0.0.1");
        environment.put("SWEEPER_PORT", "0");
        environment.putAll(more);
        String tables = more.getOrDefault(FORWARDING_TABLES, "dump_fts -n");
        environment.put(FORWARDING_TABLES, tables.isEmpty() ? "" : prefix + " " + tables);
        environment.put(
                COUNTERS,
                prefix + " " + more.getOrDefault(COUNTERS, "ibqueryerrors --switch --threshold-file /dev/null"));
        environment.put(DATA_COUNTERS, prefix + " ibqueryerrors --switch --counters");
        return ServerProcess.start(
                "sweeper-" + name,
                inside.apply(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SweeperMain.class.getName())),
                environment,
                directory.resolve(name + ".log"));
    }
}
