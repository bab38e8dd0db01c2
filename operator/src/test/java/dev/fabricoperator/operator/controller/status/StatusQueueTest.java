/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.controller.status.StatusQueue.Next;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.MissingFabrics;
import dev.fabricoperator.operator.model.ClusterModel.SwitchPlan;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusQueueTest {
    private static final String FABRIC = "f";

    private final StatusQueue queue = new StatusQueue();
    private final Map<String, SwitchPlan> plans = new HashMap<>();

    /** A switch whose object is of version {@code version} and should say {@code index} of its level. */
    private void want(String name, int version, @Nullable Integer seen, int wanted) {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withUid("uid-" + name)
                .withResourceVersion(Integer.toString(version))
                .build());
        object.setSpec(FabricSwitchSpecBuilder.builder().id(name).build());
        object.setStatus(seen == null ? null : status(seen));
        plans.put(name, new SwitchPlan(SwitchFacts.of(object), status(wanted)));
    }

    private static FabricSwitchStatus status(int level) {
        return FabricSwitchStatusBuilder.builder().fabric(FABRIC).level(level).build();
    }

    private void submit() {
        queue.submit(
                new ClusterModel(
                        Inventory.of(new FactStores(SteadyClock.system()), List.of()),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Map.of(),
                        Map.of(),
                        Map.copyOf(plans),
                        Map.of(),
                        new FlapDamping.History(new TreeMap<>(), Map.of(), Map.of(), Map.of(), 0, 0),
                        FabricNumbers.START,
                        new MissingFabrics(List.of(), FabricNumbers.START)),
                fabric -> true);
    }

    private int pending() {
        return queue.progress(FABRIC, true).pending();
    }

    @Test
    void aRefusedStatusIsNotWrittenAndIsCountedUntilItIsAccepted() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        Next first = queue.take();
        queue.refused(first, "denied by policy");
        assertThat(pending()).isZero();
        assertThat(queue.progress(FABRIC, true).refused()).isEqualTo(1);
        assertThat(queue.progress(FABRIC, true).refusal()).isEqualTo("FabricSwitch s1: denied by policy");
        // The next pass wants the same, and does not ask at once.
        submit();
        assertThat(pending()).isZero();
        queue.againAfterRefusal(first);
        Next again = queue.take();
        assertThat(again).isEqualTo(first);
        assertThat(queue.progress(FABRIC, true).refused()).isEqualTo(1);
        queue.accepted(again, "2");
        assertThat(queue.progress(FABRIC, true).refused()).isZero();
    }

    @Test
    void anotherStatusOfARefusedObjectIsTriedAtOnce() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        queue.refused(queue.take(), "denied by policy");
        want("s1", 1, null, 1);
        submit();
        assertThat(queue.take().desired().status()).isEqualTo(status(1));
        assertThat(queue.progress(FABRIC, true).refused()).isZero();
    }

    @Test
    void theRetryOfARefusedStatusIsNotThatOfALaterOne() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        Next first = queue.take();
        queue.refused(first, "denied by policy");
        want("s1", 1, null, 1);
        submit();
        Next second = queue.take();
        queue.refused(second, "denied by policy");

        queue.againAfterRefusal(first);
        queue.againAfterRefusal(second);

        assertThat(queue.take()).isEqualTo(second);
        assertThat(queue.ready()).isZero();
    }

    @Test
    void aRefusedStatusWhoseRetryMeetsAFailureThatPassesIsTriedOnceMore() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        Next first = queue.take();
        queue.refused(first, "denied by policy");
        queue.againAfterRefusal(first);
        queue.again(queue.take().key());
        assertThat(queue.ready()).isEqualTo(1);
        assertThat(queue.take()).isEqualTo(first);
    }

    @Test
    void anObjectThatIsGoneIsForgottenWithItsRefusal() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        queue.refused(queue.take(), "denied by policy");
        plans.clear();
        submit();
        assertThat(queue.progress(FABRIC, true).refused()).isZero();
    }

    @Test
    void whatTheApiServerAcceptedIsNotWrittenAgainWhileTheInformerIsBehind() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        queue.accepted(queue.take(), "5");
        submit();
        assertThat(pending()).isZero();
        // Now the informer shows what somebody else wrote after that.
        want("s1", 6, 3, 0);
        submit();
        assertThat(pending()).isEqualTo(1);
    }

    @Test
    void aNewerStatusThatComesWhileOneIsWrittenFollowsIt() throws InterruptedException {
        want("s1", 1, null, 0);
        submit();
        Next first = queue.take();
        want("s1", 1, null, 1);
        submit();
        queue.accepted(first, "2");
        assertThat(pending()).isEqualTo(1);
        assertThat(queue.take().desired().status()).isEqualTo(status(1));
    }

    @Test
    void aStatusThatIsNoLongerWantedIsNotWritten() throws InterruptedException {
        want("s1", 1, 0, 1);
        want("s2", 1, null, 1);
        submit();
        want("s1", 1, 0, 0);
        submit();
        assertThat(queue.take().key().name()).isEqualTo("s2");
        assertThat(pending()).isEqualTo(1);
    }
}
