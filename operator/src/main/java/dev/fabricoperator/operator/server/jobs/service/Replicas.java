/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.ReadyEndpoints;
import dev.fabricoperator.operator.launch.JobKey;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The replicas that share the jobs: the ready endpoints of the Service. Each job is the one's whose address gives, together
 * with the job's namespace and UID, the highest hash, so that a replica that comes or goes moves its own share only.
 *
 * @see "Thaler and Ravishankar: A name-based mapping scheme for rendezvous (1996)"
 */
final class Replicas {
    private final @Nullable String self;
    private volatile SortedSet<String> ready = new TreeSet<>();

    /** @param self {@code address:port} of this replica, {@code null} where it is the only one */
    Replicas(@Nullable String self) {
        this.self = self;
    }

    void start(Informers informers, KubernetesClient client, String namespace, String service, Runnable changed) {
        if (self == null) {
            return;
        }
        ReadyEndpoints.watch(informers, client, namespace, service, endpoints -> {
            SortedSet<String> now = new TreeSet<>(endpoints);
            if (!now.equals(ready)) {
                ready = now;
                changed.run();
            }
        });
    }

    /** The other replica that has the job, {@code null} where it is this one's. */
    @Nullable
    String otherFor(JobKey job) {
        return otherFor(job.toString());
    }

    /** The same of whatever one replica does for all. */
    @Nullable
    String otherFor(String name) {
        SortedSet<String> now = ready;
        if (self == null || now.isEmpty()) {
            return null;
        }
        String best = owner(name, now);
        return best.equals(self) ? null : best;
    }

    /** All that are ready but this one. */
    List<String> others() {
        String own = self;
        return own == null
                ? List.of()
                : ready.stream().filter(each -> !each.equals(own)).toList();
    }

    /** Whether an address is that of another one that is ready. */
    boolean isOther(String address) {
        return isOf(address, others());
    }

    static boolean isOf(String address, List<String> replicas) {
        String host = address.contains(":") ? "[" + address + "]" : address;
        return replicas.stream()
                .anyMatch(each -> each.substring(0, each.lastIndexOf(':')).equals(host));
    }

    static String owner(String job, SortedSet<String> replicas) {
        String best = replicas.first();
        byte[] highest = new byte[0];
        for (String replica : replicas) {
            byte[] hash = Sha256.of(replica + "/" + job);
            if (Arrays.compareUnsigned(hash, highest) > 0) {
                highest = hash;
                best = replica;
            }
        }
        return best;
    }
}
