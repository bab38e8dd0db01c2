/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Neighbor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of answers and of programs that misbehave; with real daemons: LldpDaemonsTest in e2e. */
class LldpNeighborsTest {
    @TempDir
    private Path root;

    @BeforeEach
    void aSocket() throws IOException {
        Files.createDirectories(root.resolve("run"));
        Files.createFile(root.resolve("run/lldpd.socket"));
    }

    private LldpNeighbors.Answer ask(String script) throws Exception {
        Path program = Files.writeString(root.resolve("lldpctl"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new LldpNeighbors(root, null, program).ask();
    }

    @Test
    void aRecordedAnswerIsNeighboursByInterface() throws Exception {
        String answer =
                Files.readString(Path.of(System.getProperty("fixtures"), "lldp", "lldpd-1.0.16-clos", "h3.keyvalue"));
        assertThat(LldpNeighbors.neighbors(answer))
                .isEqualTo(Map.of(
                        "eth0", new Neighbor("2a:e7:96:81:dc:5f", "swp3", "lldp"),
                        "eth1", new Neighbor("92:66:46:43:24:18", "swp3", "lldp")));
    }

    @Test
    void aDescriptionOfSeveralLinesTakesNothingFromThePort() throws Exception {
        String answer = Files.readString(Path.of(System.getProperty("fixtures"), "reported", "node17.txt"));
        assertThat(LldpNeighbors.neighbors(answer))
                .isEqualTo(Map.of(
                        "ens1f0np0", new Neighbor("24:b6:57:00:a6:da", "Ethernet1/25", "lldp"),
                        "ens1f1np1", new Neighbor("24:b6:57:00:a6:da", "Ethernet1/26", "lldp")));
    }

    @Test
    void aSystemIsBelievedBeforeTheCardInFrontOfIt() {
        String answer = """
                lldp.eth0.via=LLDP
                lldp.eth0.rid=1
                lldp.eth0.chassis.mac=02:00:00:00:00:01
                lldp.eth0.port.mac=02:00:00:00:00:01
                lldp.eth0.via=LLDP
                lldp.eth0.rid=2
                lldp.eth0.chassis.mac=02:00:00:00:00:02
                lldp.eth0.chassis.name=leaf
                lldp.eth0.port.local=12
                lldp.eth0.port.descr=Ethernet1/12
                """;
        assertThat(LldpNeighbors.neighbors(answer))
                .isEqualTo(Map.of("eth0", new Neighbor("02:00:00:00:00:02", "Ethernet1/12", "lldp")));
    }

    /** As members of a bond do with some drivers. */
    @Test
    void anInterfaceThatHearsTwoSystemsIsAtNeitherAsFarAsAnybodyKnows() {
        String answer = "";
        for (String netdev : new String[] {"ens1f0", "ens1f1", "ens2f0"}) {
            for (int leaf = netdev.equals("ens2f0") ? 2 : 1; leaf <= 2; leaf++) {
                answer += """
                        lldp.%1$s.via=LLDP
                        lldp.%1$s.rid=%2$s
                        lldp.%1$s.chassis.mac=02:00:00:00:00:0%2$s
                        lldp.%1$s.chassis.name=leaf%2$s
                        lldp.%1$s.port.ifname=swp7
                        """.formatted(netdev, leaf);
            }
        }
        assertThat(LldpNeighbors.neighbors(answer))
                .isEqualTo(Map.of("ens2f0", new Neighbor("02:00:00:00:00:02", "swp7", "lldp")));
    }

    @Test
    void anInterfaceThatHearsTwoPortsOfASystemIsAtThatSystem() {
        String answer = "";
        for (int port = 7; port <= 8; port++) {
            answer += """
                    lldp.ens1f0.via=LLDP
                    lldp.ens1f0.rid=%1$s
                    lldp.ens1f0.chassis.mac=02:00:00:00:00:02
                    lldp.ens1f0.chassis.name=leaf
                    lldp.ens1f0.port.ifname=swp%1$s
                    """.formatted(port);
        }
        assertThat(LldpNeighbors.neighbors(answer))
                .isEqualTo(Map.of("ens1f0", new Neighbor("02:00:00:00:00:02", null, "lldp")));
    }

    /** Of a Junos port that its switch counts, the words are what is plugged in. */
    @Test
    void aDescriptionThatIsTheHostsOwnInterfaceIsNotThePortOfTheSwitch() {
        String answer = """
                lldp.ens1f0.via=LLDP
                lldp.ens1f0.chassis.mac=02:00:00:00:00:02
                lldp.ens1f0.chassis.name=leaf
                lldp.ens1f0.port.local=622
                lldp.ens1f0.port.descr=ens1f0
                """;
        assertThat(LldpNeighbors.neighbors(answer))
                .isEqualTo(Map.of("ens1f0", new Neighbor("02:00:00:00:00:02", "622", "lldp")));
    }

    @Test
    void noAnswerAtAllIsAnAnswerAndAFailureIsNone() throws Exception {
        assertThat(ask("true")).isEqualTo(new LldpNeighbors.Known(Map.of()));
        assertThat(ask("echo lldp.eth0.via=LLDP; exit 1")).isInstanceOf(LldpNeighbors.Unknown.class);
    }

    @Test
    void outputWithoutEndIsCutOff() throws Exception {
        assertThat(ask("exec yes lldp.eth0.via=LLDP"))
                .isEqualTo(new LldpNeighbors.Unknown("lldpctl prints more than 1048576 bytes"));
    }

    @Test
    void aProgramThatDoesNotEndIsEnded() throws Exception {
        assertThat(ask("exec sleep 600")).isEqualTo(new LldpNeighbors.Unknown("lldpctl has not answered within 5 s"));
    }
}
