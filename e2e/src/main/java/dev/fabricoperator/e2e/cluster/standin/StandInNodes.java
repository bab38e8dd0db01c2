/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.NodeSpec;
import dev.fabricoperator.e2e.cluster.Nodes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands where kubelets would: keeps Nodes Ready and runs the programs of pods that are bound to them inside this JVM.
 *
 * Cost: one pod watch for all nodes, one virtual thread per pod, two small requests per node and ten seconds.
 */
public final class StandInNodes implements Nodes {
    private static final Logger LOG = LoggerFactory.getLogger(StandInNodes.class);
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final KubernetesClient admin;
    private final PodRuntime runtime;
    private final Path podDirectories;
    private final Clock clock;
    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService heartbeats = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().name("node heartbeats ", 0).daemon().factory());
    private final SharedIndexInformer<Pod> pods;

    private record Member(NodeSpec node, KubeletApi api, boolean inContact) {}

    /** @param podDirectories where the pods' token files go */
    public StandInNodes(Cluster cluster, PodRuntime runtime, Path podDirectories) {
        this.admin = cluster.admin();
        this.runtime = runtime;
        this.podDirectories = podDirectories;
        this.clock = Clock.systemUTC();
        this.pods = admin.pods().inAnyNamespace().inform(new PodHandler());
        long period = HEARTBEAT.toMillis();
        var unused = heartbeats.scheduleAtFixedRate(this::heartbeat, period, period, TimeUnit.MILLISECONDS);
    }

    @Override
    public void join(NodeSpec node) {
        KubeletApi api = new KubeletApi(admin, node, clock);
        api.register();
        members.put(node.name(), new Member(node, api, true));
        startPodsOf(node.name());
    }

    @Override
    public void loseContact(String name) {
        members.computeIfPresent(name, (key, member) -> new Member(member.node(), member.api(), false));
        endPodsOf(name, false);
    }

    @Override
    public void regainContact(String name) {
        members.computeIfPresent(name, (key, member) -> new Member(member.node(), member.api(), true));
        Member member = member(name);
        member.api().renewLease();
        member.api().reportReady();
        startPodsOf(name);
    }

    @Override
    public void leave(String name) {
        Member member = member(name);
        members.remove(name);
        // The node first: else the DaemonSet's controller puts new pods on it.
        member.api().removeNode();
        endPodsOf(name, true);
    }

    @Override
    public void close() {
        heartbeats.shutdownNow();
        pods.close();
        List<PodWorker> all = List.copyOf(workers.values());
        all.forEach(worker -> worker.end(false));
        all.forEach(PodWorker::awaitEnd);
        workers.clear();
    }

    private Member member(String name) {
        Member member = members.get(name);
        if (member == null) {
            throw new IllegalArgumentException("no node " + name + " has joined");
        }
        return member;
    }

    private void heartbeat() {
        for (Member member : members.values()) {
            if (!member.inContact()) {
                continue;
            }
            try {
                member.api().renewLease();
                // The controller manager says Unknown when heartbeats were late, and only the kubelet says Ready again.
                if (!member.api().isReportedReady()) {
                    member.api().reportReady();
                }
            } catch (KubernetesClientException e) {
                // A kubelet tries again at its next beat, too.
                LOG.debug("heartbeat of {} is lost", member.node().name(), e);
            }
        }
    }

    private void startPodsOf(String node) {
        pods.getStore().list().stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                .forEach(this::reconcile);
    }

    private void endPodsOf(String node, boolean deleted) {
        for (Pod pod : pods.getStore().list()) {
            if (node.equals(pod.getSpec().getNodeName())) {
                end(pod, deleted);
            }
        }
    }

    private void reconcile(Pod pod) {
        Member member = members.get(String.valueOf(pod.getSpec().getNodeName()));
        if (member == null || !member.inContact() || !runtime.runs(pod)) {
            return;
        }
        String uid = pod.getMetadata().getUid();
        if (pod.getMetadata().getDeletionTimestamp() == null) {
            PodWorker known = workers.computeIfAbsent(uid, key -> {
                BoundPod bound = new BoundPod(
                        pod, member.node(), podDirectories.resolve(uid).resolve("token"));
                PodWorker worker = new PodWorker(member.api(), bound, runtime, clock);
                worker.start();
                return worker;
            });
            known.observe(pod);
        } else if (workers.containsKey(uid)) {
            end(pod, true);
        } else {
            member.api().removePod(pod);
        }
    }

    private void end(Pod pod, boolean deleted) {
        PodWorker worker = workers.remove(pod.getMetadata().getUid());
        if (worker != null) {
            worker.end(deleted);
        }
    }

    private final class PodHandler implements ResourceEventHandler<Pod> {
        @Override
        public void onAdd(Pod pod) {
            reconcile(pod);
        }

        @Override
        public void onUpdate(Pod old, Pod pod) {
            reconcile(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            end(pod, false);
        }
    }
}
