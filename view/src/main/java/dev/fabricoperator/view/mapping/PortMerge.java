/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.view.mapping.SwitchMerge.Contradiction;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One port of a switch, from what several objects say of it. */
final class PortMerge {
    private final String switchId;
    private final @Nullable SwitchStatement live;
    private final List<Contradiction> contradictions;

    /** @param objects all that speak of the switch, the first statement first */
    PortMerge(String switchId, List<? extends SwitchStatement> objects, List<Contradiction> contradictions) {
        this.switchId = switchId;
        this.live = objects.stream()
                .filter(object -> SourceRank.of(object).seesAllCables())
                .findFirst()
                .orElse(null);
        this.contradictions = contradictions;
    }

    /** What one object says of the port. */
    record PortStatement(SwitchStatement object, SwitchPort port) {}

    /** @param statements at least one, the first statement first */
    SwitchPort port(int number, List<PortStatement> statements) {
        PortStatement cable = cable(number, statements);
        PortPeer peer = cable == null ? null : cable.port().peer();
        // A host's name belongs to the far end that it was said of.
        List<PortStatement> sameCable = statements.stream()
                .filter(w -> w.port().peer() != null
                        && peer != null
                        && agree(w.port().peer(), peer))
                .toList();
        List<PortStatement> fresh = statements.stream()
                .sorted(Comparator.comparing(PortStatement::object, SourceRank.MEASUREMENT))
                .toList();
        PortState state = fresh.stream()
                .map(statement -> statement.port().state())
                .filter(s -> s != PortState.Unknown)
                .findFirst()
                .orElse(PortState.Unknown);
        return new SwitchPort(
                number,
                peer == null ? null : mostExact(peer, sameCable),
                state,
                first(fresh, SwitchPort::speedBitsPerSecond),
                first(fresh, SwitchPort::width),
                first(fresh, SwitchPort::lid),
                first(sameCable, SwitchPort::peerHost),
                first(sameCable, SwitchPort::peerOsName),
                first(sameCable, SwitchPort::peerType));
    }

    /** The statement that counts about the cable; {@code null} where there is none. */
    private @Nullable PortStatement cable(int number, List<PortStatement> statements) {
        PortStatement first = null;
        for (PortStatement statement : statements) {
            PortPeer peer = statement.port().peer();
            if (peer == null) {
                continue;
            }
            if (first != null) {
                PortPeer counts = Objects.requireNonNull(first.port().peer());
                if (!agree(counts, peer)) {
                    contradiction(number, first.object().name() + " says " + text(counts), statement, peer);
                }
            } else if (live != null && SourceRank.CABLING.compare(live, statement.object()) < 0) {
                contradiction(number, live.name() + " sees no cable", statement, peer);
            } else {
                first = statement;
            }
        }
        return first;
    }

    private void contradiction(int number, String counts, PortStatement other, PortPeer says) {
        contradictions.add(new Contradiction(
                switchId,
                "port " + number + " of " + switchId + ": " + counts + ", "
                        + other.object().name() + " says " + text(says) + "; the first counts"));
    }

    static String text(PortPeer peer) {
        return peer.port() == 0 ? peer.id() : peer.id() + " port " + peer.port();
    }

    /** Port 0 is an unknown port. */
    private static boolean agree(PortPeer one, PortPeer other) {
        return one.id().equals(other.id()) && (one.port() == other.port() || one.port() == 0 || other.port() == 0);
    }

    private static PortPeer mostExact(PortPeer counts, List<PortStatement> sameCable) {
        return sameCable.stream()
                .map(statement -> Objects.requireNonNull(statement.port().peer()))
                .filter(peer -> counts.port() == 0 && peer.port() != 0)
                .findFirst()
                .orElse(counts);
    }

    private static <V> @Nullable V first(List<PortStatement> statements, Function<SwitchPort, @Nullable V> attribute) {
        for (PortStatement statement : statements) {
            V value = attribute.apply(statement.port());
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
