/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.cli.input.FoundFabric.StatusFindings;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FindingStatus;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.view.mapping.FindingMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FoundFabricTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A port that is down, a long name, and paths that cost too much, whose finding has no object. */
    private static FabricModel model() {
        List<Switch> switches = new ArrayList<>();
        for (int at = 0; at < 1000; at++) {
            List<SwitchPort> ports = new ArrayList<>();
            if (at > 0) {
                ports.add(port(1, id(at - 1), 2, PortState.Active));
            }
            if (at < 999) {
                ports.add(port(2, id(at + 1), 1, PortState.Active));
            }
            if (at == 500) {
                ports.add(port(3, "x".repeat(800), 1, PortState.Down));
            }
            switches.add(new Switch(id(at), null, null, null, null, "test", ports));
        }
        return FabricModel.of(switches, List.of());
    }

    private static String id(int at) {
        return "%04d%s".formatted(at, "s".repeat(at % 100 == 0 ? 248 : 1));
    }

    private static SwitchPort port(int number, String peer, int peerPort, PortState state) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), state, 1_000L, 4, null, null, null);
    }

    private static List<FindingStatus> asTheApiServerReturnsThem(List<Finding> findings) throws IOException {
        List<FindingStatus> read = new ArrayList<>();
        for (Finding each : findings) {
            FindingStatus said = FindingMapper.toStatus(each);
            read.add(JSON.readValue(JSON.writeValueAsBytes(said), FindingStatus.class));
        }
        return read;
    }

    private static List<FindingStatus> findings(FabricModel model, @Nullable StatusFindings statusFindings) {
        return new FoundFabric(
                        "f",
                        0,
                        1,
                        null,
                        "f",
                        FabricSpecBuilder.builder().build(),
                        List.of(),
                        model,
                        statusFindings,
                        null)
                .findings();
    }

    @Test
    void whatStatusAndWiringBothSayIsListedOnce() throws Exception {
        FabricModel model = model();
        List<FindingStatus> all = asTheApiServerReturnsThem(model.findings());
        assertThat(all).isNotEmpty();
        assertThat(findings(model, new StatusFindings(all.subList(0, all.size() / 2 + 1), false, true)))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(findings(model, new StatusFindings(all, false, true))).isEqualTo(all);
    }

    @Test
    void findingsOfTheGenerationBeforeGiveWayToThoseOfTheObjectsThatWereRead() throws Exception {
        FabricModel model = model();
        FindingStatus gone = FindingStatus.of("MissingUplink", "a to b", "1 of 2 links between switches a and b");
        FindingStatus other = FindingStatus.of("ReadErrors", "device", "1 device has files that could not be read");
        List<FindingStatus> now = new ArrayList<>(List.of(other));
        now.addAll(asTheApiServerReturnsThem(model.findings()));
        assertThat(findings(model, new StatusFindings(List.of(other, gone), true, false)))
                .containsExactlyElementsOf(now);
    }

    @Test
    void aLinkThatFlapsIsNotListedAsDownBesides() {
        FabricModel model = model();
        String port = id(500) + " port 3";
        FindingStatus flaps = FindingStatus.of("FlappingLink", port, "the link goes up and down");
        assertThat(findings(model, null)).anyMatch(found -> port.equals(found.object()));
        assertThat(findings(model, new StatusFindings(List.of(flaps), true, false)))
                .filteredOn(found -> port.equals(found.object()))
                .containsExactly(flaps);
    }
}
