/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.operator.condition.Conditions;
import dev.fabricoperator.operator.inventory.LeanObjects;
import dev.fabricoperator.operator.model.FlapDamper;
import dev.fabricoperator.operator.query.QueryServer;
import dev.fabricoperator.operator.reconcile.ModelLoop;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Objects;
import java.util.UUID;
import org.jboss.logging.Logger;

/** Starts what the role asks for, and makes what everybody shares. */
@ApplicationScoped
public class Lifecycle {
    private static final Logger LOG = Logger.getLogger(Lifecycle.class);

    void start(
            @Observes StartupEvent event,
            Settings settings,
            KubernetesSerialization serialization,
            Instance<Operator> operator,
            Instance<QueryServer> query) {
        LeanObjects.register(serialization);
        LOG.infof("role %s, namespace %s", settings.role(), settings.namespace());
        if (settings.role() == Role.controller) {
            operator.get().start();
        } else {
            query.get().start();
        }
    }

    /**
     * The lease that decides who writes. A plain process has no pod's name, so that a random one follows the host's.
     *
     * <p>Losing the lease ends the process: whatever is on its way then must not meet another leader's writes.
     */
    @Produces
    @Singleton
    LeaderElectionConfiguration leaderElection(Settings settings, Instance<ModelLoop> loop) {
        String host = Objects.requireNonNullElse(System.getenv("HOSTNAME"), "process");
        return new LeaderElectionConfiguration(
                settings.leaderElection().leaseName(),
                settings.namespace(),
                settings.leaderElection().leaseDuration(),
                settings.leaderElection().renewDeadline(),
                settings.leaderElection().retryPeriod(),
                host + "-" + UUID.randomUUID(),
                new LeaderCallbacks(() -> loop.get().start(), () -> LOG.warn("the lease is lost"), leader -> {}),
                true);
    }

    @Produces
    @Singleton
    Clock clock() {
        return Clock.systemUTC();
    }

    @Produces
    @Singleton
    FlapDamper damper(Clock clock, Settings settings) {
        Settings.Damping damping = settings.damping();
        return new FlapDamper(clock, new FlapDamper.Limits(damping.changes(), damping.window(), damping.quiet()));
    }

    @Produces
    @Singleton
    Conditions conditions(Clock clock) {
        return new Conditions(clock);
    }
}
