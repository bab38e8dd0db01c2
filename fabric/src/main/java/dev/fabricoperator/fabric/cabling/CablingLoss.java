/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import dev.fabricoperator.fabric.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a reading of a source lacks that the one before had.
 *
 * <p>Switches are lost by identity, cables by number: a rack that is cabled anew has lost nothing.
 *
 * @param switchesBefore how many there were
 * @param switchesLost ids, ascending
 * @param cablesBefore how many there were; one between two switches counts once, however many ends say so
 * @param cables how many there are
 * @param mostCablesOfASwitch before
 * @param devicesLost ids of devices that had a cable and have none, ascending
 * @param digest 8 hex digits that identify the reading
 */
public record CablingLoss(
        int switchesBefore,
        List<String> switchesLost,
        int cablesBefore,
        int cables,
        int mostCablesOfASwitch,
        List<String> devicesLost,
        String digest) {
    private static final int DIGEST_BYTES = 4;
    private static final int TOLERATED_SHARE = 10;

    /** Cost: O(ports) time and memory. */
    public static CablingLoss between(Collection<Switch> before, Collection<Switch> now) {
        Counted then = new Counted(before);
        Counted today = new Counted(now);
        TreeSet<String> switchesLost = new TreeSet<>(then.switches);
        switchesLost.removeAll(today.switches);
        TreeSet<String> devicesLost = new TreeSet<>(then.devices);
        devicesLost.removeAll(today.devices);
        return new CablingLoss(
                then.switches.size(),
                List.copyOf(switchesLost),
                then.cables.size(),
                today.cables.size(),
                then.most,
                List.copyOf(devicesLost),
                today.digest());
    }

    public int cablesLost() {
        return Math.max(0, cablesBefore - cables);
    }

    /**
     * Whether this is more than what breaks by itself: more than half of the switches or cables, or more than a tenth and
     * more than one switch with its cables.
     */
    public boolean isLarge() {
        return 2 * switchesLost.size() > switchesBefore
                || 2 * cablesLost() > cablesBefore
                || switchesLost.size() > Math.max(switchesBefore / TOLERATED_SHARE, 1)
                || cablesLost() > Math.max(cablesBefore / TOLERATED_SHARE, mostCablesOfASwitch);
    }

    /** Whether the other reading lost the same or less. */
    public boolean isAtLeast(CablingLoss other) {
        return cablesLost() >= other.cablesLost()
                && new HashSet<>(switchesLost).containsAll(other.switchesLost)
                && new HashSet<>(devicesLost).containsAll(other.devicesLost);
    }

    private static final class Counted {
        final Set<String> switches = new HashSet<>();
        final Set<String> devices = new HashSet<>();
        final Set<String> cables = new HashSet<>();
        final int most;

        Counted(Collection<Switch> reported) {
            reported.forEach(s -> switches.add(s.id()));
            Map<String, Integer> cablesOf = new HashMap<>();
            for (Switch one : reported) {
                for (SwitchPort port : one.ports()) {
                    PortPeer peer = port.peer();
                    if (peer == null) {
                        continue;
                    }
                    if (!switches.contains(peer.id()) && port.peerType() != NodeType.Switch) {
                        devices.add(peer.id());
                    }
                    if (cables.add(cable(one.id(), port.number(), peer))) {
                        cablesOf.merge(one.id(), 1, Integer::sum);
                        cablesOf.merge(peer.id(), 1, Integer::sum);
                    }
                }
            }
            most = cablesOf.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }

        private static String cable(String id, int port, PortPeer peer) {
            String here = id + " " + port;
            String there = peer.id() + " " + peer.port();
            return here.compareTo(there) < 0 ? here + " " + there : there + " " + here;
        }

        String digest() {
            MessageDigest sha256 = Sha256.begin();
            List<String> all = new ArrayList<>(new TreeSet<>(cables));
            all.addAll(new TreeSet<>(switches));
            for (String one : all) {
                sha256.update(ByteBuffer.wrap(one.getBytes(StandardCharsets.UTF_8)));
                sha256.update((byte) 0);
            }
            return HexFormat.of().formatHex(sha256.digest(), 0, DIGEST_BYTES);
        }
    }
}
