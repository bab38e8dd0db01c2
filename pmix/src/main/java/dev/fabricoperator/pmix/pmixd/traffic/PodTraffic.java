/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.traffic;

import dev.fabricoperator.pmix.libpmix.ContainerSockets;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.pmixd.traffic.TcpConnections.Connection;
import dev.fabricoperator.protocol.job.EndpointTemplate;
import dev.fabricoperator.protocol.job.EndpointTemplate.Format;
import dev.fabricoperator.protocol.job.JobDevice;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import dev.fabricoperator.protocol.job.TrafficReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What this pod has sent since its ranks began: by device, and by TCP connection to each other pod, pmixd's own left out. A connection counts whole also where it
 * has been closed since: the kernel tells the last values of its counters. On the loop.
 */
public final class PodTraffic implements AutoCloseable {
    /** Connections that are open at one time; of others the bytes count when they are closed. */
    private static final int MOST_OPEN = 1 << 16;

    /** A look at each fence would cost more than the fence where they follow each other without a pause: looks take one part in so many of the time... */
    private static final int SHARE = 100;

    /** ...and this besides... */
    private static final long SPARE_NANOS = 100_000_000;

    /**
     * ...and the first so many whatever they take: a short job has all of its fences looked at, those of MPI_Init and, last, that of MPI_Finalize, also where a
     * busy node lets a look wait.
     */
    private static final int FIRST_LOOKS = 16;

    /** No pod, or several of one address. */
    private static final int NOBODY = -1;

    private final int self;
    private final int[] meshPorts;
    private final Map<ByteBuffer, Integer> podsByAddress = new HashMap<>();
    private final LongSupplier nanos;
    private final DeviceCounters devices;
    private final @Nullable TcpConnections connections;
    /** Of a pod that is in the network of its node; {@code null} where all sockets are the pod's. */
    private final @Nullable ContainerSockets own;

    private final Map<Long, Known> known = new HashMap<>();
    private final Map<Integer, Sent> sent = new TreeMap<>();
    private boolean connectionsKnown;
    private boolean begun;
    private long missed;
    private int look;
    /** Looks but those of whoever watches. */
    private int counted;

    private long firstNanos;
    private long lastNanos;
    /** By these. */
    private long takenNanos;

    /** A connection as it was at the last look. */
    private record Known(int look, long acknowledged, long retransmits) {}

    private static final class Sent {
        private long bytes;
        private long retransmits;
        private long rttMicroseconds;
    }

    PodTraffic(
            JobMap map,
            int self,
            DeviceCounters devices,
            @Nullable TcpConnections connections,
            @Nullable ContainerSockets own,
            LongSupplier nanos) {
        this.self = self;
        this.devices = devices;
        this.connections = connections;
        this.own = own;
        this.nanos = nanos;
        this.connectionsKnown = connections != null;
        List<JobPod> pods = map.pods();
        meshPorts = pods.stream().mapToInt(JobPod::port).toArray();
        for (int pod = 0; pod < meshPorts.length; pod++) {
            add(pods.get(pod).address(), pod);
            for (JobDevice device : pods.get(pod).devices()) {
                EndpointTemplate endpoint = device.endpoint();
                if (endpoint != null
                        && (endpoint.format() == Format.FI_SOCKADDR_IN
                                || endpoint.format() == Format.FI_SOCKADDR_IN6)) {
                    add(endpoint.address(), pod);
                }
            }
        }
    }

    /**
     * @param hostNetwork whether this pod is in the network of its node, with processes that are not its own
     * @param ownContainer whether this process is in another container than the ranks, and sees none of them
     */
    public static PodTraffic of(JobMap map, int self, boolean hostNetwork, boolean ownContainer) {
        Path proc = Path.of("/proc/self");
        DeviceCounters devices =
                new DeviceCounters(proc, Path.of("/sys"), map.pods().get(self).devices(), !hostNetwork);
        TcpConnections connections = null;
        try {
            if (!hostNetwork || !ownContainer) {
                // Of a closed socket the kernel does not say whose it was.
                connections = new SockDiag(!hostNetwork);
            }
        } catch (IOException e) {
            Log.line("traffic is not told by pairs of pods: " + e.getMessage());
        }
        ContainerSockets own = hostNetwork ? new ContainerSockets(Path.of("/proc")) : null;
        return new PodTraffic(map, self, devices, connections, own, System::nanoTime);
    }

    private void add(byte[] address, int pod) {
        podsByAddress.merge(
                ByteBuffer.wrap(SockDiag.plain(address)), pod, (one, other) -> one.equals(other) ? one : NOBODY);
    }

    /**
     * Looks where a connection that is closed is told no more, unless looks have taken their share of the time: the last fence is MPI_Finalize's, and who is the last to come to it
     * has its connections open no longer than until it is answered.
     */
    public void beforeFence() {
        if (own != null) {
            readAtFence();
        }
    }

    /** Looks where closed connections are told, too: nobody waits for this. */
    public void afterFence() {
        if (own == null) {
            readAtFence();
        }
    }

    private void readAtFence() {
        if (counted < FIRST_LOOKS || (takenNanos - SPARE_NANOS) * SHARE <= nanos.getAsLong() - firstNanos) {
            read();
        }
    }

    /** Looks at what is there now; the first time at what is to count as nothing. */
    public void read() {
        long start = nanos.getAsLong();
        readWatched();
        counted++;
        takenNanos += lastNanos - start;
    }

    /** The same because somebody watches: this makes looks at fences no fewer. */
    public void readWatched() {
        look++;
        devices.read();
        TcpConnections from = connections;
        if (from != null && connectionsKnown) {
            Set<Long> held = own == null ? null : own.look();
            try {
                from.open(each -> {
                    if (held == null || held.contains(each.inode())) {
                        count(each, true);
                    }
                });
            } catch (IOException e) {
                connectionsKnown = false;
                Log.line("traffic is not told by pairs of pods: " + e.getMessage());
            }
        }
        readClosed();
        // The kernel tells of one that was closed a moment after it has left the list.
        known.values().removeIf(each -> each.look < look - 1);
        begun = true;
        lastNanos = nanos.getAsLong();
        if (look == 1) {
            firstNanos = lastNanos;
        }
    }

    /** What the kernel has to tell of connections that were closed, for which it has little room. */
    public void readClosed() {
        TcpConnections from = connections;
        if (from != null) {
            missed += from.closed(each -> count(each, false));
        }
    }

    private void count(Connection connection, boolean open) {
        int pod = podsByAddress.getOrDefault(ByteBuffer.wrap(connection.peer()), NOBODY);
        if (pod == NOBODY
                || pod == self
                || isOfAnother(connection)
                || connection.localPort() == meshPorts[self]
                || connection.peerPort() == meshPorts[pod]) {
            return;
        }
        Known before = known.get(connection.cookie());
        if (!open) {
            known.remove(connection.cookie());
        } else if (before != null || known.size() < MOST_OPEN) {
            known.put(connection.cookie(), new Known(look, connection.acknowledged(), connection.retransmits()));
        } else {
            return;
        }
        if (!begun) {
            return;
        }
        Sent to = sent.computeIfAbsent(pod, key -> new Sent());
        to.bytes += Math.max(0, connection.acknowledged() - (before == null ? 0 : before.acknowledged()));
        to.retransmits += Math.max(0, connection.retransmits() - (before == null ? 0 : before.retransmits()));
        to.rttMicroseconds = connection.rttMicroseconds();
    }

    /** Of another pod in the same network, as where pods are played; an address that no pod has by itself may be this one's. */
    private boolean isOfAnother(Connection connection) {
        int pod = podsByAddress.getOrDefault(ByteBuffer.wrap(connection.local()), NOBODY);
        return pod != NOBODY && pod != self;
    }

    /** As of the last look. */
    public TrafficReport report() {
        List<TrafficReport.Pair> pairs = new ArrayList<>(sent.size());
        sent.forEach((pod, to) ->
                pairs.add(new TrafficReport.Pair(self, pod, to.bytes, to.retransmits, to.rttMicroseconds)));
        return TrafficReport.of(
                new TrafficReport.Pod(
                        self, (lastNanos - firstNanos) / 1_000_000, connectionsKnown, missed, devices.traffic()),
                pairs);
    }

    @Override
    public void close() {
        if (connections != null) {
            connections.close();
        }
    }
}
