/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.lldp;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.agent.LldpNeighbors;
import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.formats.lldp.LldpReader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts and a switch that run lldpd: what their lldpctl prints is read by the agent and as a topology source. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LldpDaemonsTest {
    private static final Path LLDPCTL = Path.of("lldpctl");
    private static final List<String> SYSTEMS = List.of("n1", "n2", LldpLab.SWITCH);

    private LldpLab lab;

    @BeforeAll
    void wire(@TempDir Path directory) {
        lab = LldpLab.of(directory, List.of("n1", "n2"), "eth0");
        lab.awaitNeighbors();
    }

    @AfterAll
    void end() {
        if (lab != null) {
            lab.close();
        }
    }

    private static Cabling read(String text) throws Exception {
        return LldpReader.read("lab", new StringReader(text));
    }

    @Test
    @Order(1)
    void everyFormOfEveryAnswerIsOneSwitchWithTwoHosts() throws Exception {
        for (String form : List.of("json", "json0", "keyvalue")) {
            StringBuilder all = new StringBuilder();
            for (String system : SYSTEMS) {
                all.append(lab.ask(system, form)).append('\n');
            }
            Cabling cabling = read(all.toString());
            assertThat(cabling.problems()).as(form).isEmpty();
            assertThat(cabling.switches()).as(form).extracting(Switch::name).containsExactly(LldpLab.SWITCH);
            assertThat(cabling.switches().getFirst().ports())
                    .as(form)
                    .extracting(SwitchPort::number)
                    .containsExactly(1, 2);
            assertThat(cabling.adapters()).extracting(Adapter::id).containsExactly("n1/eth0", "n2/eth0");
        }
    }

    @Test
    @Order(2)
    void aSwitchWithItsChassisIsTheSwitchThatHostsHear() throws Exception {
        Cabling ownWord = read(lab.chassis(LldpLab.SWITCH) + lab.ask(LldpLab.SWITCH, "json"));
        Cabling hostsWord = read(lab.ask("n1", "json0"));
        assertThat(ownWord.problems()).isEmpty();
        assertThat(ownWord.switches())
                .extracting(Switch::id)
                .containsExactly(hostsWord.switches().getFirst().id());
        assertThat(ownWord.adapters()).hasSize(2);
    }

    @Test
    @Order(3)
    void anAgentHearsTheSwitchAndItsPort(@TempDir Path root) throws Exception {
        String chassis = read(lab.ask("n2", "json")).switches().getFirst().id();
        // A program that has no time to run in is Unknown.
        eventually(() -> assertThat(new LldpNeighbors(root, lab.socket("n2"), LLDPCTL).ask())
                .isEqualTo(new LldpNeighbors.Known(Map.of("eth0", new Neighbor(chassis, "swp2", "lldp")))));
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(root.resolve("run/lldpd"));
        Files.createSymbolicLink(root.resolve("run/lldpd/lldpd.socket"), lab.socket("n1"));
        eventually(() -> assertThat(new LldpNeighbors(root, null, LLDPCTL).ask())
                .isEqualTo(new LldpNeighbors.Known(Map.of("eth0", new Neighbor(chassis, "swp1", "lldp")))));
    }

    @Test
    @Order(4)
    void nobodyToAskIsUnknown(@TempDir Path root) throws Exception {
        assertThat(new LldpNeighbors(root, null, LLDPCTL).ask()).isInstanceOf(LldpNeighbors.Unknown.class);
        assertThat(new LldpNeighbors(root, lab.socket("n1"), Path.of("no-such-lldpctl")).ask())
                .isEqualTo(new LldpNeighbors.Unknown("no-such-lldpctl is not installed"));
        lab.end("n1");
        assertThat(new LldpNeighbors(root, lab.socket("n1"), LLDPCTL).ask()).isInstanceOf(LldpNeighbors.Unknown.class);
    }
}
