/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.device.Device;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** A small subnet with one way between any two hosts: three leaves in a row, of which the second has cables to both others; two hosts at each. Links are 4xSDR, 10 Gbit/s. */
public final class LeavesInARow {
    /** What the Fabric is called. */
    public static final String FABRIC = "infiniband-0";

    private static final int LEAVES = 3;
    private static final int HOSTS_OF_A_LEAF = 2;

    private LeavesInARow() {}

    /** Node GUID of a leaf; its name is {@code leaf-N}. */
    public static String leaf(int leaf) {
        return "000000000000a00" + leaf;
    }

    /** Node GUID of the adapter of a host, whose name is {@code nLEAFPORT}. */
    public static String host(int leaf, int port) {
        return "00000000000c0" + leaf + port + "0";
    }

    /** With opensm, and these options, on the adapter of the last host. */
    public static SimulatedSubnet start(Path directory, String... options) {
        return SimulatedSubnet.routed(directory, dump(), host(LEAVES, HOSTS_OF_A_LEAF), options);
    }

    /** What agents would publish of all hosts' adapters. */
    public static List<Device> devices(SimulatedSubnet subnet) {
        String map = subnet.run(host(LEAVES, HOSTS_OF_A_LEAF), "ibnetdiscover");
        try {
            return OfflineFabrics.of(IbnetdiscoverReader.read("map", new BufferedReader(new StringReader(map))))
                    .getFirst()
                    .devices();
        } catch (BadInputException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String dump() {
        StringBuilder text = new StringBuilder();
        // Node GUIDs are as far apart as those of adapters, whose ports have the next ones.
        String[] uplinks = {
            "[3] \"S-%2$s\"[3]%n", "[3] \"S-%1$s\"[3]%n[4] \"S-%3$s\"[3]%n", "[3] \"S-%2$s\"[4]%n",
        };
        for (int leaf = 1; leaf <= LEAVES; leaf++) {
            text.append(
                    "vendid=0x2c9%ndevid=0xb924%nsysimgguid=0x%1$s%nswitchguid=0x%1$s(%1$s)%n".formatted(leaf(leaf)));
            text.append("Switch\t8 \"S-%s\"\t\t# \"leaf-%d\" base port 0 lid 0 lmc 0%n".formatted(leaf(leaf), leaf));
            for (int port = 1; port <= HOSTS_OF_A_LEAF; port++) {
                text.append("[%d] \"H-%s\"[1]%n".formatted(port, host(leaf, port)));
            }
            text.append(uplinks[leaf - 1].formatted(leaf(1), leaf(2), leaf(3))).append("%n".formatted());
        }
        for (int leaf = 1; leaf <= LEAVES; leaf++) {
            for (int port = 1; port <= HOSTS_OF_A_LEAF; port++) {
                text.append(
                        "vendid=0x2c9%ndevid=0x1015%nsysimgguid=0x%1$s%ncaguid=0x%1$s%n".formatted(host(leaf, port)));
                text.append("Ca\t1 \"H-%s\"\t\t# \"n%d%d mlx5_0\"%n".formatted(host(leaf, port), leaf, port));
                text.append("[1] \"S-%s\"[%d]\t# lid 0 lmc 0%n%n".formatted(leaf(leaf), port));
            }
        }
        return text.toString();
    }
}
