/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.FabricJobStatusBuilder;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.model.ImpairedPorts;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a job stands, as its FabricJob says it. Pure. */
final class JobStatuses {
    /** No fault where the program is to be so. */
    static final String UNCONNECTED =
            "no rank called PMIx_Init or PMI_Init, so that none knew of the others: as it should be for a program without MPI; an"
                    + " MPI that finds no server runs each rank as a job of one: Open MPI, MPICH and Intel MPI find theirs, unless"
                    + " something between launcher and program drops the variables PMIX_* and PMI_*";

    private static final int IMPAIRED_NAMED = 8;
    private static final int FABRICS_NAMED = 8;

    private JobStatuses() {}

    /**
     * What is to be written.
     *
     * @param impaired ranks on devices whose links may be about to fail; {@code null} where that is not known
     * @param fabrics names of all Fabrics
     * @param last what the object says now, {@code null} for a new one
     * @param earlier what the ranks of the attempt had said before this replica had the job
     */
    static FabricJobStatus status(
            DirectJob job,
            @Nullable String secondContainer,
            Progress progress,
            Placement placement,
            @Nullable List<ImpairedRanks> impaired,
            Set<String> fabrics,
            @Nullable FabricJobStatus last,
            @Nullable JobClients earlier,
            Conditions conditions) {
        Instant since = progress.waitingSince();
        // A replica that was started while the ranks run knows of neither: what was written holds for the attempt.
        boolean kept = last != null
                && placement.equals(Placement.UNKNOWN)
                && Objects.equals(last.attempt(), progress.attempt())
                && progress.missingPods() == 0;
        Placement current =
                last != null && kept ? new Placement(last.fabric(), last.placement(), last.channels()) : placement;
        int nodes = last != null && kept && last.nodes() != null
                ? Math.max(last.nodes(), progress.nodes())
                : progress.nodes();
        return FabricJobStatusBuilder.builder()
                .nspace(job.nspace(progress.attempt()))
                .phase(progress.phase())
                .attempt(progress.attempt())
                .size(job.ranks())
                .readyRanks(progress.joinedRanks())
                .nodes(nodes)
                .fabric(current.fabric())
                .placement(current.cost())
                .channels(current.channels())
                .clients(clients(job, progress, earlier))
                .waitingSince(
                        since == null
                                ? null
                                : since.truncatedTo(ChronoUnit.SECONDS).toString())
                .missing(progress.missing().stream().map(job::words).toList())
                .missingTotal(progress.missingPods() == 0 ? null : progress.missingPods())
                .conditions(conditions.of(
                        drafts(job, secondContainer, progress, impaired, fabrics, last),
                        last == null ? List.of() : last.conditions(),
                        null))
                .build();
    }

    /** Each pod says it once, to whichever replica serves the job then; where the answer is lost, to two of them. */
    private static @Nullable JobClients clients(DirectJob job, Progress progress, @Nullable JobClients earlier) {
        JobClients now = progress.clients();
        if (now == null || earlier == null) {
            return now == null ? earlier : now;
        }
        JobClients all = earlier.plus(now);
        JobClients more = earlier.ranks() > now.ranks() ? earlier : now;
        return all.ranks() > job.ranks() ? more : all;
    }

    private static List<ConditionDraft> drafts(
            DirectJob job,
            @Nullable String secondContainer,
            Progress progress,
            @Nullable List<ImpairedRanks> impaired,
            Set<String> fabrics,
            @Nullable FabricJobStatus last) {
        List<ConditionDraft> drafts =
                new ArrayList<>(List.of(whole(job, progress), finished(progress), oneContainer(secondContainer)));
        // A replica that has the job since it ended knows no more of its ranks than was written.
        boolean written = last != null
                && (progress.phase() == JobPhase.Succeeded || progress.phase() == JobPhase.Failed)
                && Objects.equals(last.attempt(), progress.attempt())
                && last.conditions().stream().anyMatch(each -> each.type().equals(ConditionType.RanksConnected.name()));
        if (progress.unconnected() || written) {
            drafts.add(new ConditionDraft(
                    ConditionType.RanksConnected, ConditionStatus.False, Reason.NoRankConnected, UNCONNECTED));
        }
        List<String> unknown =
                job.fabrics().stream().filter(name -> !fabrics.contains(name)).toList();
        if (!unknown.isEmpty()) {
            drafts.add(new ConditionDraft(
                    ConditionType.FabricsFound, ConditionStatus.False, Reason.NoSuchFabric, noSuch(unknown, fabrics)));
        }
        ConditionDraft links = impaired(progress, impaired, last);
        if (links != null) {
            drafts.add(links);
        }
        return drafts;
    }

    private static String noSuch(List<String> unknown, Set<String> fabrics) {
        String there = fabrics.isEmpty()
                ? "there is none at all"
                : "there are " + fabrics.stream().sorted().limit(FABRICS_NAMED).collect(Collectors.joining(", "))
                        + (fabrics.size() > FABRICS_NAMED ? " and " + (fabrics.size() - FABRICS_NAMED) + " more" : "");
        return "the annotation " + LaunchApi.FABRIC + " of the pod template names " + String.join(", ", unknown)
                + ", and no Fabric has that name: " + there
                + "; its devices are left out, and where it is the only one, ranks are told of none";
    }

    /** Said once there is something to say. What is not known now stays as it was said of the same attempt. */
    private static @Nullable ConditionDraft impaired(
            Progress progress, @Nullable List<ImpairedRanks> ranks, @Nullable FabricJobStatus last) {
        Condition said = last == null || !Objects.equals(last.attempt(), progress.attempt())
                ? null
                : Conditions.find(last.conditions(), ConditionType.Impaired);
        if (ranks == null) {
            return said == null
                    ? null
                    : new ConditionDraft(ConditionType.Impaired, said.status(), reason(said.reason()), said.message());
        }
        if (ranks.isEmpty()) {
            return said == null
                    ? null
                    : new ConditionDraft(
                            ConditionType.Impaired,
                            ConditionStatus.False,
                            Reason.LinksWell,
                            "nobody sees a link that its ranks use and that may be about to fail");
        }
        int more = ranks.size() - IMPAIRED_NAMED;
        return new ConditionDraft(
                ConditionType.Impaired,
                ConditionStatus.True,
                ImpairedPorts.reason(
                        ranks.stream().flatMap(one -> one.signs().stream()).toList()),
                ranks.stream().limit(IMPAIRED_NAMED).map(ImpairedRanks::words).collect(Collectors.joining("; "))
                        + (more > 0 ? "; and " + more + " more" : ""));
    }

    /** Another release may know more of them. */
    private static Reason reason(String name) {
        return Stream.of(Reason.values())
                .filter(reason -> reason.name().equals(name))
                .findFirst()
                .orElse(Reason.LinkErrors);
    }

    private static ConditionDraft whole(DirectJob job, Progress progress) {
        if (job.refusal() != null) {
            return new ConditionDraft(
                    ConditionType.Whole, ConditionStatus.False, Reason.CannotBeLaunched, job.refusal());
        }
        if (progress.phase() == JobPhase.Failed && progress.missingPods() > 0) {
            return new ConditionDraft(
                    ConditionType.Whole, ConditionStatus.False, Reason.PodsMissing, progress.missingWords(job));
        }
        return switch (progress.phase()) {
            case Running, Succeeded, Failed ->
                new ConditionDraft(
                        ConditionType.Whole,
                        ConditionStatus.True,
                        Reason.AllPodsJoined,
                        "all " + job.pods() + " pods of attempt " + progress.attempt() + " have their map");
            case Assembling ->
                new ConditionDraft(
                        ConditionType.Whole, ConditionStatus.False, waiting(progress), progress.missingWords(job));
            case TimedOut ->
                new ConditionDraft(
                        ConditionType.Whole,
                        ConditionStatus.False,
                        Reason.AssemblyTimedOut,
                        "after " + job.assemblyTimeout().toSeconds() + " s " + progress.missingWords(job)
                                + "; the pods that waited have ended");
        };
    }

    private static Reason waiting(Progress progress) {
        return progress.unpreparedPods() > 0 ? Reason.HostsNotPrepared : Reason.PodsMissing;
    }

    private static ConditionDraft oneContainer(@Nullable String secondContainer) {
        return secondContainer == null
                ? new ConditionDraft(
                        ConditionType.OneContainer,
                        ConditionStatus.True,
                        Reason.ImageVolume,
                        "the PMIx servers run in the containers of the ranks")
                : new ConditionDraft(
                        ConditionType.OneContainer, ConditionStatus.False, Reason.SecondContainer, secondContainer);
    }

    private static ConditionDraft finished(Progress progress) {
        String failure = progress.failure();
        return switch (progress.phase()) {
            case Assembling, Running ->
                new ConditionDraft(
                        ConditionType.Finished,
                        ConditionStatus.False,
                        progress.phase() == JobPhase.Running ? Reason.RanksRun : waiting(progress),
                        failure == null ? "" : failure);
            case Succeeded ->
                new ConditionDraft(
                        ConditionType.Finished,
                        ConditionStatus.True,
                        Reason.JobSucceeded,
                        "every rank ended with code 0");
            case Failed ->
                new ConditionDraft(
                        ConditionType.Finished,
                        ConditionStatus.True,
                        Reason.JobFailed,
                        failure == null ? "a pod ended with another code than 0" : failure);
            case TimedOut ->
                new ConditionDraft(
                        ConditionType.Finished, ConditionStatus.True, Reason.AssemblyTimedOut, "no rank was started");
        };
    }
}
