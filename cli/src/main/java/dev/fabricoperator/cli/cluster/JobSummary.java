/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.JobAppSpec;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.JobPlacementStatus;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a FabricJob says, in short.
 *
 * @param nspace PMIx namespace of the attempt
 * @param pods of all apps
 * @param readyPods those of the attempt that have come
 * @param size ranks of the job
 * @param readyRanks those of the pods that have come
 * @param clients ranks by the protocol in which they found each other, of the pods that have said it
 * @param podShape {@code ImageVolume} for PMIx servers in the containers of the ranks, {@code SecondContainer} beside them
 * @param whySecondContainer what keeps the PMIx servers out of the containers of the ranks
 * @param problem what keeps the job from running, made it fail, or ended its attempt before
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobSummary(
        String namespace,
        String name,
        @Nullable JobPhase phase,
        @Nullable Integer attempt,
        @Nullable String nspace,
        int pods,
        @Nullable Integer readyPods,
        @Nullable Integer size,
        @Nullable Integer readyRanks,
        @Nullable Integer nodes,
        @Nullable String fabric,
        @Nullable JobPlacementStatus placement,
        @Nullable JobClients clients,
        @Nullable String podShape,
        @Nullable String whySecondContainer,
        @Nullable String problem) {

    static JobSummary of(FabricJob job) {
        int pods = job.getSpec() == null
                ? 0
                : job.getSpec().apps().stream().mapToInt(JobAppSpec::pods).sum();
        FabricJobStatus status =
                job.getStatus() == null ? FabricJobStatusBuilder.builder().build() : job.getStatus();
        int missing = status.missingTotal() == null ? 0 : status.missingTotal();
        Optional<Condition> oneContainer = condition(status, "OneContainer");
        return new JobSummary(
                job.getMetadata().getNamespace(),
                job.getMetadata().getName(),
                status.phase(),
                status.attempt(),
                status.nspace(),
                pods,
                status.phase() == null ? null : pods - missing,
                status.size(),
                status.readyRanks(),
                status.nodes(),
                status.fabric(),
                status.placement(),
                status.clients(),
                oneContainer.map(Condition::reason).orElse(null),
                oneContainer.filter(JobSummary::isFalse).map(Condition::message).orElse(null),
                problem(status));
    }

    /** Such as {@code 3 PMI-1, 1 none}; {@code null} before a pod has said it. */
    public @Nullable String protocols() {
        JobClients known = clients;
        if (known == null) {
            return null;
        }
        return Stream.of(
                        known.pmix() == 0 ? "" : known.pmix() + " PMIx",
                        known.pmi1() == 0 ? "" : known.pmi1() + " PMI-1",
                        known.none() == 0 ? "" : known.none() + " none")
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** The cause before its consequence: the pods of a job that cannot be launched, or that has failed, are missing too. */
    private static @Nullable String problem(FabricJobStatus status) {
        Optional<Condition> whole = condition(status, "Whole");
        Optional<Condition> finished = condition(status, "Finished");
        boolean refused =
                whole.filter(one -> one.reason().equals("CannotBeLaunched")).isPresent();
        Optional<Condition> failure = status.phase() == JobPhase.Failed && !refused
                ? finished
                : whole.filter(JobSummary::isFalse).or(() -> finished.filter(JobSummary::isFalse));
        return failure.filter(one -> !one.message().isEmpty())
                .or(() -> condition(status, "RanksConnected").filter(JobSummary::isFalse))
                .or(() -> condition(status, "FabricsFound").filter(JobSummary::isFalse))
                .or(() -> condition(status, "Impaired").filter(Condition::tellsTrouble))
                .map(Condition::message)
                .filter(text -> !text.isEmpty())
                .orElse(null);
    }

    private static Optional<Condition> condition(FabricJobStatus status, String type) {
        return status.conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst();
    }

    private static boolean isFalse(Condition condition) {
        return condition.status() == ConditionStatus.False;
    }
}
