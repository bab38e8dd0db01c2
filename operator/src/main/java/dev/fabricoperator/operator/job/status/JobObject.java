/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.job.status;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobSpec;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.operator.job.owner.JobFacts;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.List;

/** The FabricJob of a job, without its status. */
final class JobObject {
    private JobObject() {}

    static FabricJob of(JobFacts facts) {
        FabricJob object = new FabricJob();
        object.setMetadata(new ObjectMetaBuilder()
                .withNamespace(facts.namespace())
                .withName(facts.owner().name())
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion(facts.owner().apiVersion())
                        .withKind(facts.owner().kind())
                        .withName(facts.owner().name())
                        .withUid(facts.owner().uid())
                        .withController(true)
                        .build())
                .build());
        List<JobAppSpec> apps = facts.apps().stream()
                .map(app -> new JobAppSpec(app.name(), app.pods(), app.ranksPerPod()))
                .toList();
        object.setSpec(new FabricJobSpec(
                apps, facts.rankOrder().name(), facts.assemblyTimeout().toSeconds()));
        return object;
    }

    static boolean isOf(FabricJob object, JobFacts facts) {
        return object.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner -> owner.getUid().equals(facts.owner().uid()));
    }
}
