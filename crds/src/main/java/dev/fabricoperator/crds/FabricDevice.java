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
 * One port of one fabric device on one node: a vertex of the cost matrix.
 *
 * <p>Cluster-scoped. {@code spec} is written by that node's agent, {@code status} by the operator.
 */
@Group(FabricApi.GROUP)
@Version(FabricApi.VERSION)
@Kind("FabricDevice")
@Plural("fabricdevices")
@Singular("fabricdevice")
@ShortNames("fdev")
@AdditionalPrinterColumn(name = "Node", jsonPath = ".spec.nodeName", type = Type.STRING)
@AdditionalPrinterColumn(name = "Device", jsonPath = ".spec.osName", type = Type.STRING)
@AdditionalPrinterColumn(name = "Port", jsonPath = ".spec.port", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Family", jsonPath = ".spec.family", type = Type.STRING)
@AdditionalPrinterColumn(name = "State", jsonPath = ".spec.state", type = Type.STRING)
@AdditionalPrinterColumn(name = "Fabric", jsonPath = ".status.fabric", type = Type.STRING)
@AdditionalPrinterColumn(name = "Plane", jsonPath = ".status.plane", type = Type.STRING)
@AdditionalPrinterColumn(name = "Index", jsonPath = ".status.index", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Switch", jsonPath = ".status.switch", type = Type.STRING, priority = 1)
@AdditionalPrinterColumn(
        name = "Coordinates",
        jsonPath = ".status.coordinates[?(@.view==\"logical\")].values",
        type = Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "BitsPerSecond",
        jsonPath = ".spec.speedBitsPerSecond",
        type = Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Impaired",
        jsonPath = ".status.conditions[?(@.type==\"Impaired\")].status",
        type = Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalSelectableField(jsonPath = ".spec.nodeName")
@AdditionalSelectableField(jsonPath = ".status.fabric")
public class FabricDevice extends CustomResource<FabricDeviceSpec, FabricDeviceStatus> {}
