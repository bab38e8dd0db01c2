/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.pmix.libpmix.ContainerSockets;
import dev.fabricoperator.pmix.pmixd.traffic.TcpConnections.Connection;
import dev.fabricoperator.protocol.job.JobApp;
import dev.fabricoperator.protocol.job.JobCodecException;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.MeshShape;
import dev.fabricoperator.protocol.job.TrafficReport;
import dev.fabricoperator.protocol.job.TrafficReport.DeviceTraffic;
import dev.fabricoperator.protocol.job.TrafficReport.Pair;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodTrafficTest {
    private static final int MESH_PORT = 7471;
    private static final int OWN = 40_000;
    private static final int PEER = 50_000;

    @TempDir
    Path directory;

    private final List<Connection> open = new ArrayList<>();
    private final List<Connection> closed = new ArrayList<>();
    private boolean tells = true;
    private long nanos;
    /** Between two times that are asked for. */
    private long step = 1_000_000;

    private final class Played implements TcpConnections {
        @Override
        public void open(Consumer<Connection> each) throws IOException {
            if (!tells) {
                throw new IOException("no");
            }
            open.forEach(each);
        }

        @Override
        public int closed(Consumer<Connection> each) {
            closed.forEach(each);
            closed.clear();
            return 0;
        }

        @Override
        public void close() {}
    }

    private static Connection connection(long cookie, int peer, int localPort, int peerPort, long bytes) {
        return connection(cookie, 1, peer, localPort, peerPort, bytes);
    }

    private static Connection connection(long cookie, int local, int peer, int localPort, int peerPort, long bytes) {
        return new Connection(
                cookie,
                cookie,
                new byte[] {10, 0, 0, (byte) local},
                localPort,
                new byte[] {10, 0, 0, (byte) peer},
                peerPort,
                bytes,
                1,
                90);
    }

    private static JobMap map(int... lastBytes) {
        List<JobPod> pods = new ArrayList<>();
        for (int last : lastBytes) {
            pods.add(new JobPod(
                    "ring-" + pods.size(),
                    "n",
                    0,
                    pods.size(),
                    1,
                    new byte[] {10, 0, 0, (byte) last},
                    MESH_PORT,
                    "",
                    List.of()));
        }
        return new JobMap(
                "space.ring-0123abcd-0", 0, new byte[32], List.of(new JobApp(0, "ring", lastBytes.length)), pods, null);
    }

    private PodTraffic traffic(JobMap map, @Nullable ContainerSockets own) {
        return new PodTraffic(
                map,
                0,
                new DeviceCounters(directory, directory, List.of(), true),
                new Played(),
                own,
                () -> nanos += step);
    }

    private static List<Pair> pairs(PodTraffic traffic) {
        return traffic.report().pairs();
    }

    @Test
    void whatConnectionsHaveSentSinceTheFirstLookIsTheirPodsAndPmixdsOwnIsLeftOut() {
        open.add(connection(1, 2, OWN, PEER, 500));
        PodTraffic traffic = traffic(map(1, 2, 3), null);
        traffic.read();
        open.set(0, connection(1, 2, OWN, PEER, 1_500));
        open.add(connection(2, 3, OWN, PEER, 70));
        open.add(connection(3, 2, OWN, MESH_PORT, 9_000));
        open.add(connection(4, 3, MESH_PORT, PEER, 9_000));
        open.add(connection(5, 1, OWN, PEER, 9_000));
        open.add(connection(6, 99, OWN, PEER, 9_000));
        traffic.read();

        assertThat(pairs(traffic)).containsExactly(new Pair(0, 1, 1_000, 0, 90), new Pair(0, 2, 70, 1, 90));
    }

    @Test
    void aConnectionThatWasClosedCountsWholeAndOnce() {
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();
        open.add(connection(1, 2, OWN, PEER, 600));
        traffic.read();
        open.clear();
        traffic.read();
        // The kernel tells of it a moment later.
        closed.add(connection(1, 2, OWN, PEER, 1_000));
        closed.add(connection(2, 2, OWN, PEER, 30));
        traffic.read();

        assertThat(pairs(traffic)).containsExactly(new Pair(0, 1, 1_030, 2, 90));
    }

    @Test
    void inTheNodesNetworkOnlySocketsOfTheContainerCount() {
        ContainerSockets own = new ContainerSockets(directory) {
            @Override
            public Set<Long> look() {
                return Set.of(7L);
            }
        };
        PodTraffic traffic = traffic(map(1, 2, 3, 3), own);
        traffic.read();
        open.add(connection(7, 2, OWN, PEER, 100));
        open.add(connection(8, 2, OWN, PEER, 5_000));
        // Of two pods of one address nobody knows which is meant.
        open.add(connection(7, 3, OWN, PEER, 5_000));
        traffic.read();

        assertThat(pairs(traffic)).containsExactly(new Pair(0, 1, 100, 1, 90));
    }

    @Test
    void whereTheKernelDoesNotTellThatIsSaid() {
        tells = false;
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();

        assertThat(traffic.report().pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.connectionsKnown()).isFalse());
    }

    @Test
    void theFencesOfAShortJobAreLookedAt() {
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();
        open.add(connection(1, 2, OWN, PEER, 600));
        traffic.afterFence();
        assertThat(pairs(traffic)).hasSize(1);
    }

    @Test
    void theFencesOfAShortJobAreLookedAtWhereABusyNodeLetsEachLookWait() {
        step = 300_000_000;
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();
        traffic.afterFence();
        traffic.afterFence();
        open.add(connection(1, 2, OWN, PEER, 600));
        traffic.afterFence();
        assertThat(pairs(traffic)).hasSize(1);
    }

    @Test
    void manyFencesThatFollowEachOtherWithoutAPauseAreNotLookedAtEach() {
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();
        for (int fence = 0; fence < 130; fence++) {
            traffic.afterFence();
        }
        open.add(connection(1, 2, OWN, PEER, 600));
        traffic.afterFence();
        assertThat(pairs(traffic)).isEmpty();
        nanos += 1_000_000_000;
        traffic.afterFence();
        assertThat(pairs(traffic)).hasSize(1);
    }

    @Test
    void looksOfWhoeverWatchesMakeThoseAtFencesNoFewer() {
        step = 300_000_000;
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();
        for (int second = 0; second < 100; second++) {
            traffic.readWatched();
        }
        open.add(connection(1, 2, OWN, PEER, 600));
        traffic.afterFence();
        assertThat(pairs(traffic)).hasSize(1);
    }

    @Test
    void aFenceWaitsForALookOnlyWhereConnectionsThatItClosesWouldBeLost() {
        ContainerSockets all = new ContainerSockets(directory) {
            @Override
            public Set<Long> look() {
                return Set.of(1L);
            }
        };
        PodTraffic inOwnNetwork = traffic(map(1, 2), null);
        PodTraffic inNodesNetwork = traffic(map(1, 2), all);
        inOwnNetwork.read();
        inNodesNetwork.read();
        open.add(connection(1, 2, OWN, PEER, 600));
        nanos += 1_000_000_000;
        inOwnNetwork.beforeFence();
        inNodesNetwork.beforeFence();
        assertThat(pairs(inOwnNetwork)).isEmpty();
        assertThat(pairs(inNodesNetwork)).hasSize(1);
        inOwnNetwork.afterFence();
        assertThat(pairs(inOwnNetwork)).hasSize(1);
    }

    @Test
    void connectionsOfAnotherPodInTheSameNetworkAreThatPods() {
        PodTraffic traffic = traffic(map(1, 2, 3), null);
        traffic.read();
        open.add(connection(1, 3, 2, OWN, PEER, 600));
        open.add(connection(2, 77, 2, OWN, PEER, 50));
        traffic.read();

        assertThat(pairs(traffic)).containsExactly(new Pair(0, 1, 50, 1, 90));
    }

    private void devices(String... lines) throws IOException {
        Files.createDirectories(directory.resolve("net"));
        Files.writeString(
                directory.resolve("net/dev"),
                "Inter-|   Receive  |  Transmit\n face |bytes packets\n" + String.join("\n", lines) + "\n");
    }

    @Test
    void aCounterThatGoesBackOrIsCutIsToldNoMore() throws IOException {
        devices(
                "    lo: 5 1 0 0 0 0 0 0 5 1",
                "  eth0:100 1 0 0 0 0 0 0 1000 2",
                "  eth1: 7 1 0 0 0 0 0 0 1000 2",
                "  eth2: 7 1 0 0 0 0 0 0 1000 2");
        PodTraffic traffic = traffic(map(1, 2), null);
        traffic.read();
        devices("  eth0: 400 1 0 0 0 0 0 0 5000 2", "  eth1: 7 1 0 0 0 0 0 0 999 2", "  eth2: 8 1 0 x");
        traffic.read();
        devices("  eth0: 500 1 0 0 0 0 0 0 5000 2", "  eth1: 7 1 0 0 0 0 0 0 2000 2", "  eth2: 8 1 0 0 0 0 0 0 2000 2");
        traffic.read();

        assertThat(traffic.report().pods().getFirst().devices())
                .containsExactly(new DeviceTraffic("eth0", "", TrafficReport.Basis.INTERFACE, 4_000, 400));
    }

    @Test
    void aPodTellsOfThoseBelowItAlone() throws Exception {
        TrafficTree tree = new TrafficTree(new MeshShape(40));
        TrafficReport below = TrafficReport.of(new TrafficReport.Pod(17, 5, true, 0, List.of()), List.of());
        tree.told(1, TrafficReportCodec.encode(below));

        assertThatThrownBy(() -> tree.told(2, TrafficReportCodec.encode(below)))
                .isInstanceOf(JobCodecException.class)
                .hasMessage("pod 17 is not below pod 2");
        assertThat(tree.sum(TrafficReport.NONE).pods()).hasSize(1);
    }
}
