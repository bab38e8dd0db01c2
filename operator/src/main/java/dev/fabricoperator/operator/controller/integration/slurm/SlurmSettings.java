/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmPlugin;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** As environment variables {@code FABRIC_OPERATOR_SLURM_ENABLED} and so on. */
@ConfigMapping(prefix = "fabric-operator.slurm")
public interface SlurmSettings {
    /** Whether topology.yaml and topology.conf are kept in the ConfigMap fabric-operator-slurm; without, that of the operator is removed. */
    @WithDefault("false")
    boolean enabled();

    /** Whether Nodes get the annotation by which Slinky places a slurmd's pod in these files; without, those of the operator are removed. */
    @WithDefault("false")
    boolean slinky();

    /** The plugin of Slurm that reads the files: {@code tree} or {@code block}. */
    @WithDefault("tree")
    SlurmPlugin plugin();

    /** Names of Slurm's nodes: {@code node} for those of Kubernetes Nodes, {@code full} or {@code short} for hosts' own with or without their domains. */
    @WithDefault("node")
    SlurmNodeNames.Form names();
}
