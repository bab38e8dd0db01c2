/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds.mapping;

import dev.fabricoperator.crds.mapping.SwitchMerge.Contradiction;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
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

    /** @param objects all that speak of the switch, the first word first */
    PortMerge(String switchId, List<? extends SwitchStatement> objects, List<Contradiction> contradictions) {
        this.switchId = switchId;
        this.live = objects.stream()
                .filter(object -> SourceRank.of(object).seesAllCables())
                .findFirst()
                .orElse(null);
        this.contradictions = contradictions;
    }

    /** What one object says of the port. */
    record Word(SwitchStatement object, SwitchPort port) {}

    /** @param words at least one, the first word first */
    SwitchPort port(int number, List<Word> words) {
        Word cable = cable(number, words);
        PortPeer peer = cable == null ? null : cable.port().peer();
        // A host's name belongs to the far end that it was said of.
        List<Word> sameCable = words.stream()
                .filter(w -> w.port().peer() != null
                        && peer != null
                        && agree(w.port().peer(), peer))
                .toList();
        List<Word> fresh = words.stream()
                .sorted(Comparator.comparing(Word::object, SourceRank.MEASUREMENT))
                .toList();
        PortState state = fresh.stream()
                .map(word -> word.port().state())
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

    /** The word that counts about the cable; {@code null} where there is none. */
    private @Nullable Word cable(int number, List<Word> words) {
        Word first = null;
        for (Word word : words) {
            PortPeer peer = word.port().peer();
            if (peer == null) {
                continue;
            }
            if (first != null) {
                PortPeer counts = Objects.requireNonNull(first.port().peer());
                if (!agree(counts, peer)) {
                    contradiction(number, first.object().name() + " says " + text(counts), word, peer);
                }
            } else if (live != null && SourceRank.CABLING.compare(live, word.object()) < 0) {
                contradiction(number, live.name() + " sees no cable", word, peer);
            } else {
                first = word;
            }
        }
        return first;
    }

    private void contradiction(int number, String counts, Word other, PortPeer says) {
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

    private static PortPeer mostExact(PortPeer counts, List<Word> sameCable) {
        return sameCable.stream()
                .map(word -> Objects.requireNonNull(word.port().peer()))
                .filter(peer -> counts.port() == 0 && peer.port() != 0)
                .findFirst()
                .orElse(counts);
    }

    private static <V> @Nullable V first(List<Word> words, Function<SwitchPort, @Nullable V> attribute) {
        for (Word word : words) {
            V value = attribute.apply(word.port());
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
