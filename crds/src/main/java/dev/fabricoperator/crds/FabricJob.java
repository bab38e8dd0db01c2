/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * A job that is launched directly: one PMIx nspace per attempt.
 *
 * <p>Namespaced; it has the name of its owner and goes with it. Written by the replica of the job service
 * that has the job, and by the controller where it has ended and no replica has it; a person only reads it.
 */
@Group(FabricApi.GROUP)
@Version(FabricApi.VERSION)
@Kind("FabricJob")
@Plural("fabricjobs")
@Singular("fabricjob")
@ShortNames("fjob")
@AdditionalPrinterColumn(name = "Size", jsonPath = ".status.size", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.readyRanks", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Nodes", jsonPath = ".status.nodes", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "Fabric", jsonPath = ".status.fabric", type = Type.STRING)
@AdditionalPrinterColumn(name = "Cost", jsonPath = ".status.placement.summary", type = Type.STRING)
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase", type = Type.STRING)
@AdditionalPrinterColumn(name = "Attempt", jsonPath = ".status.attempt", type = Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Pmixd",
        jsonPath = ".status.conditions[?(@.type==\"OneContainer\")].reason",
        type = Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
public class FabricJob extends CustomResource<FabricJobSpec, FabricJobStatus> implements Namespaced {}
