/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.XZInputStream;

class LldpReaderTest {
    private static final Path FIXTURES = Path.of(System.getProperty("fixtures"), "lldp");
    private static final List<String> SYSTEMS =
            List.of("h1", "h2", "h3", "h4", "leaf01", "leaf02", "spine01", "spine02");

    /** The clos as it was wired, by the names that its systems announce. */
    private static final List<String> CLOS = List.of(
            "h100-h1/eth0 - leaf01:1",
            "h100-h1/eth1 - leaf02:1",
            "h100-h2/eth0 - leaf01:2",
            "h100-h2/eth1 - leaf02:2",
            "h100-h3/eth0 - leaf01:3",
            "h100-h3/eth1 - leaf02:3",
            "h100-h4/eth0 - leaf01:4",
            "h100-h4/eth1 - leaf02:4",
            "leaf01:49 - spine01:1",
            "leaf01:50 - spine02:1",
            "leaf02:49 - spine01:2",
            "leaf02:50 - spine02:2");

    private static String clos(String system, String form) throws IOException {
        return Files.readString(FIXTURES.resolve("lldpd-1.0.16-clos").resolve(system + "." + form));
    }

    private static Cabling read(String text) throws IOException, BadInputException {
        return LldpReader.read("given/lab.txt", new StringReader(text));
    }

    /** Every cable once, its ends by name and in order. */
    private static List<String> cables(Cabling cabling) {
        Map<String, String> names = new TreeMap<>();
        cabling.switches().forEach(s -> names.put(s.id(), s.name() == null ? s.id() : s.name()));
        TreeSet<String> cables = new TreeSet<>();
        for (Switch from : cabling.switches()) {
            for (SwitchPort port : from.ports()) {
                if (port.peer() != null) {
                    String near = names.get(from.id()) + ":" + port.number();
                    String name = names.get(port.peer().id());
                    String far = name == null
                            ? port.peer().id()
                            : name + ":" + port.peer().port();
                    cables.add(near.compareTo(far) < 0 ? near + " - " + far : far + " - " + near);
                }
            }
        }
        return List.copyOf(cables);
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "json0", "keyvalue"})
    void outputsOfAllSystemsInOneTextAreTheClosWithoutAWordOnWhoseTheyAre(String form) throws Exception {
        StringBuilder all = new StringBuilder();
        for (String system : SYSTEMS) {
            all.append(clos(system, form));
        }
        Cabling cabling = read(all.toString());
        assertThat(cables(cabling)).isEqualTo(CLOS);
        assertThat(cabling.problems()).isEmpty();
        assertThat(Topology.of(cabling.switches(), List.of()).links()).isEqualTo(12);
        assertThat(cabling.switches())
                .extracting(Switch::id, Switch::name, Switch::vendor, Switch::model)
                .contains(org.assertj.core.groups.Tuple.tuple(
                        "2a:e7:96:81:dc:5f", "leaf01", "Mellanox Technologies Ltd.", "SN5600"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "json0"})
    void anyOrderOfSystemsIsTheSameClos(String form) throws Exception {
        Random random = new Random(7);
        for (int run = 0; run < 20; run++) {
            List<String> order = new ArrayList<>(SYSTEMS);
            Collections.shuffle(order, random);
            StringBuilder all = new StringBuilder();
            for (String system : order) {
                all.append(clos(system, form));
            }
            assertThat(cables(read(all.toString()))).as("%s", order).isEqualTo(CLOS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "json0"})
    void outputsAreThoseOfTheirKeysInAnObject(String form) throws Exception {
        StringBuilder all = new StringBuilder();
        for (String system : SYSTEMS) {
            String name = system.startsWith("h") ? "h100-" + system + ".example.org" : system;
            all.append(all.isEmpty() ? "{" : ",").append("\"" + name + "\":").append(clos(system, form));
        }
        assertThat(cables(read(all + "}"))).isEqualTo(CLOS);
    }

    @Test
    void blocksOfKeysAndValuesBelongToTheHeaderBefore() throws Exception {
        StringBuilder all = new StringBuilder();
        for (String system : List.of("spine02", "h3", "leaf01", "h1", "leaf02", "h2", "spine01", "h4")) {
            all.append("==> " + (system.startsWith("h") ? "h100-" : "") + system + " <==\n")
                    .append(clos(system, "keyvalue"));
        }
        Cabling cabling = read(all.toString());
        assertThat(cables(cabling)).isEqualTo(CLOS);
        assertThat(cabling.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "json0", "keyvalue"})
    void whatHostsSeeIsTheLevelOfLeaves(String form) throws Exception {
        StringBuilder all = new StringBuilder();
        for (int host = 1; host <= 4; host++) {
            all.append(clos("h" + host, form));
        }
        Cabling cabling = read(all.toString());
        // Nobody says which host is which: each is one of its own.
        assertThat(cabling.switches()).extracting(Switch::name).containsExactly("leaf01", "leaf02");
        assertThat(cabling.switches())
                .allSatisfy(s ->
                        assertThat(s.ports()).extracting(SwitchPort::number).containsExactly(1, 2, 3, 4));
        assertThat(cabling.adapters()).hasSize(8);
        assertThat(cabling.problems()).hasSize(4);
    }

    @Test
    void whatSwitchesSeeIsEnoughForEveryCable() throws Exception {
        String all = "{\"leaf02\": " + clos("leaf02", "json") + ", \"leaf01\": " + clos("leaf01", "json0") + "}";
        assertThat(cables(read(all))).isEqualTo(CLOS);
    }

    @Test
    void suzieqsRecordingHasTenSystemsAndTwentyCables() throws Exception {
        String text;
        try (InputStream packed = Files.newInputStream(FIXTURES.resolve("suzieq-cumulus-dual-evpn.lldp.output.xz"))) {
            text = new String(new XZInputStream(packed).readAllBytes(), StandardCharsets.UTF_8);
        }
        Cabling cabling = read(text);
        assertThat(cables(cabling)).hasSize(20);
        assertThat(cabling.switches())
                .extracting(Switch::name)
                .containsExactlyInAnyOrder(
                        "exit01", "exit02", "internet", "leaf01", "leaf02", "leaf03", "leaf04", "spine01", "spine02");
        assertThat(cabling.adapters()).extracting(Adapter::id).containsExactly("edge01/eth1", "edge01/eth2");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .singleElement()
                .asString()
                .contains("answer of edge01");
    }

    @Test
    void aHostsKeysAndValuesAreTheTwoSwitchesThatItHears() throws Exception {
        Cabling cabling = read(Files.readString(FIXTURES.resolve("netbox-agent-cumulus.keyvalue.txt")));
        assertThat(cables(cabling))
                .containsExactly("e4:f0:04:b6:4e:32:46 - lab/eno2d1", "lab/eno1 - toto-chassis.dc42:46");
        assertThat(cabling.switches())
                .extracting(s ->
                        s.id() + " " + s.model() + " " + s.ports().getFirst().speedBitsPerSecond())
                .containsExactly("e4:f0:04:b6:47:32 S4100 10000000000", "e4:f0:04:b6:4e:32 S4100 10000000000");
    }

    @Test
    void theSystemThatShowChassisNamesIsTheOneThatAnswered() throws Exception {
        String chassis = "{\"local-chassis\": {\"chassis\": {\"leaf01.example.org\": {\"id\": {\"type\": \"mac\","
                + " \"value\": \"2A:E7:96:81:DC:5F\"}}}}}";
        for (String text : List.of(chassis + clos("leaf01", "json"), clos("leaf01", "json") + chassis)) {
            Cabling cabling = read(text);
            assertThat(cabling.problems()).isEmpty();
            assertThat(cabling.switches())
                    .filteredOn(s -> s.id().equals("2a:e7:96:81:dc:5f"))
                    .singleElement()
                    .satisfies(s -> assertThat(s.ports()).hasSize(6));
        }
    }

    private static final String OWN_CHASSIS = """
            local-chassis.chassis.mac=%s
            local-chassis.chassis.name=%s
            local-chassis.chassis.descr=Debian GNU/Linux 12 (bookworm) Linux 6.1.0
            of several lines
            local-chassis.chassis.mgmt-ip=192.0.2.1
            local-chassis.chassis.Bridge.enabled=off
            local-chassis.chassis.Station.enabled=on
            """;

    @Test
    void theSystemThatShowChassisNamesInKeysAndValuesIsTheOneThatAnswered() throws Exception {
        String chassis = OWN_CHASSIS.formatted("2A:E7:96:81:DC:5F", "leaf01.example.org");
        String answer = clos("leaf01", "keyvalue");
        for (String text : List.of(chassis + answer, answer + chassis, "# tor 1\n" + chassis + "\n" + answer)) {
            Cabling cabling = read(text);
            assertThat(cabling.problems()).isEmpty();
            assertThat(cabling.switches())
                    .filteredOn(s -> s.id().equals("2a:e7:96:81:dc:5f"))
                    .singleElement()
                    .satisfies(s -> assertThat(s.ports()).hasSize(6));
        }
        String host = OWN_CHASSIS.formatted("c6:6b:db:2c:76:4c", "h100-h1") + clos("h1", "keyvalue");
        for (String text : List.of(chassis + answer + host, host + chassis + answer)) {
            Cabling cabling = read(text);
            assertThat(cables(cabling)).hasSize(7).contains("h100-h1/eth0 - leaf01:1", "h100-h1/eth1 - leaf02:1");
            assertThat(cabling.problems()).isEmpty();
        }
        assertThat(messages(read(answer + "local-chassis.chassis.na"))).contains("no value: the line is cut");
    }

    /** One chassis has one number, which comes again where two of its ports are behind one interface. */
    @ParameterizedTest
    @ValueSource(strings = {"lab", "leaf01"})
    void twoPortsOfOneNeighbourOnAnInterfaceDoNotEndASwitchsAnswer(String name) throws Exception {
        StringBuilder text = new StringBuilder(name.equals("lab") ? "" : "# " + name + "\n");
        for (String heard : List.of("1 1 eth0", "2 2 eth0", "2 2 eth1", "3 3 eth0")) {
            String[] words = heard.split(" ");
            text.append("lldp.swp" + words[0] + ".via=LLDP\nlldp.swp" + words[0] + ".rid=" + words[1] + "\n");
            text.append("lldp.swp" + words[0] + ".chassis.mac=02:00:00:00:00:0" + words[1] + "\n");
            text.append("lldp.swp" + words[0] + ".chassis.name=n" + words[1] + "\n");
            text.append("lldp.swp" + words[0] + ".chassis.descr=Ubuntu 24.04\n");
            text.append("lldp.swp" + words[0] + ".port.ifname=" + words[2] + "\n");
        }
        Cabling cabling = read(text.toString());
        assertThat(cables(cabling))
                .containsExactly(name + ":1 - n1/eth0", name + ":2 - n2/eth0", name + ":3 - n3/eth0");
        assertThat(cabling.switches()).hasSize(1);
    }

    /** As a host does that hears one switch twice. */
    @Test
    void aHeaderTellsAnswersOfOneInterfaceApartAndNumbersDoNot() throws Exception {
        String heard = "lldp.eth0.via=LLDP\nlldp.eth0.rid=1\nlldp.eth0.chassis.mac=02:00:00:00:00:01\n"
                + "lldp.eth0.chassis.name=tor\nlldp.eth0.port.ifname=swp%d\n";
        Cabling cabling = read("# n1\n" + heard.formatted(1) + heard.formatted(2) + "# n2\n" + heard.formatted(3));
        assertThat(cables(cabling)).containsExactly("n1/eth0 - tor:1", "n2/eth0 - tor:3");
        Cabling nameless = read(heard.formatted(1) + heard.formatted(3));
        assertThat(nameless.adapters()).hasSize(2);
    }

    @Test
    void everySectionOfANeighbourIsKnown() throws Exception {
        String text = "lldp.eth1.via=LLDP\nlldp.eth1.rid=1\nlldp.eth1.chassis.mac=02:00:00:00:00:01\n"
                + "lldp.eth1.chassis.name=tor\nlldp.eth1.port.ifname=swp7\nlldp.eth1.ttl.ttl=120\n"
                + "lldp.eth1.pi=88 cc\nlldp.eth1.pi=88 8e 01\nlldp.eth1.ppvid.supported=yes\n";
        Cabling cabling = read("# n1\n" + text);
        assertThat(cables(cabling)).containsExactly("n1/eth1 - tor:7");
        assertThat(cabling.problems()).isEmpty();
    }

    private static String neighbor(String name, String mac, String port) {
        return "{\"via\": \"LLDP\", \"rid\": \"1\", \"unknown-count\": \"2\", \"chassis\": {\"" + name
                + "\": {\"id\": {\"type\": \"mac\", \"value\": \"" + mac + "\"}}}, \"port\": {\"id\": {\"type\":"
                + " \"ifname\", \"value\": \"" + port + "\"}, \"descr\": \"words of a person\"}}";
    }

    @Test
    void aSingleNeighbourIsNoListAndAnInterfaceMayHearSeveral() throws Exception {
        String one = "{\"n1\": {\"lldp\": {\"interface\": {\"eth0\": " + neighbor("sw1", "02:00:00:00:00:01", "swp7")
                + "}}}}";
        assertThat(cables(read(one))).containsExactly("n1/eth0 - sw1:7");
        String several = "{\"n1\": {\"lldp\": {\"interface\": [{\"eth0\": "
                + neighbor("sw1", "02:00:00:00:00:01", "swp7") + "}, {\"eth0\": "
                + neighbor("sw2", "02:00:00:00:00:02", "swp7") + "}]}},"
                + "\"sw2\": {\"lldp\": {\"interface\": {\"swp7\": "
                + neighbor("n1", "02:00:00:00:00:0a", "eth0") + "}}}}";
        Cabling cabling = read(several);
        // What both ends hear is believed first.
        assertThat(cables(cabling)).containsExactly("n1/eth0 - sw2:7");
        assertThat(cabling.problems())
                .extracting(Problem::message)
                .singleElement()
                .asString()
                .contains("sw1");
    }

    @Test
    void chassisOfOneInterfaceInOneObjectAreNeighboursEach() throws Exception {
        String text = "{\"sw2\": {\"lldp\": {\"interface\": [{\"swp1\": {\"via\": \"LLDP\", \"chassis\": {"
                + "\"n1\": {\"id\": {\"type\": \"mac\", \"value\": \"02:00:00:00:00:0a\"}, \"descr\": \"Ubuntu\"},"
                + "\"n2\": {\"id\": {\"type\": \"mac\", \"value\": \"02:00:00:00:00:0b\"}, \"descr\": \"Ubuntu\"}},"
                + "\"port\": {\"id\": {\"type\": \"ifname\", \"value\": \"eth0\"}}}}]}}}";
        Cabling cabling = read(text);
        assertThat(cables(cabling)).containsExactly("n1/eth0 - sw2:1");
        assertThat(cabling.problems()).singleElement().extracting(Problem::line).isEqualTo(1);
    }

    @Test
    void aHostThatRoutesAndBridgesIsAHostAndAPortOfTheAdministratorIsNoCable() throws Exception {
        String node =
                "\"capability\": [{\"type\": \"Bridge\", \"enabled\": true}, {\"type\": \"Router\", \"enabled\": true}]";
        String text = "{\"sw1\": {\"lldp\": {\"interface\": ["
                + "{\"swp1\": {\"chassis\": {\"node7\": {\"id\": {\"type\": \"mac\", \"value\": \"02:00:00:00:00:0a\"}, "
                + node
                + "}}, \"port\": {\"id\": {\"type\": \"mac\", \"value\": \"02:00:00:00:00:0a\"}, \"descr\": \"enp65s0f0np0\"}}},"
                + "{\"eth0\": " + neighbor("mgmt", "02:00:00:00:00:0f", "Ethernet1/7") + "}]}}}";
        Cabling cabling = read(text);
        assertThat(cables(cabling)).containsExactly("node7/enp65s0f0np0 - sw1:1");
        assertThat(cabling.problems())
                .singleElement()
                .extracting(Problem::message)
                .asString()
                .contains("management");
    }

    @Test
    void aCardThatSpeaksForItselfIsADeviceByItsMac() throws Exception {
        String text = """
                lldp.Ethernet1/3.via=LLDP
                lldp.Ethernet1/3.rid=1
                lldp.Ethernet1/3.chassis.mac=B8:3F:D2:00:00:01
                lldp.Ethernet1/3.port.mac=b8:3f:d2:00:00:01
                """;
        Cabling cabling = read(text);
        assertThat(cabling.adapters()).singleElement().satisfies(a -> {
            assertThat(a.id()).isEqualTo("b8:3f:d2:00:00:01");
            assertThat(a.hostname()).isNull();
        });
    }

    @Test
    void interfacesWithDotsAndLinesOfNothingAreRead() throws Exception {
        String text = """
                # node3
                lldp.eth0.100.via=LLDP
                lldp.eth0.100.rid=1
                lldp.eth0.100.chassis.local=Some switch
                lldp.eth0.100.chassis.name=tor.1
                lldp.eth0.100.port.local=7
                lldp.eth0.100.port.descr=Eth1/7
                lldp.eth0.100.port.ttl
                lldp.nonsense=1
                """;
        Cabling cabling = read(text);
        assertThat(cables(cabling)).containsExactly("node3/eth0.100 - tor.1:7");
        assertThat(cabling.problems()).extracting(Problem::line).containsExactly(8, 9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"lldp\": 5}",
                "{\"lldp\": {\"interface\": \"eth0\"}}",
                "{\"lldp\": {\"interface\": [5, null, {\"eth0\": 7}, {\"eth1\": {\"chassis\": 3, \"port\": []}}]}}",
                "{\"lldp\": [{\"interface\": [[], {}]}]}",
                "{\"lldp\": {}}",
                "{}",
                "[]",
                "",
                "nothing of the kind",
                "lldp.eth0",
                "{\"a\": {\"data\": \"{\\\"lldp\\\": {\"}}"
            })
    void aTextWithoutANeighbourIsAnError(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(BadInputException.class)
                .hasMessageStartingWith("given/lab.txt:1: ");
    }

    @Test
    void aCutTextIsAnErrorThatNamesItsLine() throws Exception {
        String whole = clos("leaf01", "json");
        String cut = whole.substring(0, whole.length() / 2);
        long lines = cut.lines().count();
        assertThatThrownBy(() -> read(cut))
                .isInstanceOfSatisfying(
                        BadInputException.class, e -> assertThat(e.line()).isBetween((int) lines - 1, (int) lines + 1));
    }

    @Test
    void anObjectTooDeepIsAnError() {
        String deep = "{\"a\":".repeat(10_000);
        assertThatThrownBy(() -> read(deep)).isInstanceOf(BadInputException.class);
    }

    /** The limit is no measure of speed: work that grows with the square of a line would take many minutes. */
    @Test
    @Timeout(60)
    void longLinesOfMarksBeforeAnAnswerDelayNobody() throws Exception {
        String marks = "-".repeat(30_000) + "a" + "-".repeat(30_000) + "\n";
        Cabling cabling = read(marks.repeat(100) + clos("leaf01", "keyvalue"));
        assertThat(cabling.switches()).isNotEmpty();
    }

    private static Cabling reported(String file) throws IOException, BadInputException {
        Path path = Path.of(System.getProperty("fixtures"), "reported", file);
        return LldpReader.read(path.toString(), new StringReader(Files.readString(path)));
    }

    private static List<String> messages(Cabling cabling) {
        return cabling.problems().stream().map(Problem::message).toList();
    }

    @Test
    void aDescriptionOfSeveralLinesIsOneValue() throws Exception {
        Cabling cabling = reported("node17.txt");
        assertThat(cables(cabling)).containsExactly("agg-b:25 - node17/ens1f0np0", "agg-b:26 - node17/ens1f1np1");
        assertThat(messages(cabling)).singleElement().asString().contains("called node17");
    }

    /** Empty lines, keys and hashes within a description; a description that is the last of an answer. */
    @Test
    void linesOfADescriptionAreNoHeaderWhateverTheyHold() throws Exception {
        String answer = """
                lldp.ens1f0.via=LLDP
                lldp.ens1f0.rid=2
                lldp.ens1f0.chassis.mac=24:b6:57:00:a6:da
                lldp.ens1f0.chassis.name=H3C-1
                lldp.ens1f0.chassis.descr=H3C Comware Platform Software, Software Version 7.1.070, Release 6616P01
                H3C S6850-56HF

                # Copyright (c) 2004-2020 New H3C Technologies Co., Ltd.
                mode=irf slot=1
                lldp.ens1f0.chassis.mgmt-ip=10.0.0.1
                lldp.ens1f0.port.ifname=Twenty-FiveGigE1/0/%s
                """;
        String text = "==> node3 <==\n" + answer.formatted(7)
                + "lldp.ens1f0.port.descr=uplink\nof rack = 2\nlldp.ens1f0.port.ttl=121\n==> node4 <==\n\n"
                + answer.formatted(8) + "lldp.ens1f0.port.ttl=121\n\n# node5\n" + answer.formatted(9)
                + "lldp.ens1f0.port.descr=one\ntwo = 2\n";
        Cabling cabling = read(text);
        assertThat(cables(cabling))
                .containsExactly("H3C-1:7 - node3/ens1f0", "H3C-1:8 - node4/ens1f0", "H3C-1:9 - node5/ens1f0");
        assertThat(cabling.problems()).isEmpty();
    }

    @Test
    void aCapabilityWithoutANameIsNone() throws Exception {
        String text = "lldp.eth0.via=LLDP\nlldp.eth0.chassis.name=leaf\nlldp.eth0.chassis.enabled=on\n"
                + "lldp.eth0.port.ifname=swp7\n";
        assertThat(cables(read(text))).containsExactly("lab/eth0 - leaf:7");
    }

    @Test
    void aValueOfManyLinesIsCut() throws Exception {
        String text = "lldp.eth0.via=LLDP\nlldp.eth0.chassis.mac=02:00:00:00:00:01\nlldp.eth0.chassis.descr=a\n"
                + "and so on\n".repeat(100_000) + "lldp.eth0.port.ifname=swp7\n";
        assertThat(cables(read(text))).containsExactly("02:00:00:00:00:01:7 - lab/eth0");
    }

    @Test
    void aCableOfSonicIsOneWhereBothEndsAnswersFitEachOther() throws Exception {
        Cabling cabling = reported("sonic-pair-alias.json");
        assertThat(cables(cabling))
                .containsExactly("gpu01/enp12s0f0np0 - leaf01:16", "leaf01:0 - spine01:8", "leaf01:4 - spine01:16");
        assertThat(cabling.problems()).isEmpty();
    }

    private static final String SONIC = "SONiC Software Version: SONiC.202305 - HwSku: ACS-MSN4700";

    /** One neighbour on an interface, in the form {@code json}; capabilities are those of a Kubernetes node. */
    private static String heard(
            String netdev, String name, String mac, String portType, String port, String words, String system) {
        return """
                {"%s": {"via": "LLDP", "rid": "1", "chassis": {"%s": {"id": {"type": "mac", "value": "%s"}, "descr": "%s",
                "capability": [{"type": "Bridge", "enabled": true}, {"type": "Router", "enabled": true}]}},
                "port": {"id": {"type": "%s", "value": "%s"}, "descr": "%s", "ttl": "120"}}}
                """.formatted(netdev, name, mac, system, portType, port, words);
    }

    private static String answer(String system, String... heard) {
        return "{\"" + system + "\": {\"lldp\": {\"interface\": [" + String.join(",", heard) + "]}}}\n";
    }

    @Test
    void aliasesThatDescriptionsNameCrosswiseAreMatchedInAnyOrder() throws Exception {
        // Each description is a person's words with the alias of the port at the other end.
        String[] leaf = new String[8];
        String[] spine = new String[8];
        for (int i = 0; i < 8; i++) {
            int far = (3 * i + 1) % 8;
            leaf[i] = heard(
                    "Ethernet" + 4 * i,
                    "spine01",
                    "0c:29:ef:00:00:02",
                    "local",
                    "etp" + (far + 1) + "a",
                    "to leaf01:Eth" + (i + 1) + "(Port" + (i + 1) + ")",
                    SONIC);
            spine[far] = heard(
                    "Ethernet" + 8 * far,
                    "leaf01",
                    "0c:29:ef:00:00:01",
                    "local",
                    "Eth" + (i + 1),
                    "spine01|etp" + (far + 1) + "a (100G)",
                    SONIC);
        }
        Cabling cabling = read(answer("leaf01", leaf) + answer("spine01", spine));
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            wanted.add("leaf01:" + 4 * i + " - spine01:" + 8 * ((3 * i + 1) % 8));
        }
        assertThat(cables(cabling)).containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(messages(cabling)).singleElement().asString().startsWith("no host is among the 2 systems");
    }

    @Test
    void anAliasThatLooksLikeANameOfItsSystemIsNone() throws Exception {
        String leaf = "0c:29:ef:00:00:01";
        String spine = "0c:29:ef:00:00:02";
        Cabling one = read(answer(
                        "leaf01", heard("Ethernet0", "spine01", spine, "local", "Ethernet28", "to leaf01", SONIC))
                + answer("spine01", heard("Ethernet108", "leaf01", leaf, "local", "Ethernet1/1", "to spine01", SONIC)));
        assertThat(cables(one)).containsExactly("leaf01:0 - spine01:108");
        // The alias of one port is the name of another one: the words tell.
        Cabling two = read(answer(
                        "leaf01",
                        heard("Ethernet0", "spine01", spine, "local", "Ethernet28", "to leaf01 Eth1", SONIC),
                        heard("Ethernet4", "spine01", spine, "local", "Ethernet108", "", SONIC))
                + answer(
                        "spine01",
                        heard("Ethernet28", "leaf01", leaf, "local", "Eth2", "to spine01 Ethernet108", SONIC),
                        heard("Ethernet108", "leaf01", leaf, "local", "Eth1", "", SONIC)));
        assertThat(cables(two)).containsExactly("leaf01:0 - spine01:108", "leaf01:4 - spine01:28");
    }

    @Test
    void endsThatNothingMatchesAreToldAndCountOnce() throws Exception {
        Cabling cabling = read(answer(
                        "leaf01",
                        heard("Ethernet0", "spine01", "0c:29:ef:00:00:02", "local", "etp2", "uplink A", SONIC),
                        heard("Ethernet4", "spine01", "0c:29:ef:00:00:02", "local", "etp3", "uplink B", SONIC),
                        heard("Ethernet8", "spine02", "0c:29:ef:00:00:03", "local", "etp9", "uplink", SONIC))
                + answer(
                        "spine01",
                        heard("Ethernet8", "leaf01", "0c:29:ef:00:00:01", "local", "etp1a", "down", SONIC),
                        heard("Ethernet16", "leaf01", "0c:29:ef:00:00:01", "local", "etp1b", "down", SONIC))
                + answer("spine02", heard("Ethernet60", "leaf01", "0c:29:ef:00:00:01", "local", "etp3", "x", SONIC)));
        assertThat(cables(cabling))
                .containsExactly("leaf01:0 - spine01:8", "leaf01:4 - spine01:16", "leaf01:8 - spine02:60");
        assertThat(messages(cabling))
                .anySatisfy(m -> assertThat(m).startsWith("leaf01 and spine01 hear each other on 2 and 2"));
    }

    /** Each of the two cables is heard at one end only; a system that has answered twice says the same. */
    @Test
    void portsThatAreNamedAsTheirSystemsNameThemAreNotTakenForOthers() throws Exception {
        String leaf = answer("leaf01", heard("swp1", "spine01", "0c:29:ef:00:00:02", "ifname", "swp7", "", "Cumulus"));
        Cabling cabling = read(leaf
                + leaf
                + answer("spine01", heard("swp9", "leaf01", "0c:29:ef:00:00:01", "ifname", "swp3", "", "Cumulus")));
        assertThat(cables(cabling)).containsExactly("leaf01:1 - spine01:7", "leaf01:3 - spine01:9");
    }

    @Test
    void portsThatShareAMacAreAllThere() throws Exception {
        String mac = "02:00:00:00:09:01";
        Cabling bond = read(answer(
                "leaf01",
                heard("swp1", "n1", mac, "mac", mac, "", "Ubuntu 24.04"),
                heard("swp2", "n1", mac, "mac", mac, "", "Ubuntu 24.04"),
                heard("swp3", "n1", mac, "mac", mac, "", "Ubuntu 24.04"),
                heard("swp9", "n2", "02:00:00:00:09:02", "mac", "02:00:00:00:09:02", "ens1f0", "Ubuntu 24.04")));
        assertThat(bond.switches().getFirst().ports())
                .extracting(p -> p.number() + " " + p.peerHost())
                .containsExactly("1 n1", "2 n1", "3 n1", "9 n2");
        assertThat(bond.problems()).isEmpty();
        StringBuilder hosts = new StringBuilder();
        for (int host = 1; host <= 4; host++) {
            hosts.append(answer("n" + host, heard("ens1f0", "tor", mac, "mac", mac, "", "Some Switch")));
        }
        Cabling tor = read(hosts.toString());
        assertThat(tor.switches())
                .singleElement()
                .satisfies(s -> assertThat(s.ports()).hasSize(4));
        assertThat(tor.adapters()).extracting(Adapter::hostname).containsExactly("n1", "n2", "n3", "n4");
        assertThat(tor.problems()).isEmpty();
    }

    /** With some drivers each member of a bond hears what the other hears, or one of them does. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void bothCablesOfABondAreThereInWhateverOrderItsMembersHearThem(long seed) throws Exception {
        Random random = new Random(seed);
        List<String> answers = new ArrayList<>();
        for (int host = 1; host <= 6; host++) {
            List<String> heard = new ArrayList<>();
            for (int member = 0; member < 2; member++) {
                for (int leaf = 1; leaf <= 2; leaf++) {
                    boolean isItsOwn = member == leaf - 1;
                    if (isItsOwn || host % 3 == 0 || host % 3 == 1 + member) {
                        String mac = "9c:dc:71:00:00:0" + leaf;
                        heard.add(heard(
                                "ens1f" + member, "leaf0" + leaf, mac, "ifname", "swp" + host, "", "Some Switch"));
                    }
                }
            }
            Collections.shuffle(heard, random);
            answers.add(answer("n" + host, heard.toArray(String[]::new)));
        }
        Collections.shuffle(answers, random);
        Cabling cabling = read(String.join("", answers));
        List<String> both = new ArrayList<>();
        for (int host = 1; host <= 6; host++) {
            both.add("leaf01:" + host + " - n" + host + "/ens1f0");
            both.add("leaf02:" + host + " - n" + host + "/ens1f1");
        }
        assertThat(cables(cabling)).containsExactlyInAnyOrderElementsOf(both);
        assertThat(cabling.problems())
                .singleElement()
                .extracting(Problem::message)
                .asString()
                .startsWith("8 neighbours are left out that other interfaces of the same systems hear, too");
    }

    /** Comware names ports by MACs, Junos counts them; the description says which network, or which interface, a port is for. */
    @ParameterizedTest
    @CsvSource({
        "mac, 9c:dc:71:00:00:1, VLAN100",
        "local, 62, ens1f0",
        "local, 62, eth0",
        "local, 62, port for n7",
    })
    void wordsThatPortsHaveInCommonNameNoneOfThem(String idType, String id, String words) throws Exception {
        StringBuilder hosts = new StringBuilder();
        for (int host = 1; host <= 4; host++) {
            String leaf = "9c:dc:71:00:00:01";
            hosts.append(answer("n" + host, heard("ens1f0", "leaf01", leaf, idType, id + host, words, "Some Switch")));
        }
        Cabling cabling = read(hosts.toString());
        assertThat(cabling.switches())
                .singleElement()
                .satisfies(s -> assertThat(s.ports()).hasSize(4));
        assertThat(cabling.adapters()).extracting(Adapter::hostname).containsExactly("n1", "n2", "n3", "n4");
        assertThat(cabling.problems()).isEmpty();
    }

    /** {@code leaves x hosts} with an interface at each leaf. */
    private static String leavesOfHosts(int leaves, int hosts, String leafPort, String portType, String system) {
        StringBuilder text = new StringBuilder();
        for (int leaf = 0; leaf < leaves; leaf++) {
            String[] heard = new String[hosts];
            for (int host = 0; host < hosts; host++) {
                String mac = "02:00:00:00:%02x:%02x".formatted(leaf, host);
                heard[host] = heard(
                        leafPort.formatted(host + 1),
                        "gpu" + host,
                        "02:00:00:01:00:%02x".formatted(host),
                        portType,
                        portType.equals("mac") ? mac : "rail" + leaf,
                        "rail" + leaf,
                        system);
            }
            text.append(answer("leaf" + leaf, heard));
        }
        return text.toString();
    }

    private static void assertHosts(Cabling cabling, int leaves, int hosts) {
        assertThat(cabling.switches())
                .extracting(Switch::id)
                .allSatisfy(id -> assertThat(id).startsWith("leaf"));
        assertThat(cabling.switches()).hasSize(leaves);
        assertThat(cabling.adapters()).hasSize(leaves * hosts);
        assertThat(cabling.adapters())
                .extracting(Adapter::osName)
                .allSatisfy(n -> assertThat(n).startsWith("rail"));
        assertThat(messages(cabling))
                .singleElement()
                .asString()
                .startsWith("no word that is known says whether " + hosts + " systems")
                .contains(hosts + " taken for host, such as gpu0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mac", "ifname"})
    void hostsOfAnUnknownSystemWithInterfacesOfTheSitesNamesAreHosts(String portType) throws Exception {
        assertHosts(read(leavesOfHosts(2, 8, "swp%d", portType, "Void Linux 6.6")), 2, 8);
        // Leaves whose system and ports are as unknown.
        assertHosts(read(leavesOfHosts(4, 16, "lane%d", portType, "Odd System")), 4, 16);
    }

    @Test
    void hostsOfAnUnknownSystemThatAnswerThemselvesAreHosts() throws Exception {
        for (int hosts : new int[] {1, 8}) {
            StringBuilder text = new StringBuilder();
            for (int host = 0; host < hosts; host++) {
                String[] heard = new String[8];
                for (int rail = 0; rail < 8; rail++) {
                    heard[rail] = heard(
                            "rail" + rail,
                            "leaf" + rail,
                            "02:00:00:00:02:0" + rail,
                            "ifname",
                            "Ethernet1/" + (host + 1),
                            "to a host",
                            "Some NOS");
                }
                text.append(answer("gpu" + host, heard));
            }
            Cabling cabling = read(text.toString());
            assertThat(cabling.switches()).hasSize(8);
            assertThat(cabling.adapters()).hasSize(8 * hosts);
            assertThat(messages(cabling)).singleElement().asString().contains(hosts + " taken for host");
        }
    }

    /** Two hosts with a cable to each of four leaves look like the two spines above, but for what they call their ports. */
    @Test
    void aFewHostsOfAnUnknownSystemThatLookLikeSpinesAreHosts() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int leaf = 0; leaf < 4; leaf++) {
            String mac = "02:00:00:00:01:0" + leaf;
            String[] heard = new String[4];
            for (int i = 0; i < 2; i++) {
                heard[i] = heard("e" + i, "w" + i, "02:00:00:00:02:0" + i, "ifname", "rail" + leaf, "", "Lab OS");
                heard[2 + i] =
                        heard("e" + (2 + i), "sp" + i, "02:00:00:00:03:0" + i, "ifname", "e" + leaf, "", "Net OS");
            }
            text.append(answer("tor" + leaf, heard));
            for (int i = 0; i < 2; i++) {
                text.append(answer("w" + i, heard("rail" + leaf, "tor" + leaf, mac, "ifname", "e" + i, "", "Net OS")));
                text.append(
                        answer("sp" + i, heard("e" + leaf, "tor" + leaf, mac, "ifname", "e" + (2 + i), "", "Net OS")));
            }
        }
        Cabling cabling = read(text.toString());
        assertThat(cabling.switches()).hasSize(6);
        assertThat(cabling.adapters()).hasSize(8).extracting(Adapter::hostname).containsOnly("w0", "w1");
        assertThat(messages(cabling)).anySatisfy(m -> assertThat(m).contains("2 taken for host"));
    }

    /** Switches alone, of which the upper ones are another maker's: no host has cables to 20 switches. */
    @Test
    void anUpperLevelWithMoreCablesThanAnyHostHasIsNoHosts() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int leaf = 0; leaf < 20; leaf++) {
            String mac = "02:00:00:00:01:%02x".formatted(leaf);
            String[] heard = new String[4];
            for (int i = 0; i < 2; i++) {
                heard[i] = heard("e" + i, "core" + i, "02:00:00:00:02:0" + i, "ifname", "lane" + leaf, "", "Odd OS");
                heard[2 + i] =
                        heard("e" + (2 + i), "sp" + i, "02:00:00:00:03:0" + i, "ifname", "e" + leaf, "", "Net OS");
            }
            text.append(answer("tor" + leaf, heard));
            for (int i = 0; i < 2; i++) {
                text.append(
                        answer("sp" + i, heard("e" + leaf, "tor" + leaf, mac, "ifname", "e" + (2 + i), "", "Net OS")));
            }
        }
        Cabling cabling = read(text.toString());
        assertThat(cabling.adapters()).isEmpty();
        assertThat(cabling.switches()).hasSize(24);
    }

    @Test
    void spinesOfAnUnknownSystemAboveLeavesWithHostsAreSwitches() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int leaf = 0; leaf < 4; leaf++) {
            text.append(answer(
                    "leaf" + leaf,
                    heard(
                            "swp1",
                            "n" + leaf,
                            "02:00:00:01:00:0" + leaf,
                            "mac",
                            "02:00:00:01:01:0" + leaf,
                            "eth0",
                            "Ubuntu"),
                    heard("swp51", "spine0", "02:00:00:02:00:00", "ifname", "lane" + leaf, "", "Odd NOS 1"),
                    heard("swp52", "spine1", "02:00:00:02:00:01", "ifname", "lane" + leaf, "", "Odd NOS 1")));
        }
        Cabling cabling = read(text.toString());
        assertThat(cabling.switches()).hasSize(6);
        assertThat(cabling.adapters()).hasSize(4);
        assertThat(messages(cabling)).singleElement().asString().contains("2 taken for switch, such as spine0");
    }

    @Test
    void aHostWhoseMakerMakesSwitchesTooIsAHost() throws Exception {
        Cabling cabling = read(answer(
                "leaf01",
                heard(
                        "Ethernet1/1",
                        "n1",
                        "02:00:00:00:0d:01",
                        "mac",
                        "02:00:00:00:0d:11",
                        "rail0",
                        "Huawei EulerOS V2.0SP12"),
                heard(
                        "Ethernet1/2",
                        "n2",
                        "02:00:00:00:0d:02",
                        "mac",
                        "02:00:00:00:0d:12",
                        "port0",
                        "Cisco UCS C240 Ubuntu 22.04"),
                heard(
                        "Ethernet1/3",
                        "n3",
                        "02:00:00:00:0d:03",
                        "mac",
                        "02:00:00:00:0d:13",
                        "ens1f0np0",
                        "Arista test host"),
                heard(
                        "Ethernet1/49",
                        "sw2",
                        "02:00:00:00:0d:04",
                        "ifname",
                        "49",
                        "",
                        "Huawei Versatile Routing Platform Software VRP")));
        assertThat(cabling.switches()).extracting(Switch::name).containsExactlyInAnyOrder("leaf01", "sw2");
        assertThat(cabling.adapters()).extracting(Adapter::hostname).containsExactly("n1", "n2", "n3");
    }

    @Test
    void whatLeadsFromADpuToItsHostIsNoCable() throws Exception {
        String dpu = "Ubuntu 22.04.4 LTS Linux 5.15.0-1042-bluefield";
        Cabling cabling = read(answer("leaf01", heard("swp1", "bf3-n1", "02:00:00:00:0b:01", "ifname", "p0", "", dpu))
                + answer(
                        "bf3-n1",
                        heard("p0", "leaf01", "02:00:00:00:0c:01", "ifname", "swp1", "swp1", "Cumulus Linux 5"),
                        heard("pf0hpf", "n1", "02:00:00:00:0b:21", "mac", "02:00:00:00:0b:22", "ens1f0np0", "Ubuntu"))
                + answer("n1", heard("ens1f0np0", "bf3-n1", "02:00:00:00:0b:01", "ifname", "pf0hpf", "", dpu)));
        assertThat(cables(cabling)).containsExactly("bf3-n1/p0 - leaf01:1");
        assertThat(messages(cabling)).singleElement().asString().startsWith("2 neighbours between DPUs");
    }

    @ParameterizedTest
    @ValueSource(strings = {"B21c1pf0", "B21c1pf0vf3", "c1pf0", "c1pf1hpf", "pf0vf3", "en3f0pf0sf0", "en3f0c1pf0sf4"})
    void whatLeadsFromACardsSwitchToAFunctionIsNoCable(String representor) throws Exception {
        String dpu = "Ubuntu 24.04 LTS Linux 6.8.0-1013-bluefield";
        Cabling cabling = read(answer(
                "bf4-n1",
                heard("p0", "leaf01", "02:00:00:00:0c:01", "ifname", "swp1", "swp1", "Cumulus Linux 5"),
                heard(representor, "n1", "02:00:00:00:0b:21", "mac", "02:00:00:00:0b:22", "ens1f0np0", dpu)));
        assertThat(cables(cabling)).containsExactly("bf4-n1/p0 - leaf01:1");
    }

    @Test
    void damageAnywhereIsAnErrorOfTheReaderOrACabling() throws Exception {
        Random random = new Random(11);
        for (String form : List.of("json", "json0", "keyvalue")) {
            String whole = clos("leaf01", form) + clos("h2", form) + clos("spine01", form);
            for (int run = 0; run < 300; run++) {
                StringBuilder damaged = new StringBuilder(whole);
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    int at = random.nextInt(damaged.length());
                    switch (random.nextInt(3)) {
                        case 0 -> damaged.setCharAt(at, (char) random.nextInt(1, 256));
                        case 1 -> damaged.delete(at, Math.min(damaged.length(), at + random.nextInt(200)));
                        default -> damaged.insert(at, damaged.substring(at, Math.min(damaged.length(), at + 300)));
                    }
                }
                try {
                    Cabling cabling = read(damaged.toString());
                    Topology.of(cabling.switches(), List.of());
                } catch (BadInputException e) {
                    assertThat(e).hasMessageStartingWith("given/lab.txt:");
                }
            }
        }
    }
}
