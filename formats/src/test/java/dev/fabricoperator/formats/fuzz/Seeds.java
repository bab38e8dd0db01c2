/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import dev.fabricoperator.formats.TopologyFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** Good texts of each format, small enough that a thousand of them are read in seconds. */
final class Seeds {
    private static final int MOST = 60_000;

    private Seeds() {}

    static List<byte[]> of(TopologyFormat format) {
        return switch (format) {
            case ibnetdiscover ->
                List.of(
                        fixture("fabric/ib-mixed-lab-nvidia/ibnetdiscover.txt"),
                        fixture("fabric/ib-qdr-fdr10-rocket/ibnetdiscover.txt"),
                        fixture("sim/df-a4p2h2/ibnetdiscover.txt.gz"),
                        fixture("reported/gb200-pcidomain-ibnetdiscover.txt"),
                        fixture("reported/hostname-forms-ibnetdiscover.txt"),
                        fixture("reported/back-to-back-ibnetdiscover.txt"));
            case slurm -> List.of(fixture("fabric/ib-qdr-ddr-psmn-x5/X5.topology.conf"), text("""
                    ---
                    # the cluster
                    - topology: all
                      cluster_default: true
                      tree:
                        switches:
                          - switch: Root
                            children: s[1-2]
                          - switch: s1
                            nodes: node[01-02],x
                          - {switch: "s2", nodes: 'node[03-04]'}
                    - topology: racks
                      block:
                        block_sizes: [2, 4]
                        blocks:
                          - block: b1
                            nodes: node[01-02]
                    - topology: any
                      flat: true
                    """), text("""
                    # a site
                    SwitchName=Root Switches=s[1-2] LinkSpeed=100
                    switchname=s1 \\
                       Nodes=n[01-03],r[1-2]c[1-4]
                    SwitchName=s2 Nodes=n[03,08,10],S-0002c90200417670,H-0002c90200417671
                    BlockSizes=4
                    """));
            case cables -> List.of(text("""
                    # a hall
                    from,fromPort,to,toPort,speedBitsPerSecond
                    leaf1,1,node1/mlx5_0,1,400000000000
                    leaf1,2,node2/mlx5_0,1,400000000000
                    leaf1,49,spine1,3,800000000000
                    "leaf2",swp1s0,"spine1",Ethernet1/1,
                    0002c90200417670,1,0002c90200417671,1,1
                    0002c90200417670,2,leaf2,,
                    switch:aa:bb:cc:dd:ee:ff,1,device:x,1,
                    leaf2,,,,
                    """));
            case lldp ->
                List.of(
                        fixture("lldp/netbox-agent-cumulus.keyvalue.txt"),
                        fixture("lldp/lldpd-1.0.16-clos/leaf01.json"),
                        fixture("lldp/lldpd-1.0.16-clos/leaf01.json0"),
                        fixture("lldp/lldpd-1.0.16-clos/h1.keyvalue"),
                        fixture("reported/node17.txt"),
                        fixture("reported/sonic-pair-alias.json"),
                        text("""
                                {"lldp": {"interface": [{"eth0": {"via": "LLDP", "rid": "1", "chassis": {"leaf01": {
                                "id": {"type": "mac", "value": "aa:bb:cc:00:00:01"}, "descr": "a switch",
                                "capability": [{"type": "Bridge", "enabled": true}]}},
                                "port": {"id": {"type": "ifname", "value": "swp1"}, "descr": "swp1", "ttl": "120"}}}]}}
                                """));
            case ufm -> List.of(fixture("ufm/cast-ufm5.9-systems-switch.json"), text("""
                                [{"source_guid": "0c42a10300021908", "source_port": "1", "destination_guid":
                                "0c42a103005de510", "destination_port": "15", "source_port_dname": "HCA-1/1", "width": "4x",
                                "severity": "Info", "source_port_node_description": "ai400x-064 HCA-1", "capabilities": [],
                                "destination_port_node_description": "SLG02-15:15", "destination_port_dname": "15",
                                "name": "0c42a10300021908_1:0c42a103005de510_15"},
                                {"source_guid": "0c42a10300021909", "source_port": "1", "destination_guid":
                                "0c42a103005de510", "destination_port": "16", "source_port_dname": "HCA-2/1", "width": "4x",
                                "source_port_node_description": "ai400x-064 HCA-2", "destination_port_node_description":
                                "SLG02-15:16", "name": "0c42a10300021909_1:0c42a103005de510_16"},
                                {"source_guid": "b8e9240300a20000", "source_port": "1", "destination_guid":
                                "0c42a103005de510", "destination_port": "17", "source_port_dname": "HCA-1/1",
                                "source_port_node_description": "tray01 ibP2p3s0", "destination_port_node_description":
                                "SLG02-15:17", "name": "b8e9240300a20000_1:0c42a103005de510_17"}]
                                """));
            case NodeLabels -> List.of(text("""
                                {"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "ip-10-0-1-1",
                                "labels": {"topology.k8s.aws/network-node-layer-1": "nn-a", "kubernetes.io/os": "linux",
                                "topology.k8s.aws/network-node-layer-2": "nn-b", "topology.k8s.aws/network-node-layer-3": "nn-c"}},
                                "spec": {"podCIDRs": ["10.1.0.0/24"]}, "status": {"images": [{"names": ["x"], "sizeBytes": 5}]}},
                                {"kind": "Node", "metadata": {"name": "ip-10-0-1-2", "labels": {
                                "topology.k8s.aws/network-node-layer-1": "nn-a", "topology.k8s.aws/network-node-layer-2": "nn-b"}}}],
                                "kind": "List", "metadata": {"resourceVersion": ""}}
                                """), text("""
                                [{"metadata": {"labels": {"ib.coreweave.cloud/fabric": "f", "ib.coreweave.cloud/superpod": "1",
                                "ib.coreweave.cloud/leafgroup": "7"}, "name": "g1"}},
                                {"metadata": {"labels": {"ib.coreweave.cloud/fabric": "f", "ib.coreweave.cloud/superpod": "2",
                                "ib.coreweave.cloud/leafgroup": "7"}, "name": "g2"}}]
                                """));
        };
    }

    /** Of what goes beside a dump of InfiniBand. */
    static byte[] nodeNameMap() {
        return text("""
                # the site's names
                0x0002c90200417670 "leaf-01"
                0X2c90200417671\t"node0001 mlx5_0"  # on loan
                0002c90200417672 node0002
                """);
    }

    /** What ibqueryerrors prints. */
    static List<byte[]> portCounters() {
        return List.of(text("""
                        Errors for 0x2000 "leaf-2"
                           GUID 0x2000 port ALL: [SymbolErrorCounter == 40] [LinkDownedCounter == 3]
                           GUID 0x2000 port 3: [SymbolErrorCounter == 40]
                           GUID 0x2000 port 4: [LinkDownedCounter == 3] [PortXmitWait == 4294967295]

                        ## Summary: 2 nodes checked, 1 bad nodes found
                        ##          8 ports checked, 2 ports have errors beyond threshold
                        ## Thresholds:\s
                        ## Suppressed:
                        """), text("""
                        Data Counters for 0x2000 "leaf-2"
                           GUID 0x2000 port 1: [PortXmitData == 1584 (6.188KB)] [PortRcvData == 1584 (6.188KB)]
                           GUID 0x2000 port 2: [PortXmitData == 1584 (6.188KB)] [PortXmitPkts == 22 (22.000)]
                        ## Summary: 1 nodes checked, 0 bad nodes found
                        ##          2 PMA query failures
                        """));
    }

    /** As treydock's infiniband_exporter answers Prometheus. */
    static List<byte[]> metrics() {
        return List.of(text("""
                        # TYPE infiniband_switch_port_transmit_data_bytes_total counter
                        infiniband_switch_port_transmit_data_bytes_total{guid="0x506b4b03005c2740",port="1",switch="ib \\"4\\""} 178791657177235
                        infiniband_switch_port_transmit_data_bytes_total{guid="0x7cfe9003009ce5b0",port="2",switch="ib-1",} 2.6e+13 1395066363000
                        infiniband_switch_port_receive_data_bytes_total{guid="0x506b4b03005c2740",port="1",switch="ib-4"} 7
                        infiniband_switch_port_transmit_wait_total{guid="0x506b4b03005c2740",port="1",switch="ib-4"} 41864608
                        infiniband_switch_port_symbol_error_total{guid="0x506b4b03005c2740",port="1",switch="ib-4"} 0
                        """));
    }

    /** As {@code smpquery sl2vl} and {@code vlarb} print them. */
    static List<byte[]> portLanes() {
        return List.of(text("""
                        # SL2VL table: Lid 67
                        #                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
                        ports: in  0, out  1: | 0| 1| 2|15| 3| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|
                        ports: in  1, out  1: | 0| 1| 2|15| 3| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|
                        # VLArbitration tables: Lid 67 port 1 LowCap 8 HighCap 8
                        # Low priority VL Arbitration Table:
                        VL    : |0x0 |0x1 |0x2 |0x0 |
                        WEIGHT: |0x1 |0x8 |0x20|0x0 |
                        # High priority VL Arbitration Table:
                        VL    : |0x0 |0x1 |0x2 |0x0 |
                        WEIGHT: |0x4 |0x40|0x0 |0x0 |
                        """));
    }

    /** Of what goes beside a map: in each form that they are written in. */
    static List<byte[]> forwardingTables() {
        return List.of(text("""
                Unicast lids [0x0-0x4] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000a1 (leaf):
                  Lid  Out   Destination
                       Port     Info
                0x0001 000 : (Switch portguid 0x00000000000000a1: 'leaf')
                0x0002 001 : (Channel Adapter portguid 0x00000000000000b1: 'node1 mlx5_0')
                0x0003 001 : (path #2 out of 2: portguid 0x00000000000000b1)
                0x0004 002
                4 valid lids dumped
                Unicast lids [0x0-0x4] of switch Lid 4 guid 0x00000000000000a2 (spine):
                0x0001 001 : (Switch portguid 0x00000000000000a1: 'leaf')
                0x0004 000 : (Switch portguid 0x00000000000000a2: 'spine')
                2 valid lids dumped
                """), text("""
                Unicast lids [0-2] of switch Lid 1 guid 0x00000000000000a1 ('leaf'):
                0x0001 000 # Switch portguid 0x00000000000000a1: 'leaf'
                0x0002 001 # unknown node and type
                2 lids dumped
                """), text("""
                # a table of ibdiagnet
                osm_ucast_mgr_dump_ucast_routes: Switch 0x00000000000000a1
                LID    : Port : Hops : Optimal
                0x0001 : 000  : 00   : yes
                0x0002 : UNREACHABLE
                dump_ucast_routes: Switch 0x00000000000000a2
                0x0001 : 001  : 01   : yes
                ibwarn: [1] a message
                0xBFFF : 254  : 01   : yes
                """));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] fixture(String path) {
        Path file = Path.of(Objects.requireNonNull(System.getProperty("fixtures"), "run through the build"), path);
        try (InputStream in = Files.newInputStream(file)) {
            byte[] whole = path.endsWith(".gz") ? new GZIPInputStream(in).readAllBytes() : in.readAllBytes();
            return whole.length > MOST ? Arrays.copyOf(whole, MOST) : whole;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
