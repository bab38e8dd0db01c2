/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.job;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.operator.launch.OwnerRef;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a FabricJob.
 *
 * @param owner {@code null} where nothing controls it
 * @param isOrphan whether nothing owns it, as when its owner was deleted without what belonged to it
 * @param phase {@code null} where no status was written yet
 */
record JobFacts(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        @Nullable OwnerRef owner,
        boolean isOrphan,
        @Nullable JobPhase phase)
        implements Fact {

    static JobFacts of(FabricJob job) {
        ObjectMeta metadata = job.getMetadata();
        FabricJobStatus status = job.getStatus();
        return new JobFacts(
                Objects.requireNonNullElse(metadata.getNamespace(), ""),
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                OwnerRef.ofJobObject(metadata),
                metadata.getOwnerReferences().isEmpty(),
                status == null ? null : status.phase());
    }

    /** As java-operator-sdk is to see it. */
    FabricJob shape() {
        FabricJob job = new FabricJob();
        job.setMetadata(new ObjectMetaBuilder()
                .withNamespace(namespace)
                .withName(name)
                .withUid(uid)
                .withResourceVersion(resourceVersion)
                .build());
        return job;
    }

    /**
     * Whether it says how the job ended, whatever its owner says: ranks that have all ended well have. One that failed may have been tried again. An owner of another kind than this
     * release knows is another release's, which knows how it ends.
     */
    boolean isSettled() {
        boolean isForeign = owner == null ? !isOrphan || phase == null : OwnerKind.of(owner) == null;
        return isForeign || phase == JobPhase.Succeeded;
    }

    boolean hasFailed() {
        return phase == JobPhase.Failed || phase == JobPhase.TimedOut;
    }
}
