/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmOptions;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmVersion;
import dev.fabricoperator.formats.export.SlurmWriter;
import dev.fabricoperator.formats.export.SlurmWriter.NamedTopology;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.Failures;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.IntegrationSettings;
import dev.fabricoperator.operator.controller.integration.IntegrationWriter;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.WriteFailures;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps {@code topology.yaml} with all compute Fabrics, and {@code topology.conf} with the one that goes first, in one ConfigMap of the
 * operator's namespace. While any of them cannot be modelled the files stay as they are: Slurm takes a host that they leave out for one
 * without a network.
 *
 * @see "topology.yaml(5): a list of topologies of which one is the cluster's default; topology.conf(5) has one"
 */
@Singleton
public final class SlurmTopologies extends IntegrationWriter {
    static final String NAME = "fabric-operator-slurm";
    static final String YAML = "topology.yaml";
    static final String CONF = "topology.conf";
    static final String SOURCE_LABEL = "app.kubernetes.io/managed-by";
    static final String SOURCE = "fabric-operator";

    /** What a Fabric's annotation calls it. */
    static final String SYSTEM = "slurm";

    private static final Logger LOG = Logger.getLogger(SlurmTopologies.class);
    private static final Duration GATHERING = Duration.ofMillis(200);

    private final KubernetesClient client;
    private final String namespace;
    private final SlurmSettings settings;
    private final ModelTrees trees;
    private final Duration refusedInterval;
    private final WriteFailures failures = new WriteFailures();
    private @Nullable ClusterModel modelOfFiles;
    private Files files = Files.NONE;
    private @Nullable Refusal refusal;
    private boolean isRemoved;

    /**
     * @param data of the ConfigMap; empty where no Fabric is to be told of
     * @param conditions what is to be said when they are written
     * @param isKnown whether every Fabric could be written; else what there is stays
     * @param keepsConf whether the {@code topology.conf} that is there stays
     */
    private record Files(
            SortedMap<String, String> data,
            SortedMap<String, ConditionDraft> conditions,
            boolean isKnown,
            boolean keepsConf) {
        static final Files NONE = new Files(new TreeMap<>(), new TreeMap<>(), true, false);

        /** With the file that is to stay: what is not applied again would be removed. */
        Files with(@Nullable ConfigMap present) {
            String conf = present == null || present.getData() == null
                    ? null
                    : present.getData().get(CONF);
            if (!keepsConf || conf == null) {
                return this;
            }
            SortedMap<String, String> whole = new TreeMap<>(data);
            whole.put(CONF, conf);
            return new Files(whole, conditions, isKnown, keepsConf);
        }

        /** Without a walk over texts and drafts. */
        @Override
        public int hashCode() {
            return conditions.size();
        }
    }

    private record Refusal(Map<String, String> data, long nanos, String message) {}

    SlurmTopologies(
            KubernetesClient client,
            ModelTrees trees,
            MeterRegistry meters,
            Settings operator,
            IntegrationSettings integrations,
            SlurmSettings settings) {
        super(SYSTEM, ConditionType.SlurmTopologyCurrent, meters, integrations.interval(), GATHERING);
        this.client = client;
        this.namespace = operator.namespace();
        this.settings = settings;
        this.trees = trees;
        this.refusedInterval = operator.writes().refusedInterval();
    }

    @Override
    protected void bring(ClusterModel model) {
        if (!settings.enabled()) {
            if (!isRemoved) {
                remove(present());
                isRemoved = true;
                conditions().set(model, new TreeMap<>());
            }
            return;
        }
        if (modelOfFiles != model) {
            files = files(model);
            modelOfFiles = model;
        }
        failures.begin(Set.of(NAME));
        try {
            ConfigMap present = present();
            if (files.isKnown()) {
                files = files.with(present);
                bring(model, present);
            } else {
                tell(model, draft -> draft);
            }
            failures.passed(NAME);
        } catch (KubernetesClientException e) {
            failures.failed(NAME, e);
            String message = failures.message(NAME);
            // What was said before holds where it may have been the moment.
            if (message != null && files.isKnown()) {
                tell(
                        model,
                        draft -> Failures.pass(e)
                                ? failing("1 ConfigMap", message)
                                : problem(Reason.WritesRefused, message));
            }
            throw e;
        }
    }

    private void bring(ClusterModel model, @Nullable ConfigMap present) {
        if (files.data().isEmpty()) {
            remove(present);
            tell(model, draft -> draft);
        } else if (present != null && !isOurs(present)) {
            tell(
                    model,
                    draft -> problem(
                            Reason.NameTaken,
                            "ConfigMap " + NAME + " is somebody else's: it has no label " + SOURCE_LABEL + "=" + SOURCE
                                    + "; delete or rename it"));
        } else {
            String refused = isAsWanted(present) ? null : apply(present);
            setObjects(refused == null ? 1 : 0);
            tell(model, draft -> refused == null ? draft : problem(Reason.WritesRefused, refused));
        }
    }

    private void tell(ClusterModel model, Function<ConditionDraft, ConditionDraft> by) {
        SortedMap<String, ConditionDraft> drafts = new TreeMap<>();
        files.conditions().forEach((fabric, draft) -> drafts.put(fabric, by.apply(draft)));
        conditions().set(model, drafts);
    }

    private @Nullable ConfigMap present() {
        return client.configMaps().inNamespace(namespace).withName(NAME).get();
    }

    private static boolean isOurs(ConfigMap map) {
        return map.getMetadata().getLabels() != null
                && SOURCE.equals(map.getMetadata().getLabels().get(SOURCE_LABEL));
    }

    /** Whoever mounts it may keep files of his own beside these. */
    private boolean isAsWanted(@Nullable ConfigMap present) {
        Map<String, String> data = present == null ? null : present.getData();
        return data != null
                && files.data().entrySet().stream()
                        .allMatch(file -> file.getValue().equals(data.get(file.getKey())));
    }

    private void remove(@Nullable ConfigMap present) {
        if (present != null && isOurs(present) && present.getMetadata().getDeletionTimestamp() == null) {
            client.resource(present)
                    .lockResourceVersion(present.getMetadata().getResourceVersion())
                    .delete();
            count(Outcome.deleted);
        }
        refusal = null;
        setObjects(0);
    }

    /** @return why the API server refuses it, {@code null} when it is written */
    private @Nullable String apply(@Nullable ConfigMap present) {
        Refusal before = refusal;
        if (before != null
                && before.data().equals(files.data())
                && System.nanoTime() - before.nanos() < refusedInterval.toNanos()) {
            return before.message();
        }
        ConfigMap map = new ConfigMapBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(namespace)
                // One that somebody makes meanwhile must not be taken over.
                .withUid(present == null ? null : present.getMetadata().getUid())
                .addToLabels(SOURCE_LABEL, SOURCE)
                .endMetadata()
                .withData(files.data())
                .build();
        try {
            client.resource(map)
                    .fieldManager(FabricApi.OPERATOR_FIELD_MANAGER)
                    .forceConflicts()
                    .serverSideApply();
            count(Outcome.ok);
            refusal = null;
            return null;
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                count(Outcome.again);
                throw e;
            }
            count(Outcome.refused);
            String message = "the API server refuses ConfigMap " + NAME + ": " + e.getMessage();
            LOG.error(message);
            refusal = new Refusal(files.data(), System.nanoTime(), message);
            return message;
        }
    }

    private Files files(ClusterModel model) {
        FabricTrees all = trees.of(model, SYSTEM);
        if (!all.unknown().isEmpty()) {
            return new Files(new TreeMap<>(), untouched(all), false, false);
        }
        SortedMap<String, ConditionDraft> conditions = new TreeMap<>();
        List<NamedTopology> topologies = all.trees().stream()
                .map(FabricTree::state)
                .map(state -> topology(state, settings.plugin(), settings.names()))
                .toList();
        SortedMap<String, String> data = new TreeMap<>();
        boolean isFlat = false;
        try {
            if (!topologies.isEmpty()) {
                data.put(YAML, SlurmWriter.yaml(topologies));
                isFlat = SlurmWriter.isFlat(topologies.getFirst());
                if (!isFlat) {
                    data.put(CONF, SlurmWriter.conf(topologies.getFirst()));
                }
            }
            for (FabricTree fabric : all.trees()) {
                conditions.put(
                        fabric.state().name(),
                        written(fabric.state(), all.trees().getFirst().state(), isFlat));
            }
            return new Files(data, conditions, true, isFlat);
        } catch (RuntimeException e) {
            LOG.error("Slurm's files cannot be made, and stay as they are", e);
            all.trees()
                    .forEach(fabric -> conditions.put(
                            fabric.state().name(),
                            new ConditionDraft(
                                    condition(),
                                    ConditionStatus.Unknown,
                                    Reason.ModelFailed,
                                    "a defect of the operator, please report it with the lines of its log: " + e
                                            + "; the files stay as they are")));
            return new Files(data, conditions, false, false);
        }
    }

    /** What is said of each Fabric while another one cannot be modelled: the files may or may not have it. */
    static SortedMap<String, ConditionDraft> untouched(FabricTrees all) {
        ConditionDraft draft = new ConditionDraft(
                ConditionType.SlurmTopologyCurrent,
                ConditionStatus.Unknown,
                Reason.ModelFailed,
                "ConfigMap " + NAME + " stays as it is, since "
                        + Messages.count(all.unknown().size(), "Fabric", "Fabrics") + " cannot be modelled ("
                        + Messages.some(all.unknown().stream().sorted().toList()) + ")");
        SortedMap<String, ConditionDraft> conditions = new TreeMap<>();
        all.trees().forEach(fabric -> conditions.put(fabric.state().name(), draft));
        return conditions;
    }

    /** As it is called and divided in {@code topology.yaml}. */
    static NamedTopology topology(FabricState state, SlurmPlugin plugin, SlurmNodeNames.Form names) {
        return new NamedTopology(
                state.model(),
                new SlurmOptions(
                        state.name(),
                        plugin,
                        null,
                        false,
                        new SlurmNodeNames(
                                names, FabricMember.nodesByHost(state.members().values())),
                        SlurmVersion.OLDEST));
    }

    private ConditionDraft written(FabricState state, FabricState first, boolean isFlat) {
        long hosts = state.members().values().stream()
                .map(device -> device.nodeName())
                .filter(Objects::nonNull)
                .distinct()
                .count();
        return new ConditionDraft(
                condition(),
                ConditionStatus.True,
                Reason.Written,
                "ConfigMap " + NAME + " has topology " + state.name() + " of "
                        + Messages.count((int) hosts, "host", "hosts") + " in " + YAML
                        + (state != first
                                ? ""
                                : isFlat
                                        ? ", which is the default; " + CONF
                                                + " is left out, or stays as it was: no switch of the"
                                                + " Fabric is known, and slurmctld ends on a file without one"
                                        : ", which is the default, and in " + CONF));
    }

    private ConditionDraft problem(Reason reason, String message) {
        return new ConditionDraft(condition(), ConditionStatus.False, reason, message);
    }

    @Override
    public void close() {
        refusal = null;
    }
}
