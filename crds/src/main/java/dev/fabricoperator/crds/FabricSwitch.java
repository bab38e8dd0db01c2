/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.crd.generator.annotation.AdditionalSelectableField;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * One switch and its cables, as one topology source sees it.
 *
 * <p>Cluster-scoped. {@code spec} is written by a topology source or a person, {@code status} by the operator. Several
 * sources may each write their own object for one switch; the operator merges them by {@code spec.id}.
 */
@Group(FabricApi.GROUP)
@Version(FabricApi.VERSION)
@Kind("FabricSwitch")
@Plural("fabricswitches")
@Singular("fabricswitch")
@ShortNames("fsw")
@AdditionalPrinterColumn(name = "Switch", jsonPath = ".spec.name", type = Type.STRING)
@AdditionalPrinterColumn(name = "Model", jsonPath = ".spec.model", type = Type.STRING)
@AdditionalPrinterColumn(name = "Fabric", jsonPath = ".status.fabric", type = Type.STRING)
@AdditionalPrinterColumn(name = "Level", jsonPath = ".status.level", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Group", jsonPath = ".status.group", type = Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Coordinates",
        jsonPath = ".status.coordinates[?(@.view==\"logical\")].values",
        type = Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(name = "Source", jsonPath = ".spec.source", type = Type.STRING, priority = 1)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalSelectableField(jsonPath = ".spec.id")
@AdditionalSelectableField(jsonPath = ".status.fabric")
public class FabricSwitch extends CustomResource<FabricSwitchSpec, FabricSwitchStatus> {}
