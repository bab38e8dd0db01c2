/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

import dev.fabricoperator.crds.ObservedLeaseLock;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The Lease that decides which controller writes. A plain process has no pod's name, so that a random one follows the host's.
 *
 * <p>Losing the lease ends the process: whatever is on its way then must not meet another leader's writes.
 *
 * <p>java-operator-sdk's own election is not used: it holds the lease by clocks that it compares, and renews it only when all that begins
 * with it has begun, which on a busy machine takes longer than the lease holds.
 */
@Singleton
final class LeaderElection {
    private static final Logger LOG = Logger.getLogger(LeaderElection.class);

    private final KubernetesClient client;
    private final String namespace;
    private final Settings.LeaderElection settings;
    private final String identity =
            Objects.requireNonNullElse(System.getenv("HOSTNAME"), "process") + "-" + UUID.randomUUID();
    private volatile @Nullable CompletableFuture<?> elected;
    private volatile boolean ending;

    LeaderElection(KubernetesClient client, Settings settings) {
        this.client = client;
        this.namespace = settings.namespace();
        this.settings = settings.leaderElection();
    }

    /**
     * Takes part from now on; returns at once.
     *
     * @param begin what the leader does, called once, on a thread of its own
     * @throws IOException if it may not have the lease
     * @throws KubernetesClientException if the API server does not say whether it may
     */
    void start(Runnable begin) throws IOException {
        checkRights();
        elected = new LeaderElector(
                        client,
                        configuration(begin),
                        Executors.newCachedThreadPool(
                                Thread.ofPlatform().daemon().name("lease-", 0).factory()))
                .start();
    }

    private LeaderElectionConfig configuration(Runnable begin) {
        return new LeaderElectionConfigBuilder()
                .withName(settings.leaseName())
                .withLock(new ObservedLeaseLock(namespace, settings.leaseName(), identity))
                .withLeaseDuration(settings.leaseDuration())
                .withRenewDeadline(settings.renewDeadline())
                .withRetryPeriod(settings.retryPeriod())
                .withReleaseOnCancel(false)
                .withLeaderCallbacks(new LeaderCallbacks(() -> lead(begin), this::stopLeading, leader -> {}))
                .build();
    }

    /** Not on the elector's thread, which renews the lease. */
    private static void lead(Runnable begin) {
        Thread.ofPlatform()
                .name("begin")
                .uncaughtExceptionHandler((thread, defect) -> {
                    LOG.error("the leader could not begin", defect);
                    System.exit(1);
                })
                .start(begin);
    }

    private void checkRights() throws IOException {
        for (String verb : List.of("get", "create", "patch")) {
            var attributes = new SelfSubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withNewResourceAttributes()
                    .withGroup("coordination.k8s.io")
                    .withResource("leases")
                    .withNamespace(namespace)
                    .withVerb(verb);
            if (!verb.equals("create")) {
                // Which cannot be granted for one name.
                attributes.withName(settings.leaseName());
            }
            var review = client.authorization()
                    .v1()
                    .selfSubjectAccessReview()
                    .create(attributes.endResourceAttributes().endSpec().build());
            if (!Boolean.TRUE.equals(review.getStatus().getAllowed())) {
                throw new IOException("this process may not " + verb + " Lease " + namespace + "/"
                        + settings.leaseName()
                        + ", by which controllers agree on who writes: the Role fabric-operator-controller grants it");
            }
        }
    }

    /** Takes part no more, and gives the lease back where it has it. */
    void stop() {
        ending = true;
        CompletableFuture<?> election = elected;
        if (election != null) {
            election.cancel(false);
        }
    }

    private void stopLeading() {
        if (ending) {
            giveBack();
        } else {
            LOG.warn("the lease is lost");
            // Not in this thread: it holds what ending needs.
            Thread.ofPlatform().name("end").start(() -> System.exit(1));
        }
    }

    /** The library would let it expire. */
    private void giveBack() {
        try {
            Lease lease = client.leases()
                    .inNamespace(namespace)
                    .withName(settings.leaseName())
                    .get();
            if (lease != null && identity.equals(lease.getSpec().getHolderIdentity())) {
                lease.getSpec().setHolderIdentity(null);
                lease.getSpec().setLeaseDurationSeconds(1);
                client.resource(lease).update();
                LOG.info("the lease is given back");
            }
        } catch (KubernetesClientException e) {
            LOG.warnf("the lease will expire by itself: %s", e.getMessage());
        }
    }
}
