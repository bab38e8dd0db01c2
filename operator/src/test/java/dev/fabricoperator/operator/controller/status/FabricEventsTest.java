/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.FindingMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FabricEventsTest {
    private static List<FindingStatus> first(int swapped, int flapping, int missing) {
        List<FindingStatus> found = new ArrayList<>();
        for (int i = 0; i < missing; i++) {
            found.add(FindingStatus.of("MissingUplink", "a" + i, "a link is missing"));
        }
        for (int i = 0; i < flapping; i++) {
            found.add(FindingStatus.of("FlappingLink", "b" + i, "it flaps"));
        }
        for (int i = 0; i < swapped; i++) {
            found.add(FindingStatus.of("SwappedCable", "c" + i, "swapped"));
        }
        found.sort(FindingMapper.CAUSES_FIRST);
        return found.subList(0, Math.min(64, found.size()));
    }

    /** A list of findings is cut to 64. That a link is not in it says that it is steady only where all that flap are. */
    @Test
    void linksThatFlapAreNotCutAwayByWhatIsMissing() {
        assertThat(first(0, 2, 100))
                .filteredOn(one -> one.type().equals("FlappingLink"))
                .hasSize(2);
        assertThat(FindingMapper.hasAllFlapping(first(0, 2, 100), 102)).isTrue();
        assertThat(FindingMapper.hasAllFlapping(first(0, 2, 10), 12)).isTrue();
        assertThat(FindingMapper.hasAllFlapping(first(64, 2, 10), 76)).isFalse();
        assertThat(FindingMapper.hasAllFlapping(first(0, 70, 10), 80)).isFalse();
        assertThat(FindingMapper.hasAllFlapping(List.of(), 0)).isTrue();
    }

    @Test
    void aLinkIsSteadyOnceItIsAmongAllThatFlapNoMore() {
        Fabric fabric = new Fabric();
        assertThat(told(fabric, first(0, 1, 2), 3, first(64, 0, 1), 66)).isEmpty();
        assertThat(told(fabric, first(0, 1, 2), 3, first(0, 0, 90), 90)).containsExactly("LinkSteady");
        assertThat(told(fabric, first(0, 0, 2), 2, first(0, 1, 90), 91)).containsExactly("FlappingLink");
    }

    private static List<String> told(
            Fabric fabric, List<FindingStatus> before, int ofBefore, List<FindingStatus> written, int ofWritten) {
        List<String> told = new ArrayList<>();
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            FabricEvents events = new FabricEvents(new EventWriter(client, Clock.systemUTC()) {
                @Override
                public void normal(HasMetadata object, Reason reason, String note) {
                    told.add(reason.name());
                }

                @Override
                public void warning(HasMetadata object, Reason reason, String note) {
                    told.add(reason.name());
                }

                @Override
                public void transitions(HasMetadata object, List<Condition> turned) {}
            });
            events.tell(fabric, status(before, ofBefore), status(written, ofWritten));
        }
        return told;
    }

    private static FabricStatus status(List<FindingStatus> findings, int total) {
        return FabricStatusBuilder.builder()
                .findings(findings)
                .findingsTotal(total)
                .build();
    }
}
