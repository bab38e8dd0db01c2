/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of the program, prefix {@code fabric-operator}; as environment variables {@code FABRIC_OPERATOR_ROLE} and so
 * on.
 */
@ConfigMapping(prefix = "fabric-operator")
public interface Settings {
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

    Coalescing coalescing();

    Damping damping();

    Writes writes();

    LeaderElection leaderElection();

    Health health();

    /** How events become one pass over the model. */
    interface Coalescing {
        /** A pass begins when nothing has changed for this long ... */
        @WithDefault("100ms")
        Duration quiet();

        /** ... or when a change has waited for this long. */
        @WithDefault("500ms")
        Duration limit();

        /** As {@link #quiet}, until the first pass: agents of a fresh cluster arrive one after the other. */
        @WithDefault("1s")
        Duration firstQuiet();

        @WithDefault("15s")
        Duration firstLimit();

        /** A Fabric is created when no switch has changed for this long ... */
        @WithDefault("2s")
        Duration creationQuiet();

        /** ... or devices have waited for one for this long. */
        @WithDefault("30s")
        Duration creationLimit();
    }

    /** When a link that goes up and down counts as down. */
    interface Damping {
        /** A link that changed more often than this ... */
        @WithDefault("5")
        int changes();

        /** ... within this time is damped ... */
        @WithDefault("1m")
        Duration window();

        /** ... until it has not changed for this long. */
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

    /** The port of health and metrics; the rest of it is set as that of Quarkus. */
    interface Health {
        /** Open connections of one client's address. */
        @WithDefault("256")
        int connectionsPerAddress();
    }

    /** Who of the controllers may write. */
    interface LeaderElection {
        @WithDefault("fabric-operator-controller")
        String leaseName();

        @WithDefault("15s")
        Duration leaseDuration();

        @WithDefault("10s")
        Duration renewDeadline();

        @WithDefault("2s")
        Duration retryPeriod();
    }
}
