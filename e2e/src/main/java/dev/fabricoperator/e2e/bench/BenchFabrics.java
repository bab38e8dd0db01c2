/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.topology.Vertex;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** The fabrics that are measured: dumps among the fixtures, and fat trees of any size made here. */
public final class BenchFabrics {
    private static final long NDR = 400_000_000_000L;

    private BenchFabrics() {}

    /** Text of {@code ibnetdiscover.txt.gz} in a directory of the fixtures; -Dfixtures tells where these are. */
    public static String dump(String directory) throws IOException {
        Path file = Path.of(System.getProperty("fixtures", "fixtures"), directory, "ibnetdiscover.txt.gz");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    record Tree(List<Switch> switches, List<Vertex> vertices) {}

    /**
     * A fat tree of three levels from switches of {@code k} ports: k pods of k/2 leaves and k/2 aggregation switches,
     * k²/4 cores. {@code hostsPerLeaf} = k/2 is the full one of k³/4 devices.
     */
    static Tree fatTree(int k, int hostsPerLeaf) {
        int half = k / 2;
        List<Switch> switches = new ArrayList<>();
        List<Vertex> vertices = new ArrayList<>();
        for (int core = 0; core < half * half; core++) {
            List<SwitchPort> ports = new ArrayList<>();
            for (int pod = 0; pod < k; pod++) {
                ports.add(port(pod + 1, id(2, pod * half + core / half), half + core % half + 1));
            }
            switches.add(node(id(3, core), ports));
        }
        for (int pod = 0; pod < k; pod++) {
            for (int a = 0; a < half; a++) {
                List<SwitchPort> ports = new ArrayList<>();
                for (int i = 0; i < half; i++) {
                    ports.add(port(i + 1, id(1, pod * half + i), hostsPerLeaf + a + 1));
                    ports.add(port(half + i + 1, id(3, a * half + i), pod + 1));
                }
                switches.add(node(id(2, pod * half + a), ports));
            }
            for (int leaf = 0; leaf < half; leaf++) {
                List<SwitchPort> ports = new ArrayList<>();
                for (int h = 0; h < hostsPerLeaf; h++) {
                    String device = id(0xa, vertices.size());
                    ports.add(port(h + 1, device, 1));
                    vertices.add(new Vertex(vertices.size(), device, 1, "host" + vertices.size()));
                }
                for (int a = 0; a < half; a++) {
                    ports.add(port(hostsPerLeaf + a + 1, id(2, pod * half + a), leaf + 1));
                }
                switches.add(node(id(1, pod * half + leaf), ports));
            }
        }
        return new Tree(switches, vertices);
    }

    /**
     * The same with a second adapter of each host on leaves of storage, which have {@code hostsPerStorageLeaf} each and hang on every second core switch.
     *
     * @param use what people say of these adapters
     */
    static Tree fatTreeWithStorage(int k, int hostsPerLeaf, int hostsPerStorageLeaf, Vertex.Use use) {
        Tree tree = fatTree(k, hostsPerLeaf);
        List<Vertex> vertices = new ArrayList<>(tree.vertices());
        int hosts = vertices.size();
        int leaves = (hosts + hostsPerStorageLeaf - 1) / hostsPerStorageLeaf;
        List<List<SwitchPort>> ports = new ArrayList<>();
        for (int leaf = 0; leaf < leaves; leaf++) {
            ports.add(new ArrayList<>());
        }
        for (int host = 0; host < hosts; host++) {
            String device = id(0xb, host);
            List<SwitchPort> own = ports.get(host % leaves);
            own.add(port(own.size() + 1, device, 1));
            vertices.add(new Vertex(hosts + host, device, 1, vertices.get(host).host(), "mlx5_1", use));
        }
        List<Switch> switches = new ArrayList<>();
        for (Switch each : tree.switches()) {
            boolean isCore = each.id().startsWith("3");
            int core = isCore ? Integer.parseInt(each.id().substring(1), 16) : 1;
            if (core % 2 == 1) {
                switches.add(each);
                continue;
            }
            List<SwitchPort> more = new ArrayList<>(each.ports());
            for (int leaf = 0; leaf < leaves; leaf++) {
                List<SwitchPort> own = ports.get(leaf);
                more.add(port(k + 1 + leaf, id(4, leaf), own.size() + 1));
                own.add(port(own.size() + 1, each.id(), k + 1 + leaf));
            }
            switches.add(node(each.id(), more));
        }
        for (int leaf = 0; leaf < leaves; leaf++) {
            switches.add(node(id(4, leaf), ports.get(leaf)));
        }
        return new Tree(switches, vertices);
    }

    static String id(int kind, int number) {
        return String.format("%x%015x", kind, number);
    }

    private static Switch node(String id, List<SwitchPort> ports) {
        return new Switch(id, null, null, null, null, "bench", ports);
    }

    private static SwitchPort port(int number, String peer, int peerPort) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, NDR, 4, null, null, null);
    }
}
