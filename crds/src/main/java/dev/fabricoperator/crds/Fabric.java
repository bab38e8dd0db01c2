/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * A set of fabric devices that can reach each other, the switches between them and what communication between them
 * costs.
 *
 * <p>Cluster-scoped. {@code spec} is written by a person, or by the operator when devices belong to no Fabric;
 * {@code status} by the operator.
 */
@Group(FabricApi.GROUP)
@Version(FabricApi.VERSION)
@Kind("Fabric")
@Plural("fabrics")
@Singular("fabric")
@ShortNames("fab")
@AdditionalPrinterColumn(name = "Kind", jsonPath = ".status.kind", type = Type.STRING)
@AdditionalPrinterColumn(name = "Devices", jsonPath = ".status.devices", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Switches", jsonPath = ".status.switches", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Links", jsonPath = ".status.links", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Shape", jsonPath = ".status.shapeString", type = Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = Type.STRING)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
public class Fabric extends CustomResource<FabricSpec, FabricStatus> {}
