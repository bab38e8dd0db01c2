/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a sweeper runs.
 *
 * @param namespace of the lease and of the report
 * @param source label {@code fabric-operator.dev/source} of what it writes, and name of its report's ConfigMap
 * @param lease that its holder alone sweeps by
 * @param identity of this process in the lease
 * @param discover command whose output is that of {@code ibnetdiscover}
 * @param masterQuery command that prints who is the subnet's master manager, {@code sminfo}
 * @param forwardingTables command whose output is that of {@code dump_fts}; empty where nobody wants the routes
 * @param counters command whose output is that of {@code ibqueryerrors --switch}; empty where nobody wants to know which links may be about to fail
 * @param levels command that answers as {@code smpquery}; empty where nobody wants service levels to be read back
 * @param dataCounters command whose output is that of {@code ibqueryerrors --switch --counters}; empty where nobody wants to know how much ports send
 * @param events path of the unix socket at which OpenSM's event plugin says that something has changed; empty where there is none
 * @param address of this process, by which the operator's servers fetch what it dumped; empty where they cannot reach it
 * @param port that it serves them on
 * @param interval between two sweeps when nothing happens
 * @param pollInterval between two looks at the master
 * @param limit for one sweep
 * @param leaseDuration how long a lease holds that is not renewed
 */
@RecordBuilder
public record SweeperConfig(
        String namespace,
        String source,
        String lease,
        String identity,
        List<String> discover,
        List<String> masterQuery,
        List<String> forwardingTables,
        List<String> counters,
        List<String> levels,
        List<String> dataCounters,
        String events,
        String address,
        int port,
        Duration interval,
        Duration pollInterval,
        Duration limit,
        Duration leaseDuration) {

    /** From environment variables {@code SWEEPER_...}; ISO 8601 durations, commands divided by blanks. */
    public static SweeperConfig of(Map<String, String> environment, String identity) {
        return new SweeperConfig(
                environment.getOrDefault("SWEEPER_NAMESPACE", "fabric-operator"),
                environment.getOrDefault("SWEEPER_SOURCE", "infiniband"),
                environment.getOrDefault("SWEEPER_LEASE", "fabric-sweeper"),
                identity,
                command(environment.get("SWEEPER_DISCOVER"), "ibnetdiscover"),
                command(environment.get("SWEEPER_MASTER_QUERY"), "sminfo"),
                command(environment.get("SWEEPER_FORWARDING_TABLES"), "dump_fts -n"),
                command(environment.get("SWEEPER_COUNTERS"), "ibqueryerrors --switch --threshold-file /dev/null"),
                command(environment.get("SWEEPER_LEVELS"), "smpquery"),
                command(environment.get("SWEEPER_DATA_COUNTERS"), "ibqueryerrors --switch --counters"),
                environment.getOrDefault("SWEEPER_EVENTS", "").strip(),
                environment.getOrDefault("SWEEPER_ADDRESS", ""),
                Integer.parseInt(environment.getOrDefault("SWEEPER_PORT", "8082")),
                duration(environment.get("SWEEPER_INTERVAL"), Duration.ofSeconds(30)),
                duration(environment.get("SWEEPER_POLL_INTERVAL"), Duration.ofSeconds(2)),
                duration(environment.get("SWEEPER_LIMIT"), Duration.ofMinutes(2)),
                duration(environment.get("SWEEPER_LEASE_DURATION"), Duration.ofSeconds(15)));
    }

    /** Whether forwarding tables are dumped, and served to the operator's servers. */
    boolean servesForwardingTables() {
        return !forwardingTables.isEmpty() && !address.isEmpty();
    }

    /** Whether what ports send is looked at, and served to the operator's servers by the same listener. */
    boolean servesPorts() {
        return servesForwardingTables() && !counters.isEmpty() && !dataCounters.isEmpty();
    }

    private static List<String> command(@Nullable String given, String fallback) {
        String command = (given == null ? fallback : given).strip();
        return command.isEmpty() ? List.of() : List.of(command.split(" +"));
    }

    private static Duration duration(@Nullable String given, Duration fallback) {
        return given == null ? fallback : Duration.parse(given);
    }
}
