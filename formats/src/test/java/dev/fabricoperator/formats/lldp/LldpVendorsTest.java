/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What hosts hear of switches of many makers: words of descriptions and names of ports as public recordings have them. */
class LldpVendorsTest {
    /** A switch as {@code lldpctl -f keyvalue} prints it on a host; {@code #} is the port's number. */
    enum Vendor {
        NX_OS(
                "Cisco Nexus Operating System (NX-OS) Software 10.3(4)\nTAC support: http://vendor.example/tac\nCopyright (c) 2002-2023",
                "ifname=Ethernet1/#",
                "to node17"),
        IOS_XE(
                "Cisco IOS Software [Cupertino], Catalyst L3 Switch Software (CAT9K_IOSXE), Version 17.9.4\nTechnical Support: "
                        + "http://vendor.example/techsupport\nCopyright (c) 1986-2023 by Cisco Systems, Inc.\nCompiled Wed 26-Jul-23",
                "ifname=Te1/1/#",
                "TenGigabitEthernet1/1/#"),
        IOS_XR("7.9.1, NCS-5500", "ifname=HundredGigE0/0/0/#", "node17"),
        EOS(
                "Arista Networks EOS version 4.30.1F running on an Arista Networks DCS-7060DX5",
                "ifname=Ethernet#/1",
                "node17"),
        JUNOS(
                "Juniper Networks, Inc. qfx5120-48y-8c Ethernet Switch, kernel JUNOS 21.4R3, Build date: 2022-10-01 Copyright (c) 1996-2022",
                "local=#",
                "xe-0/0/#"),
        JUNOS_WITH_WORDS(
                "Juniper Networks, Inc. qfx5120-48y-8c Ethernet Switch, kernel JUNOS 21.4R3", "local=#", "node17"),
        JUNOS_WITH_UNITS("Juniper Networks, Inc. ex4300, kernel JUNOS 18.4R2", "ifname=ge-0/0/#.0", "node17"),
        PROCURVE("PROCURVE J9450A", "local=#", "Port ##"),
        COMWARE(
                "H3C Comware Platform Software, Software Version 7.1.070, Release 6607\nH3C S6850-56HF\nCopyright (c) 2004-2022",
                "ifname=Ten-GigabitEthernet1/0/#",
                "Ten-GigabitEthernet1/0/# Interface"),
        COMWARE_25G("HPE Comware Platform Software\nHPE 5944", "ifname=Twenty-FiveGigE1/0/#", ""),
        VRP(
                "Huawei Versatile Routing Platform Software\nVRP (R) software,Version 8.191 (CE6865EI)\nHUAWEI CE6865EI",
                "ifname=25GE1/0/#",
                "node17"),
        DELL_9(
                "Dell EMC Real Time Operating System Software. Application Software Version: 9.14(2.4)\n Copyright (c) 1999-2019",
                "ifname=TenGigabitEthernet 0/#",
                "node17"),
        DELL_9_LOCAL("Dell EMC Networking OS9", "local=fortyGigE 0/#", "node17"),
        DELL_10(
                "Dell EMC Networking OS10 Enterprise.\nCopyright (c) 1999-2023\nSystem Description: OS10\nOS Version: 10.5.4",
                "ifname=ethernet1/1/#",
                "node17"),
        ROUTER_OS("MikroTik RouterOS 7.14 (stable) CRS326-24S+2Q+", "ifname=bridge/sfp-sfpplus#", "node17"),
        ROUTER_OS_WITHOUT_WORDS("", "ifname=LAN/ether#", ""),
        ARUBA("Aruba JL075A 3810M Switch, revision KB.16.11", "local=#", "#"),
        AOS_CX("Aruba JL720C 8360 LL.10.12", "local=1/1/#", "node17"),
        SONIC("SONiC Software Version: SONiC.202311 - HwSku: ACS-MSN4700", "local=etp#", "node17:eth0"),
        SONIC_BY_MAC("Debian GNU/Linux 11 (bullseye) Linux 5.10.0 x86_64", "mac=24:b6:57:00:a6:da", "Ethernet#"),
        CUMULUS("Cumulus Linux version 5.9 running on Mellanox SN5600", "ifname=swp#", "node17"),
        RUIJIE("Ruijie 25G Routing Switch(S6520)", "ifname=TFGigabitEthernet 0/#", "node17"),
        ACI("topology/pod-1/node-203", "local=Eth1/#", "topology/pod-1/paths-203/pathep-[eth1/#]");

        private final String description;
        private final String portId;
        private final String portDescription;

        Vendor(String description, String portId, String portDescription) {
            this.description = description;
            this.portId = portId;
            this.portDescription = portDescription;
        }

        String heardOn(String netdev, String port) {
            return """
                    lldp.%1$s.via=LLDP
                    lldp.%1$s.rid=1
                    lldp.%1$s.age=0 day, 03:12:00
                    lldp.%1$s.chassis.mac=24:b6:57:00:a6:da
                    lldp.%1$s.chassis.name=agg-b
                    lldp.%1$s.chassis.descr=%2$s
                    lldp.%1$s.chassis.Bridge.enabled=on
                    lldp.%1$s.chassis.Router.enabled=on
                    lldp.%1$s.port.%3$s
                    lldp.%1$s.port.descr=%4$s
                    lldp.%1$s.port.ttl=120
                    """.formatted(netdev, description, portId.replace("#", port), portDescription.replace("#", port));
        }
    }

    private static Cabling read(String file, String text) throws Exception {
        return LldpReader.read(file, new StringReader(text));
    }

    @ParameterizedTest
    @EnumSource(Vendor.class)
    void aHostHearsTwoPortsOfOneSwitchWhateverItsMaker(Vendor vendor) throws Exception {
        Cabling cabling = read("node17.txt", vendor.heardOn("ens1f0np0", "25") + vendor.heardOn("ens1f1np1", "26"));
        assertThat(cabling.switches())
                .extracting(Switch::id, Switch::name)
                .containsExactly(tuple("24:b6:57:00:a6:da", "agg-b"));
        assertThat(cabling.switches().getFirst().ports())
                .extracting(SwitchPort::peerHost, SwitchPort::peerOsName)
                .containsExactly(tuple("node17", "ens1f0np0"), tuple("node17", "ens1f1np1"));
        List<Integer> numbers = cabling.switches().getFirst().ports().stream()
                .map(SwitchPort::number)
                .toList();
        // "Ethernet25/1" and "Ethernet26/1" end alike: their numbers are made of both.
        assertThat(numbers)
                .isEqualTo(vendor == Vendor.EOS ? List.of(1024 + 64 * 25 + 1, 1024 + 64 * 26 + 1) : List.of(25, 26));
        assertThat(cabling.adapters()).extracting(Adapter::id).containsExactly("node17/ens1f0np0", "node17/ens1f1np1");
        assertThat(cabling.problems())
                .hasSize(1)
                .allSatisfy(problem -> assertThat(problem.message())
                        .isEqualTo("nothing says which system answered here: it is called node17"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mgmt0",
                "Management1",
                "M-GigabitEthernet0/0/0",
                "MEth0/0/0",
                "MgmtEth0/RP0/CPU0/0",
                "mgmt1/1/1",
                "ManagementEthernet 1/1",
                "Mgmt 0",
                "re0:mgmt-0",
                "fxp0",
                "eth0"
            })
    void aSwitchsPortForItsAdministratorIsNoCableWhateverItsMaker(String port) throws Exception {
        String text = "# node17\n" + Vendor.COMWARE.heardOn("ens1f0np0", "25") + "# oob-1\n"
                + Vendor.COMWARE.heardOn("swp4", "25").replace("Ten-GigabitEthernet1/0/25\n", port + "\n");
        Cabling cabling = read("all.txt", text);
        assertThat(cabling.switches().stream().filter(s -> "agg-b".equals(s.name())))
                .singleElement()
                .satisfies(agg ->
                        assertThat(agg.ports()).extracting(SwitchPort::number).containsExactly(25));
        assertThat(cabling.problems())
                .anySatisfy(p -> assertThat(p.message()).contains("management ports of switches are left out"));
    }

    @Test
    void aLineOfACdpDescriptionIsNoSystem() throws Exception {
        String text = Vendor.ARUBA
                .heardOn("eth0", "7")
                .replace("via=LLDP", "via=CDPv2")
                .replace("Aruba JL075A 3810M Switch, revision KB.16.11", "N5N running on\nXW.v5.5.7");
        Cabling cabling = read("ap1.txt", text);
        assertThat(cabling.switches()).extracting(Switch::name).containsExactly("agg-b");
        assertThat(cabling.adapters()).extracting(Adapter::hostname).containsExactly("ap1");
    }
}
