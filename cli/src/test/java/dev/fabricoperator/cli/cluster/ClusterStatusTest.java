/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.crds.SourceStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClusterStatusTest {
    private static final Condition READY = condition("Ready", ConditionStatus.True, "Placed", "8 devices are placed");
    private static final List<ClusterStatus.Program> RUNNING = List.of(
            new ClusterStatus.Program("fabric-operator", "Deployment", "fabric-operator-controller", 1, 1),
            new ClusterStatus.Program("fabric-operator", "DaemonSet", "fabric-operator-agent", 8, 8));

    private static Condition condition(String type, ConditionStatus status, String reason, String message) {
        return new Condition(type, status, null, null, reason, message);
    }

    private static Fabric fabric(String name, @Nullable FabricStatus status) {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName(name).build());
        fabric.setStatus(status);
        return fabric;
    }

    private static ClusterStatus.Problem theProblem(Condition... conditions) {
        FabricStatus status =
                FabricStatusBuilder.builder().conditions(List.of(conditions)).build();
        ClusterStatus read = ClusterStatus.of(List.of(fabric("ib", status)), RUNNING, "Served");
        assertThat(read.problems()).hasSize(1);
        return read.problems().getFirst();
    }

    @Test
    void aFabricWithAllConditionsTrueHasNoProblem() {
        FabricStatus status = FabricStatusBuilder.builder()
                .devices(8)
                .unmanagedDevices(2)
                .switches(4)
                .conditions(List.of(READY, condition("Updating", ConditionStatus.False, "UpToDate", "")))
                .sources(List.of(new SourceStatus("net", "upload", "SourceRead", null, null, 4, 12, null)))
                .build();
        ClusterStatus read = ClusterStatus.of(List.of(fabric("ib", status)), RUNNING, "NotInstalled");
        assertThat(read.problems()).isEmpty();
        ClusterStatus.FabricSummary one = read.fabrics().getFirst();
        assertThat(one.ready()).isEqualTo(ConditionStatus.True);
        assertThat(one.devices()).isEqualTo(8);
        assertThat(one.unmanagedDevices()).isEqualTo(2);
        assertThat(one.findings()).isZero();
        assertThat(one.sources()).hasSize(1);
    }

    @Test
    void aConditionThatIsNotTrueIsAProblemThatSaysWhatToDo() {
        ClusterStatus.Problem problem =
                theProblem(READY, condition("TopologyKnown", ConditionStatus.False, "NoSource", "no source names"));
        assertThat(problem.object()).isEqualTo("fabric ib");
        assertThat(problem.message()).isEqualTo("no source names");
        assertThat(problem.next()).contains("kubectl fabric upload");
        assertThat(theProblem(condition("TopologyKnown", ConditionStatus.Unknown, "SourceUnreachable", "timeout"))
                        .next())
                .endsWith("kubectl fabric refresh --fabric ib");
        assertThat(theProblem(condition("SomethingNew", ConditionStatus.False, "NobodyKnows", "odd"))
                        .next())
                .isEqualTo("kubectl describe fabric ib");
    }

    @Test
    void whatFollowsFromAnUnknownTopologyIsNotToldBesideIt() {
        Condition unknown = condition("TopologyKnown", ConditionStatus.False, "NoSource", "no source names");
        Condition follows =
                condition("HyperNodesCurrent", ConditionStatus.False, "NothingToTell", "no switch is known");
        assertThat(theProblem(unknown, follows).reason()).isEqualTo("NoSource");
        assertThat(theProblem(follows).reason()).isEqualTo("NothingToTell");
    }

    @Test
    void aSourceThatCannotBeReadIsToldOnce() {
        SourceStatus torn =
                new SourceStatus("net", "upload", "UploadIncomplete", null, "part 2 of 3 is missing", 4, 12, null);
        Condition unknown = condition("TopologyKnown", ConditionStatus.Unknown, "UploadIncomplete", "part 2 of 3");
        FabricStatus both = FabricStatusBuilder.builder()
                .conditions(List.of(READY, unknown))
                .sources(List.of(torn))
                .build();
        assertThat(ClusterStatus.of(List.of(fabric("ib", both)), RUNNING, "Served")
                        .problems())
                .hasSize(1);
        FabricStatus only = FabricStatusBuilder.builder()
                .conditions(List.of(READY))
                .sources(List.of(torn))
                .build();
        assertThat(ClusterStatus.of(List.of(fabric("ib", only)), RUNNING, "Served")
                        .problems())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.object()).isEqualTo("fabric ib, source net");
                    assertThat(problem.message()).isEqualTo("part 2 of 3 is missing");
                });
    }

    @Test
    void findingsAreOneProblemThatLeadsToCheck() {
        FabricStatus status = FabricStatusBuilder.builder()
                .conditions(List.of(READY))
                .findings(List.of(FindingStatus.of("PortDown", "a port 1", "port 1 of switch a is down")))
                .findingsTotal(70)
                .build();
        ClusterStatus read = ClusterStatus.of(List.of(fabric("ib", status)), RUNNING, "Served");
        assertThat(read.fabrics().getFirst().findings()).isEqualTo(70);
        assertThat(read.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.message()).isEqualTo("70 findings, the first: port 1 of switch a is down");
            assertThat(problem.next()).isEqualTo("kubectl fabric check --fabric ib");
        });
    }

    @Test
    void aProgramWithoutAllItsPodsAndAnOperatorThatIsNotThereAreProblems() {
        FabricStatus well =
                FabricStatusBuilder.builder().conditions(List.of(READY)).build();
        List<ClusterStatus.Program> half =
                List.of(new ClusterStatus.Program("fo", "Deployment", "fabric-operator-server", 1, 2));
        assertThat(ClusterStatus.of(List.of(fabric("ib", well)), half, "Served").problems())
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.object()).isEqualTo("deployment fabric-operator-server");
                    assertThat(problem.message()).isEqualTo("1 of 2 pods are Ready");
                    assertThat(problem.next()).startsWith("kubectl get pods -n fo ");
                });
        assertThat(ClusterStatus.of(List.of(fabric("ib", well)), List.of(), "NotInstalled")
                        .problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.reason()).isEqualTo("NotInstalled"));
        // Who may not list them is told that, and not that they are missing.
        assertThat(ClusterStatus.of(List.of(fabric("ib", well)), null, "NotInstalled")
                        .problems())
                .isEmpty();
    }

    @Test
    void anAwayQueryApiAndAClusterWithoutFabricsAreProblems() {
        ClusterStatus read = ClusterStatus.of(List.of(), RUNNING, "NotServed");
        assertThat(read.problems()).extracting(ClusterStatus.Problem::reason).containsExactly("NotServed", "NoFabric");
        assertThat(ClusterStatus.of(List.of(fabric("ib", null)), RUNNING, "Served")
                        .problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.reason()).isEqualTo("NoStatus"));
    }
}
