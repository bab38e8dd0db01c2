/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the program, prefix {@code fabric-operator}; as environment variables {@code FABRIC_OPERATOR_ROLE} and so
 * on.
 */
@ConfigMapping(prefix = "fabric-operator")
public interface Settings {
    /** {@code controller} writes what fabrics consist of, {@code server} answers the query API, the webhooks and the pods of jobs. */
    @WithDefault("controller")
    Role role();

    /** Where uploads, agents, the lease and the operator's own state are. */
    @WithDefault("fabric-operator")
    String namespace();

    /** Files that {@code Fabric.spec.sources[].url} may name lie below this directory. */
    @WithDefault("/etc/fabric-operator/topology")
    Path topologyDirectory();

    /** How often files, and ConfigMaps without the topology label, are looked at. */
    @WithDefault("5s")
    Duration sourcePollInterval();

    /** How often UFM appliances are asked. */
    @WithDefault("30s")
    Duration ufmPollInterval();

    Counters counters();

    JobMetrics jobMetrics();

    Coalescing coalescing();

    Damping damping();

    Writes writes();

    JobEnds jobEnds();

    LeaderElection leaderElection();

    Health health();

    /** Exporters that Fabrics name. */
    interface Counters {
        /** Those that servers may ask, {@code host} or {@code host:port}: whoever may write a Fabric names its exporters, and no others than these are asked. */
        Optional<List<String>> hosts();
    }

    /** What metrics say of single jobs. */
    interface JobMetrics {
        /** Whether servers count what jobs send, by namespace and name: whoever reads metrics then sees names of jobs, which no other metric has. */
        @WithDefault("false")
        boolean bytes();
    }

    /** How events become one pass over the model. */
    interface Coalescing {
        /** A pass over the model begins when nothing has changed for this long. */
        @WithDefault("100ms")
        Duration quiet();

        /** Longest that a change waits for a pass. */
        @WithDefault("500ms")
        Duration limit();

        /** As {@code QUIET}, until the first pass: agents of a fresh cluster arrive one after the other. */
        @WithDefault("1s")
        Duration firstQuiet();

        /** As {@code LIMIT}, until the first pass. */
        @WithDefault("15s")
        Duration firstLimit();

        /** A Fabric is created when no switch has changed for this long. */
        @WithDefault("2s")
        Duration creationQuiet();

        /** Longest that devices wait for a Fabric of their own. */
        @WithDefault("30s")
        Duration creationLimit();
    }

    /** When a link that goes up and down counts as down. */
    interface Damping {
        /** A link that changed more often than this within the window counts as down. */
        @WithDefault("5")
        int changes();

        /** The window. */
        @WithDefault("1m")
        Duration window();

        /** It counts as down until it has not changed for this long. */
        @WithDefault("1m")
        Duration quiet();
    }

    /** Writing of statuses. */
    interface Writes {
        /** Requests that may be on their way at one time. */
        @WithDefault("32")
        int concurrency();

        /** After how long a status that the API server refused is tried again; half of it is random. */
        @WithDefault("5m")
        Duration refusedInterval();
    }

    /** Jobs that end while no server has them. */
    interface JobEnds {
        /** Longest time between two looks at the owner of a job that is not finished; by chance it is up to twice as often. */
        @WithDefault("1m")
        Duration interval();

        /** An end that no server has told for this long is told by the controller. */
        @WithDefault("30s")
        Duration silence();
    }

    /** The port of health and metrics; the rest of it is set as that of Quarkus. */
    interface Health {
        /** Open connections of one client's address. */
        @WithDefault("256")
        int connectionsPerAddress();
    }

    /** Who of the controllers may write. */
    interface LeaderElection {
        /** The Lease by which one of the controllers leads. */
        @WithDefault("fabric-operator-controller")
        String leaseName();

        /** A leader that has not renewed the Lease for this long is followed by another. */
        @WithDefault("15s")
        Duration leaseDuration();

        /** A leader that could not renew it for this long ends its process. */
        @WithDefault("10s")
        Duration renewDeadline();

        /** Between two attempts to get or renew it. */
        @WithDefault("2s")
        Duration retryPeriod();
    }
}
