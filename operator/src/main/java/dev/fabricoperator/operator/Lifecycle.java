/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.LeanObjects;
import dev.fabricoperator.operator.controller.ControllerReadiness;
import dev.fabricoperator.operator.controller.ModelLoop;
import dev.fabricoperator.operator.controller.WaitingJobs;
import dev.fabricoperator.operator.controller.certificate.CertificateKeeper;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.server.admission.AdmissionServer;
import dev.fabricoperator.operator.server.extender.ExtenderServer;
import dev.fabricoperator.operator.server.http.ClusterCertificate;
import dev.fabricoperator.operator.server.http.HealthListener;
import dev.fabricoperator.operator.server.jobs.service.JobServer;
import dev.fabricoperator.operator.server.query.QueryServer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.OperatorException;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Starts what the role asks for, and makes what everybody shares. */
@ApplicationScoped
public class Lifecycle {
    private static final Logger LOG = Logger.getLogger(Lifecycle.class);
    private static final int FIRST = 1;

    private volatile @Nullable Operator started;
    private volatile @Nullable GuardedLoop starting;

    void start(
            @Observes StartupEvent event,
            Settings settings,
            KubernetesSerialization serialization,
            Instance<Operator> operator,
            Instance<LeaderElection> election,
            Instance<ModelLoop> loop,
            Instance<CertificateKeeper> certificates,
            Instance<WaitingJobs> waiting,
            Instance<QueryServer> query,
            Instance<AdmissionServer> admission,
            Instance<ClusterCertificate> certificate,
            Instance<JobServer> jobs,
            Instance<ExtenderServer> extender,
            HealthListener health,
            @Readiness Instance<ControllerReadiness> readiness,
            GuardedLoops loops)
            throws IOException {
        LeanObjects.register(serialization);
        LOG.infof("role %s, namespace %s", settings.role(), settings.namespace());
        if (settings.role() == Role.controller) {
            Operator led = operator.get();
            started = led;
            Runnable lead = () -> {
                loop.get().start();
                certificates.get().start();
                waiting.get().start();
            };
            starting = loops.startPlatform("operator", () -> start(led, election.get(), lead, readiness.get()));
        } else {
            certificate.get().start();
            query.get().start();
            admission.get().start();
            jobs.get().start();
            extender.get().start();
        }
        health.start();
    }

    /**
     * Watches, and takes part in the election of the leader, as soon as the API server answers, has the custom resources and grants what is needed: until then the process
     * is not ready. One that ended instead would be started again after ever longer pauses.
     */
    private static void start(Operator led, LeaderElection election, Runnable lead, ControllerReadiness readiness)
            throws IOException, InterruptedException {
        try {
            led.start();
        } catch (OperatorException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new IOException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), e);
        }
        election.start(lead);
        readiness.started();
        // Until the loop is stopped.
        new CountDownLatch(1).await();
    }

    /**
     * Quarkus does not stop what it has not started. The writing ends first, then the lease is given back, so that
     * another leads at once and meets no writes of this process.
     */
    void stop(
            @Observes @Priority(FIRST) ShutdownEvent event,
            Instance<ModelLoop> loop,
            Instance<LeaderElection> election) {
        Operator led = started;
        GuardedLoop before = starting;
        if (before != null) {
            // One that still waits for the API server could not be stopped.
            before.stop();
        }
        if (led != null) {
            loop.get().stop();
            led.stop();
            election.get().stop();
        }
    }

    @Produces
    @Singleton
    Clock clock() {
        return Clock.systemUTC();
    }

    @Produces
    @Singleton
    SteadyClock steadyClock() {
        return SteadyClock.system();
    }

    @Produces
    @Singleton
    FlapDamping damping(Settings settings) {
        Settings.Damping damping = settings.damping();
        return new FlapDamping(damping.changes(), damping.window(), damping.quiet());
    }

    @Produces
    @Singleton
    Conditions conditions(Clock clock) {
        return new Conditions(clock);
    }
}
