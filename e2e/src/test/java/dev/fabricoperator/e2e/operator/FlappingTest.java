/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.PortRef;
import dev.fabricoperator.crds.SwitchPortSpecBuilder;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A link that goes up and down. */
@WithControlPlane
class FlappingTest extends OperatorCase {
    private static final int CHANGES = 3;
    private static final String LEAF = SmallFabric.LEAVES.getFirst();

    FlappingTest(ControlPlane cluster) {
        super(cluster);
    }

    @Override
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("FABRIC_OPERATOR_DAMPING_CHANGES", Integer.toString(CHANGES));
        settings.put("FABRIC_OPERATOR_DAMPING_WINDOW", "10m");
        settings.put("FABRIC_OPERATOR_DAMPING_QUIET", "20s");
        return settings;
    }

    /** What a person says of both ends of the uplink goes before the dump. */
    private void say(PortState state) {
        say("leaf-by-hand", LEAF, SmallFabric.FIRST_UPLINK, SmallFabric.SPINE, 1, state);
        say("spine-by-hand", SmallFabric.SPINE, 1, LEAF, SmallFabric.FIRST_UPLINK, state);
    }

    private void say(String name, String id, int port, String peer, int peerPort, PortState state) {
        FabricSwitch byHand = new FabricSwitch();
        byHand.setMetadata(new ObjectMetaBuilder().withName(name).build());
        byHand.setSpec(FabricSwitchSpecBuilder.builder()
                .id(id)
                .ports(List.of(SwitchPortSpecBuilder.builder()
                        .number(port)
                        .peer(new PeerRef(peer, peerPort, null, null, null))
                        .state(state)
                        .build()))
                .build());
        admin.resource(byHand).forceConflicts().serverSideApply();
    }

    private void linkIs(PortState state) {
        say(state);
        eventually(() -> assertThat(status().links()).isEqualTo(state == PortState.Down ? 9 : 10));
    }

    @Test
    void aLinkThatGoesUpAndDownIsHeldDownToldOnceAndCountsAgainWhenItStays() {
        say(PortState.Active);
        eventually(() -> assertThat(status().sources()).hasSize(1));
        for (int change = 1; change <= CHANGES; change++) {
            linkIs(change % 2 == 1 ? PortState.Down : PortState.Active);
        }
        // The next change is one too many, although it says that the link is up.
        say(PortState.Active);
        eventually(() -> assertThat(status().damped())
                .containsExactly(new PortRef(LEAF, SmallFabric.FIRST_UPLINK), new PortRef(SmallFabric.SPINE, 1)));
        assertThat(status().links()).isEqualTo(9);
        assertThat(status().findings())
                .extracting(finding -> finding.type() + " " + finding.object())
                .contains("FlappingLink " + LEAF + " port " + SmallFabric.FIRST_UPLINK)
                .noneMatch(finding -> finding.startsWith("PortDown"));
        eventually(() ->
                assertThat(operator.metric("fabric_operator_damped_ports")).isEqualTo(2));

        long generation = Objects.requireNonNull(status().generation());
        say(PortState.Down);
        say(PortState.Active);
        eventually(() -> {
            assertThat(status().damped()).isEmpty();
            assertThat(status().links()).isEqualTo(10);
            assertThat(condition("Updating").status().name()).isEqualTo("False");
        });
        assertThat(status().generation()).isEqualTo(generation + 1);
        eventually(() -> {
            assertThat(events("FlappingLink"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getMessage())
                            .contains("leaf1 port " + SmallFabric.FIRST_UPLINK, "counts as down"));
            assertThat(events("LinkSteady")).hasSize(1);
        });
    }
}
