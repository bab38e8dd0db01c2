/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.server.jobs.assembly.Progress;
import dev.fabricoperator.operator.server.served.ServedDevice;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobStatusesTest {
    private static final DirectJob JOB = new DirectJob(
            "work",
            new OwnerRef("batch/v1", "Job", "ring", "0f4e8a26-5f5c-4c0e-9a4a-4a3e1f0f7d11"),
            List.of(new DirectJob.App("ring", 1, 2, 2)),
            Duration.ofMinutes(1),
            RankOrder.index,
            null);

    private static FabricJobStatus status(JobPhase phase, boolean unconnected, @Nullable FabricJobStatus last) {
        return status(0, phase, unconnected, null, last, null);
    }

    private static FabricJobStatus status(
            int attempt,
            JobPhase phase,
            boolean unconnected,
            @Nullable JobClients clients,
            @Nullable FabricJobStatus last,
            @Nullable JobClients earlier) {
        Progress progress =
                new Progress(attempt, phase, 2, 4, 1, List.of(), 0, List.of(), 0, null, null, unconnected, clients);
        return JobStatuses.status(
                JOB,
                null,
                progress,
                Placement.UNKNOWN,
                null,
                Set.of(),
                last,
                earlier,
                new Conditions(Clock.systemUTC()));
    }

    private static FabricJobStatus running(
            int attempt, @Nullable List<ImpairedRanks> impaired, @Nullable FabricJobStatus last) {
        Progress progress =
                new Progress(attempt, JobPhase.Running, 2, 4, 1, List.of(), 0, List.of(), 0, null, null, false, null);
        return JobStatuses.status(
                JOB,
                null,
                progress,
                Placement.UNKNOWN,
                impaired,
                Set.of(),
                last,
                null,
                new Conditions(Clock.systemUTC()));
    }

    private static @Nullable Condition impaired(FabricJobStatus status) {
        return Conditions.find(status.conditions(), ConditionType.Impaired);
    }

    private static ImpairedRanks ranks(int first, int last, LinkFault kind) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder().withName("n3-mlx5-0-1").build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("node-3")
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://a")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .build());
        return ImpairedRanks.on(
                ServedDevice.of(device),
                first,
                last,
                List.of(new Impairment(kind, "/sys/x", 40, 10, 2, 60, 300, Instant.EPOCH)),
                "");
    }

    @Test
    void aNameOfAnAnnotationThatNoFabricHasIsToldWithTheNamesThatThereAre()
            throws LaunchRequest.InvalidAnnotationException {
        DirectJob job = JOB.asking(Objects.requireNonNull(
                LaunchRequest.of(Map.of(LaunchApi.LAUNCH, "direct", LaunchApi.FABRIC, "ib-0,typo"))));
        Progress progress =
                new Progress(0, JobPhase.Assembling, 1, 2, 1, List.of(), 2, List.of(), 0, null, null, false, null);
        assertThat(JobStatuses.status(
                                job,
                                null,
                                progress,
                                Placement.UNKNOWN,
                                null,
                                Set.of("ib-0", "ethernet"),
                                null,
                                null,
                                new Conditions(Clock.systemUTC()))
                        .conditions())
                .filteredOn(condition -> condition.type().equals("FabricsFound"))
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.tellsTrouble()).isTrue();
                    assertThat(condition.message())
                            .startsWith(
                                    "the annotation fabric-operator.dev/fabric of the pod template names typo, and no Fabric"
                                            + " has that name: there are ethernet, ib-0;");
                });
        assertThat(status(JobPhase.Assembling, false, null).conditions())
                .noneMatch(condition -> condition.type().equals("FabricsFound"));
    }

    @Test
    void aJobNamesTheRanksWhoseLinksMayBeAboutToFailAndSaysWhenThatIsOver() {
        FabricJobStatus well = running(0, List.of(), null);
        assertThat(impaired(well)).isNull();
        FabricJobStatus ill =
                running(0, List.of(ranks(4, 7, LinkFault.SymbolErrors), ranks(8, 8, LinkFault.Temperature)), well);
        assertThat(impaired(ill)).isNotNull().satisfies(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.True);
            assertThat(condition.reason()).isEqualTo("LinkErrors");
            assertThat(condition.message())
                    .isEqualTo(
                            "ranks 4-7: mlx5_0 port 1 of node-3: 40 symbol errors in 2 s; rank 8: mlx5_0 port 1 of node-3:"
                                    + " 40 degrees Celsius, critical from 10");
        });
        assertThat(impaired(running(0, null, ill))).as("not known here").isEqualTo(impaired(ill));
        assertThat(impaired(running(0, List.of(), ill)))
                .isNotNull()
                .satisfies(condition -> assertThat(condition.status()).isEqualTo(ConditionStatus.False));
        assertThat(impaired(running(1, null, ill))).as("another attempt").isNull();
    }

    private static Optional<Condition> ranksConnected(FabricJobStatus status) {
        return status.conditions().stream()
                .filter(condition -> condition.type().equals("RanksConnected"))
                .findFirst();
    }

    @ParameterizedTest
    @EnumSource(names = {"Succeeded", "Failed"})
    void aJobOfWhichNoRankHasAskedItsServerSaysSoAlsoWhenAnotherReplicaHasItThen(JobPhase phase) {
        FabricJobStatus told = status(phase, true, null);
        assertThat(ranksConnected(told)).hasValueSatisfying(condition -> {
            assertThat(condition.status()).isEqualTo(ConditionStatus.False);
            assertThat(condition.message())
                    .startsWith("no rank called PMIx_Init")
                    .contains("PMI_Init", "PMIX_* and PMI_*");
        });
        assertThat(ranksConnected(status(phase, false, told))).isPresent();
        assertThat(ranksConnected(status(phase, false, null))).isEmpty();
    }

    /** Each pod says it once: to the replica that has the job then. */
    @Test
    void howRanksFoundEachOtherIsWhatBothReplicasHaveHeard() {
        JobClients earlier = new JobClients(0, 2, 0);
        assertThat(clients(null, earlier)).isEqualTo(earlier);
        assertThat(clients(new JobClients(0, 1, 1), earlier)).isEqualTo(new JobClients(0, 3, 1));
        assertThat(clients(new JobClients(0, 1, 1), null)).isEqualTo(new JobClients(0, 1, 1));
    }

    /** Where an answer was lost a pod says it to both. */
    @Test
    void noMoreRanksThanTheJobHasFindEachOther() {
        assertThat(clients(new JobClients(0, 2, 0), new JobClients(0, 3, 0))).isEqualTo(new JobClients(0, 3, 0));
        assertThat(clients(new JobClients(0, 4, 0), new JobClients(0, 1, 0))).isEqualTo(new JobClients(0, 4, 0));
    }

    private static @Nullable JobClients clients(@Nullable JobClients now, @Nullable JobClients earlier) {
        return status(0, JobPhase.Running, false, now, null, earlier).clients();
    }
}
