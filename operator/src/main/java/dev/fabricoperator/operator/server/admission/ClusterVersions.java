/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Informers;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What the API server and the nodes say of their versions, for what a pod may have depends on that. */
final class ClusterVersions {
    private static final Logger LOG = Logger.getLogger(ClusterVersions.class);
    private static final Duration AGAIN = Duration.ofMinutes(1);
    private static final String WINDOWS = "windows";
    private static final ImageVolumeSupport UNKNOWN =
            new ImageVolumeSupport(false, "the versions of the API server and the nodes are not known yet");

    private final KubernetesClient client;
    private final Informers informers;
    private final SteadyClock clock;
    private final FactStore<Node, NodeFact> nodes = new FactStore<>(NodeFact::of, Node::new);
    private volatile boolean complete;
    private @Nullable String apiServer;
    private Instant askNoSoonerThan = Instant.MIN;
    private final AtomicLong changes = new AtomicLong();
    private volatile @Nullable Known known;

    private record Known(long changes, ImageVolumeSupport support) {}

    private record NodeFact(
            String name, String uid, String resourceVersion, boolean windows, ImageVolumeSupport.NodeVersions versions)
            implements Fact {
        static NodeFact of(Node node) {
            NodeSystemInfo info =
                    node.getStatus() == null ? null : node.getStatus().getNodeInfo();
            String name = node.getMetadata().getName();
            return new NodeFact(
                    name,
                    Objects.requireNonNullElse(node.getMetadata().getUid(), ""),
                    Objects.requireNonNullElse(node.getMetadata().getResourceVersion(), ""),
                    info != null && WINDOWS.equals(info.getOperatingSystem()),
                    new ImageVolumeSupport.NodeVersions(
                            name,
                            info == null ? "" : text(info.getKubeletVersion()),
                            info == null ? "" : text(info.getContainerRuntimeVersion())));
        }

        boolean hasReported() {
            return !versions.kubelet().isEmpty();
        }

        private static String text(@Nullable String value) {
            // Thousands of nodes have the same few.
            return Objects.requireNonNullElse(value, "").intern();
        }
    }

    ClusterVersions(KubernetesClient client, Informers informers, SteadyClock clock) {
        this.client = client;
        this.informers = informers;
        this.clock = clock;
        nodes.listen((@Nullable NodeFact before, @Nullable NodeFact after) -> {
            if (before == null || after == null || !before.versions().equals(after.versions())) {
                changes.incrementAndGet();
            }
        });
    }

    /** Starts to watch, and waits for a while until all nodes are known. */
    void start(Duration atMost) {
        CompletableFuture<Void> started = informers.start(client.nodes(), nodes);
        started.thenRun(() -> complete = true);
        try {
            started.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warnf(
                    e,
                    "the nodes are not known after %s: until then each PMIx server has a container of its own",
                    atMost);
        }
    }

    ImageVolumeSupport imageVolumes() {
        Known last = known;
        return last != null && last.changes() == changes.get() ? last.support() : decide();
    }

    private synchronized ImageVolumeSupport decide() {
        if (!complete) {
            return UNKNOWN;
        }
        long seen = changes.get();
        String version = apiServer();
        if (version == null) {
            return UNKNOWN;
        }
        ImageVolumeSupport found = ImageVolumeSupport.of(
                version,
                nodes.facts().stream()
                        .filter(node -> !node.windows() && node.hasReported())
                        .map(NodeFact::versions)
                        .toList());
        known = new Known(seen, found);
        return found;
    }

    /** API servers are upgraded before kubelets, and kubelets say so: then it is asked again. {@code null} where it does not answer. */
    private @Nullable String apiServer() {
        Instant now = clock.instant();
        if (now.isBefore(askNoSoonerThan)) {
            return apiServer;
        }
        askNoSoonerThan = now.plus(AGAIN);
        try {
            apiServer = client.getKubernetesVersion().getGitVersion();
        } catch (KubernetesClientException e) {
            LOG.warnf("the API server does not tell its version: %s", e.getMessage());
            askNoSoonerThan = now.plusSeconds(1);
        }
        return apiServer;
    }
}
