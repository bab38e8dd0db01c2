/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import dev.fabricoperator.formats.TopologyFormat;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.IntFunction;

/** Texts of any length: good ones, and such as make careless readers slow. */
enum Growing {
    DUMP(TopologyFormat.ibnetdiscover, count -> {
        StringBuilder text = new StringBuilder();
        for (int leaf = 1; leaf <= count; leaf++) {
            text.append(format("vendid=0x2c9\nswitchguid=0xa%015x\nSwitch\t40 \"S-a%015x\"\t# \"leaf\"\n", leaf, leaf));
            for (int port = 1; port <= 40; port++) {
                text.append(
                        format("[%d]\t\"H-b%015x\"[1]\t# \"n%d mlx5_0\" lid 5 4xHDR\n", port, leaf * 40 + port, port));
            }
            for (int port = 1; port <= 40; port++) {
                int host = leaf * 40 + port;
                text.append(format("caguid=0xb%015x\nCa\t1 \"H-b%015x\"\t# \"n%d mlx5_0\"\n", host, host, host));
                text.append(format("[1]\t\"S-a%015x\"[%d]\t# lid 5 lmc 0 \"leaf\" lid 1 4xHDR\n", leaf, port));
            }
        }
        return text;
    }),
    DUMP_OF_ONE_RECORD_AGAIN_AND_AGAIN(TopologyFormat.ibnetdiscover, count -> {
        String record =
                "caguid=0x%s\nCa\t8 \"H-000000000000000%s\"\t# \"n mlx5_0\"\n[1]\t\"H-000000000000000%s\"[1]\t# \"n\" 4xHDR\n";
        return new StringBuilder()
                .repeat(record.formatted("a", "a", "b") + record.formatted("b", "b", "a"), 40 * count);
    }),
    DUMP_OF_ONE_CHASSIS(TopologyFormat.ibnetdiscover, count -> {
        StringBuilder text = new StringBuilder();
        for (int chip = 1; chip <= 8 * count; chip++) {
            text.append(format("sysimgguid=0x77\nSwitch\t2 \"S-a%015x\"\t# \"chip\"\n", chip));
            text.append(format("[1]\t\"S-a%015x\"[2]\t# \"chip\" lid 1 4xHDR\n", chip % (8 * count) + 1));
            text.append(
                    format("[2]\t\"S-a%015x\"[1]\t# \"chip\" lid 1 4xHDR\n", (chip + 8 * count - 2) % (8 * count) + 1));
        }
        return text;
    }),
    CABLES(TopologyFormat.cables, count -> {
        StringBuilder text = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        for (int cable = 0; cable < 100 * count; cable++) {
            text.append(format("leaf%d,%d,node%d/mlx5_0,1,400000000000\n", cable / 40, cable % 40 + 1, cable));
        }
        return text;
    }),
    CABLES_OF_ONE_SWITCH_WITHOUT_NUMBERS(TopologyFormat.cables, count -> {
        StringBuilder text = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        for (int cable = 0; cable < 100 * count; cable++) {
            text.append(format("leaf,,node%d/mlx5_0,,\n", cable));
        }
        return text;
    }),
    CABLES_OF_ODD_PORTS(TopologyFormat.cables, count -> {
        StringBuilder text = new StringBuilder("from,fromPort,to,toPort,speedBitsPerSecond\n");
        for (int cable = 0; cable < 100 * count; cable++) {
            text.append(format("leaf,Ethernet%d/%d,leaf2,swp%ds%d,\n", cable / 9, cable % 9, cable, cable % 4));
        }
        return text;
    }),
    SLURM(TopologyFormat.slurm, count -> {
        StringBuilder text = new StringBuilder();
        for (int leaf = 0; leaf < 50 * count; leaf++) {
            text.append(format("SwitchName=s%d Nodes=n[%d-%d]\n", leaf, leaf * 8, leaf * 8 + 7));
        }
        return text;
    }),
    SLURM_CHAIN(TopologyFormat.slurm, count -> {
        StringBuilder text = new StringBuilder();
        for (int leaf = 0; leaf < 50 * count; leaf++) {
            text.append(format("SwitchName=s%d Switches=s%d\n", leaf, leaf + 1));
        }
        return text.append(format("SwitchName=s%d Nodes=n\n", 50 * count));
    }),
    SLURM_CONTINUED(TopologyFormat.slurm, count -> {
        StringBuilder text = new StringBuilder("SwitchName=s Nodes=n \\\n");
        return text.repeat("#\n", 1000 * count);
    }),
    SLURM_INCLUDE(
            TopologyFormat.slurm,
            count -> new StringBuilder("SwitchName=s Nodes=n\nInclude a")
                    .repeat(" ", 1000 * count)
                    .append("b\n")),
    SLURM_YAML(TopologyFormat.slurm, count -> {
        StringBuilder text = new StringBuilder("---\n- topology: a\n  tree:\n    switches:\n");
        for (int leaf = 0; leaf < 50 * count; leaf++) {
            text.append(format("      - switch: s%d\n        nodes: n[%d-%d]\n", leaf, leaf * 8, leaf * 8 + 7));
        }
        return text;
    }),
    SLURM_YAML_DEEP(
            TopologyFormat.slurm, count -> new StringBuilder("---\n- topology: a\n  tree: ").repeat("[", 2000 * count)),
    NODES(TopologyFormat.NodeLabels, count -> {
        StringBuilder text = new StringBuilder("[");
        for (int node = 0; node < 100 * count; node++) {
            text.append(node == 0 ? "" : ",\n")
                    .append(format(
                            "{\"metadata\": {\"name\": \"n%d\", \"labels\": {\"ib.coreweave.cloud/fabric\": \"f\",",
                            node))
                    .append(format(
                            "\"ib.coreweave.cloud/superpod\": \"%d\", \"ib.coreweave.cloud/leafgroup\": \"%d\"}}}",
                            node / 80, node / 8));
        }
        return text.append("]");
    }),
    LLDP_LINES(TopologyFormat.lldp, count -> {
        StringBuilder text = new StringBuilder();
        for (int port = 0; port < 20 * count; port++) {
            text.append(format("lldp.eth%d.via=LLDP\nlldp.eth%d.rid=%d\n", port, port, port));
            text.append(format("lldp.eth%d.chassis.mac=02:00:00:00:%02x:%02x\n", port, port >> 8 & 255, port & 255));
            text.append(format("lldp.eth%d.chassis.name=leaf%d\nlldp.eth%d.port.ifname=swp1\n", port, port, port));
        }
        return text;
    }),
    LLDP_LINES_OF_ONE_VALUE(
            TopologyFormat.lldp,
            count -> new StringBuilder("lldp.eth0.via=LLDP\nlldp.eth0.chassis.name=leaf\nlldp.eth0.chassis.descr=a\n")
                    .repeat("Copyright (c) 2002-2023\nlldp.eth0.chassis.descr=a\nb\n", 200 * count)),
    LLDP_OF_TWO_SYSTEMS_WITH_ALIASES(TopologyFormat.lldp, count -> {
        StringBuilder text = new StringBuilder();
        for (int system = 1; system <= 2; system++) {
            text.append(format("# leaf%d\n", system));
            for (int port = 0; port < 20 * count; port++) {
                text.append(format("lldp.Ethernet%d.via=LLDP\nlldp.Ethernet%d.rid=1\n", port, port));
                text.append(format("lldp.Ethernet%d.chassis.mac=02:00:00:00:00:0%d\n", port, 3 - system));
                text.append(format("lldp.Ethernet%d.chassis.name=leaf%d\n", port, 3 - system));
                text.append(format("lldp.Ethernet%d.port.local=etp%d\n", port, port % 7));
                text.append(format("lldp.Ethernet%d.port.descr=etp%d and etp%d\n", port, port % 7, port));
            }
        }
        return text;
    }),
    LLDP_OF_HOSTS_BACK_TO_BACK(TopologyFormat.lldp, count -> {
        StringBuilder text = new StringBuilder();
        for (int host = 0; host < 20 * count; host++) {
            text.append(format("# n%d\nlldp.rail0.via=LLDP\nlldp.rail0.rid=1\n", host));
            text.append(format("lldp.rail0.chassis.mac=02:00:00:00:%02x:%02x\n", host >> 8 & 255, (host ^ 1) & 255));
            text.append(format("lldp.rail0.chassis.name=n%d\nlldp.rail0.port.ifname=rail0\n", host ^ 1));
        }
        return text;
    }),
    LLDP_JSON(TopologyFormat.lldp, count -> {
        StringBuilder text = new StringBuilder("{\"lldp\": {\"interface\": [");
        for (int port = 0; port < 20 * count; port++) {
            text.append(port == 0 ? "" : ",\n");
            text.append(format(
                    "{\"eth%d\": {\"via\": \"LLDP\", \"chassis\": {\"leaf%d\": {\"id\": {\"type\": \"mac\", ",
                    port, port));
            text.append(format("\"value\": \"02:00:00:00:%02x:%02x\"}}}, ", port >> 8 & 255, port & 255));
            text.append("\"port\": {\"id\": {\"type\": \"ifname\", \"value\": \"swp1\"}}}}");
        }
        return text.append("]}}");
    }),
    LLDP_JSON_DEEP(TopologyFormat.lldp, count -> new StringBuilder().repeat("{\"lldp\":", 500 * count)),
    UFM_LINKS(TopologyFormat.ufm, count -> {
        StringBuilder text = new StringBuilder("[");
        for (int link = 0; link < 20 * count; link++) {
            text.append(link == 0 ? "" : ",\n");
            text.append(format("{\"source_guid\": \"b%015x\", \"source_port\": \"1\", ", link));
            text.append(format(
                    "\"destination_guid\": \"a%015x\", \"destination_port\": \"%d\", ", link / 40, link % 40 + 1));
            text.append(format("\"name\": \"b%015x_1:a%015x_%d\"}", link, link / 40, link % 40 + 1));
        }
        return text.append("]");
    }),
    UFM_PORTS_OF_ONE_SYSTEM(TopologyFormat.ufm, count -> {
        StringBuilder text = new StringBuilder("[");
        for (int port = 0; port < 20 * count; port++) {
            text.append(port == 0 ? "" : ",\n");
            text.append(format("{\"name\": \"a%015x_%d\", \"guid\": \"a%015x\", \"number\": %d, ", 1, port, 1, port));
            text.append("\"systemID\": \"a000000000000001\", \"description\": \"Switch IB Port\", \"peer\": \"N/A\"}");
        }
        return text.append("]");
    });

    /** How a reader is asked to read it. */
    final TopologyFormat format;

    private final IntFunction<StringBuilder> maker;

    Growing(TopologyFormat format, IntFunction<StringBuilder> maker) {
        this.format = format;
        this.maker = maker;
    }

    /** @param count in proportion to the length; 1 is a few kB */
    byte[] of(int count) {
        return maker.apply(count).toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
