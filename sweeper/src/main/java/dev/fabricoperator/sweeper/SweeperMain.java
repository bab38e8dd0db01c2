/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.crds.ObservedLeaseLock;
import dev.fabricoperator.crds.TolerantSerialization;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The sweeper as a program: waits for the lease, sweeps while it has it, ends when it loses it (so that nothing of it writes
 * beside the next holder), and gives the lease back when it is told to end.
 */
public final class SweeperMain {
    private static final Duration GOODBYE = Duration.ofSeconds(5);

    private SweeperMain() {}

    /** Exit codes: 0 told to end, 1 the lease is lost or a defect, 2 wrong settings. */
    public static void main(String[] arguments) throws InterruptedException, ExecutionException {
        Map<String, String> environment = System.getenv();
        String host = Objects.requireNonNullElse(environment.get("HOSTNAME"), "process");
        SweeperConfig config;
        try {
            config = SweeperConfig.of(environment, host + "-" + UUID.randomUUID());
        } catch (RuntimeException e) {
            System.err.println("fabric-sweeper: " + e.getMessage());
            System.exit(2);
            return;
        }
        KubernetesClient client = new KubernetesClientBuilder()
                .withKubernetesSerialization(TolerantSerialization.create())
                .build();
        AtomicReference<Thread> sweeping = new AtomicReference<>();
        Runnable begin = () -> {
            Sweeper.log(config.identity() + " holds lease " + config.lease());
            sweeping.set(Thread.ofPlatform().name("sweeper").start(() -> sweep(config, client)));
        };
        LeaderElector elector =
                client.leaderElector().withConfig(election(config, begin)).build();
        var elected = elector.start();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            end(sweeping.get());
                            // Releases the lease: the next one need not wait for it to run out.
                            elected.cancel(true);
                        },
                        "shutdown"));
        elected.whenComplete((done, failure) -> {
            Sweeper.log("lease " + config.lease() + " is lost");
            Runtime.getRuntime().halt(1);
        });
        Thread.currentThread().join();
    }

    private static LeaderElectionConfig election(SweeperConfig config, Runnable begin) {
        Duration duration = config.leaseDuration();
        return new LeaderElectionConfigBuilder()
                .withName(config.lease())
                .withLock(new ObservedLeaseLock(config.namespace(), config.lease(), config.identity()))
                .withLeaseDuration(duration)
                .withRenewDeadline(duration.multipliedBy(2).dividedBy(3))
                .withRetryPeriod(duration.dividedBy(6))
                .withReleaseOnCancel(true)
                .withLeaderCallbacks(new LeaderCallbacks(begin, () -> {}, leader -> {}))
                .build();
    }

    private static void sweep(SweeperConfig config, KubernetesClient client) {
        try {
            new Sweeper(config, client, Clock.systemUTC()).run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            Sweeper.log("port " + config.port() + " cannot be served, or socket " + config.events()
                    + " not made; set SWEEPER_PORT or SWEEPER_EVENTS: " + e.getMessage());
            Runtime.getRuntime().halt(1);
        } catch (RuntimeException e) {
            Sweeper.log("a defect ends this process: " + e);
            Runtime.getRuntime().halt(1);
        }
    }

    private static void end(Thread sweeping) {
        if (sweeping == null) {
            return;
        }
        sweeping.interrupt();
        try {
            sweeping.join(GOODBYE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
