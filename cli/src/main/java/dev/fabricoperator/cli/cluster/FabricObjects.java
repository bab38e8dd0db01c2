/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.view.answer.LevelsAnswer;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The Fabric objects of a cluster, for commands that follow them or touch them. */
public final class FabricObjects implements AutoCloseable {
    private static final String UPDATING = "Updating";

    private final KubernetesClient client;

    private FabricObjects(KubernetesClient client) {
        this.client = client;
    }

    public static FabricObjects in(@Nullable String context, @Nullable File kubeconfig) throws Failure {
        return new FabricObjects(Connection.open(context, kubeconfig, "start a cluster"));
    }

    /**
     * What happened to a fabric.
     *
     * @param event {@code pending}, {@code updated} or {@code deleted}
     * @param generation the one that is complete
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Change(
            String fabric,
            String event,
            @Nullable Long generation,
            @Nullable String digest,
            @Nullable String message) {}

    /**
     * Sets the annotation that makes the operator read sources again.
     *
     * @param only {@code null} for all
     * @param value new with each call
     * @return names of the Fabrics
     */
    public List<String> refresh(@Nullable String only, String value) throws Failure {
        List<String> names = new ArrayList<>();
        try {
            if (only != null) {
                names.add(only);
            } else {
                client.resources(Fabric.class)
                        .list()
                        .getItems()
                        .forEach(f -> names.add(f.getMetadata().getName()));
            }
            if (names.isEmpty()) {
                throw Failure.failed(client.getMasterUrl() + ": no Fabric in this cluster", null);
            }
            String patch =
                    "{\"metadata\":{\"annotations\":{\"" + FabricApi.ANNOTATION_REFRESH + "\":\"" + value + "\"}}}";
            for (String name : names) {
                client.resources(Fabric.class).withName(name).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
            }
            return names;
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, "list and patch on fabrics of fabric-operator.dev");
        }
    }

    /**
     * Levels of service, by fabric.
     *
     * @param only {@code null} for all
     * @throws Failure also where there are none, which says how to write some
     */
    public List<LevelsAnswer> levels(@Nullable String only) throws Failure {
        List<Fabric> fabrics;
        try {
            fabrics = client.resources(Fabric.class).list().getItems();
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, "list on fabrics of fabric-operator.dev");
        }
        if (only != null && fabrics.stream().noneMatch(fabric -> name(fabric).equals(only))) {
            throw Failure.failed(
                    "no Fabric '" + only + "'; there is "
                            + fabrics.stream().map(FabricObjects::name).sorted().toList(),
                    null);
        }
        List<LevelsAnswer> levels = fabrics.stream()
                .filter(fabric -> only == null || name(fabric).equals(only))
                .map(fabric -> LevelsAnswer.of(name(fabric), fabric.getSpec(), fabric.getStatus()))
                .filter(answer -> !answer.levels().isEmpty())
                .toList();
        if (levels.isEmpty()) {
            throw Failure.failed(
                    (only == null ? "no Fabric has levels" : "Fabric " + only + " has no levels")
                            + ": write them into its spec.levels, as docs/levels.md shows",
                    null);
        }
        return levels;
    }

    private static String name(Fabric fabric) {
        return fabric.getMetadata().getName();
    }

    /** Tells what is there and then each change, from another thread, until this is closed. */
    public void watch(@Nullable String only, Consumer<Change> changes) throws Failure {
        try {
            client.resources(Fabric.class).inform(new Follower(only, changes));
        } catch (KubernetesClientException e) {
            throw Connection.refused(client, e, "list and watch on fabrics of fabric-operator.dev");
        }
    }

    @Override
    public void close() {
        client.close();
    }

    private static final class Follower implements ResourceEventHandler<Fabric> {
        private final @Nullable String only;
        private final Consumer<Change> changes;
        private final Map<String, Change> last = new ConcurrentHashMap<>();

        Follower(@Nullable String only, Consumer<Change> changes) {
            this.only = only;
            this.changes = changes;
        }

        @Override
        public void onAdd(Fabric fabric) {
            tell(fabric);
        }

        @Override
        public void onUpdate(Fabric before, Fabric fabric) {
            tell(fabric);
        }

        @Override
        public void onDelete(Fabric fabric, boolean finalStateUnknown) {
            String name = fabric.getMetadata().getName();
            last.remove(name);
            if (only == null || only.equals(name)) {
                changes.accept(new Change(name, "deleted", null, null, null));
            }
        }

        private void tell(Fabric fabric) {
            String name = fabric.getMetadata().getName();
            Change now = change(name, fabric.getStatus());
            if ((only == null || only.equals(name)) && !now.equals(last.put(name, now))) {
                changes.accept(now);
            }
        }

        private static Change change(String name, @Nullable FabricStatus status) {
            if (status == null) {
                return new Change(name, "pending", null, null, null);
            }
            for (Condition condition : status.conditions()) {
                if (condition.type().equals(UPDATING) && condition.status() == ConditionStatus.True) {
                    return new Change(name, "pending", status.generation(), digest(status), condition.message());
                }
            }
            String kind = Objects.toString(status.kind(), "unknown kind");
            return new Change(
                    name,
                    "updated",
                    status.generation(),
                    digest(status),
                    kind + " " + status.shapeString() + ", " + status.devices() + " devices");
        }

        private static @Nullable String digest(FabricStatus status) {
            return status.costMatrix() == null ? null : status.costMatrix().digest();
        }
    }
}
