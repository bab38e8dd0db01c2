/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.IntegrationSettings;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.NodeWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.PlaceLabels;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the annotation by which Slinky gives a slurmd's pod its place in Slurm's topology. While a Fabric cannot be modelled, what
 * there is stays: a node's annotation speaks of all Fabrics that it is in.
 *
 * @see "Slinky's slurm-operator, docs/usage/topology.md"
 */
@Singleton
public final class SlinkyAnnotations extends NodeWriter<SlinkySpecs> {
    private static final Logger LOG = Logger.getLogger(SlinkyAnnotations.class);

    private final ModelTrees trees;
    private final SlurmSettings settings;
    private @Nullable ClusterModel modelOfWanted;
    private @Nullable SlinkySpecs wanted;

    SlinkyAnnotations(
            KubernetesClient client,
            FactStores stores,
            ModelTrees trees,
            MeterRegistry meters,
            Settings operator,
            IntegrationSettings integrations,
            SlurmSettings settings) {
        super(
                "slinky",
                ConditionType.SlinkyAnnotationsCurrent,
                Written.annotations,
                client,
                stores,
                meters,
                operator,
                integrations);
        this.trees = trees;
        this.settings = settings;
    }

    @Override
    protected @Nullable SlinkySpecs wanted(ClusterModel model) {
        if (!settings.slinky()) {
            return SlinkySpecs.NONE;
        }
        if (modelOfWanted != model) {
            modelOfWanted = model;
            FabricTrees all = trees.of(model, SlurmTopologies.SYSTEM);
            try {
                wanted = all.unknown().isEmpty() ? SlinkySpecs.of(all, settings.plugin(), settings.names()) : wanted;
            } catch (RuntimeException e) {
                LOG.error("Slinky's annotations cannot be made, and stay as they are", e);
            }
        }
        return wanted;
    }

    @Override
    protected ConditionDraft draft(FabricTree fabric, int count, int shared) {
        if (count == 0) {
            return new ConditionDraft(
                    condition(),
                    ConditionStatus.False,
                    Reason.NothingToTell,
                    "no switch is known that holds a node of it, so that Slurm's topology has no unit to name");
        }
        return new ConditionDraft(
                condition(),
                ConditionStatus.True,
                Reason.Written,
                "annotation " + PlaceLabels.SLINKY_SPEC + " says the place of "
                        + Messages.count(count - shared, "node", "nodes") + " in topology "
                        + fabric.state().name()
                        + (shared == 0
                                ? ""
                                : "; that of " + Messages.count(shared, "node", "nodes") + " is another's, and stays"));
    }
}
