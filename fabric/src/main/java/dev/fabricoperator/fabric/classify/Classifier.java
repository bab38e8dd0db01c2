/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells what kind of fabric a topology is, from the wiring alone: names lie. */
public final class Classifier {
    /** Recognizes one kind of fabric. Pure: the same wiring gives the same classification. */
    interface Recognizer {
        /** A {@link Classification}, or a {@link NoMatch} for a wiring of another kind. */
        Recognition recognize(Topology topology, EdgeHops hops);
    }

    /** Trees first: where hosts tell leaves from spines, small grids would fit as well. */
    private static final List<Recognizer> RECOGNIZERS = List.of(
            new DragonflyPlusRecognizer(),
            new RailRecognizer(),
            new TreeRecognizer(),
            new GridRecognizer(),
            new DragonflyRecognizer(),
            new IrregularRecognizer());

    private Classifier() {}

    /** Cost: dominated by the hops between switches that hold devices; see docs/topology-kinds.md for the rules. */
    public static Classification classify(Topology topology) {
        return classify(topology, Numbering.NONE);
    }

    private static Classification classify(Topology topology, EdgeHops hops) {
        for (Recognizer recognizer : RECOGNIZERS) {
            if (recognizer.recognize(topology, hops) instanceof Classification found) {
                return found;
            }
        }
        throw new IllegalStateException("the last recognizer takes every wiring");
    }

    /** Of an irregular wiring, what speaks against each kind that it might be. Cost: that of {@link #classify(Topology)}. */
    static List<NoMatch> reasons(Topology topology) {
        EdgeHops hops = EdgeHops.of(topology);
        return RECOGNIZERS.stream()
                .map(recognizer -> recognizer.recognize(topology, hops))
                .<NoMatch>mapMulti((said, found) -> {
                    if (said instanceof NoMatch no && no.tells()) {
                        found.accept(no);
                    }
                })
                .distinct()
                .sorted(Comparator.comparing(NoMatch::reason))
                .toList();
    }

    /**
     * As {@link #classify(Topology)}, but a fabric that was known keeps its kind while its wiring is a part of what it was,
     * and keeps its labels; with another kind labels restart. Idempotent: the numbering of the result gives the same result.
     */
    public static Classification classify(Topology topology, Numbering previous) {
        EdgeHops hops = EdgeHops.of(topology);
        Classification irregular = null;
        for (CommonDevices common : CommonDevices.candidates(topology, hops)) {
            Topology rest = common.rest();
            Classification found =
                    common.whole(hops, classify(rest, EdgeHops.of(rest), common.without(previous)), previous);
            if (found.kind() != FabricKind.Irregular || common.isSaid()) {
                return found;
            }
            irregular = irregular == null ? found : irregular;
        }
        if (irregular != null) {
            Classification whole = classify(topology, hops, previous);
            return whole.kind() == FabricKind.Irregular ? irregular : whole;
        }
        return classify(topology, hops, previous);
    }

    /** As {@link #classify(Topology, Numbering)}, of a fabric all of whose devices say where their hosts are. */
    static Classification classify(Topology topology, EdgeHops hops, Numbering previous) {
        boolean wereInPlanes = RailPlanes.areKnown(previous);
        Classification inPlanes = RailPlanes.of(topology, hops, previous, wereInPlanes);
        return inPlanes == null ? classifyWhole(topology, hops, wereInPlanes ? Numbering.NONE : previous) : inPlanes;
    }

    private static Classification classifyWhole(Topology topology, EdgeHops hops, Numbering previous) {
        Classification kept = keptBefore(topology, hops, previous);
        if (kept != null) {
            return kept.kind() == FabricKind.Dragonfly
                    ? aligned(topology, kept, previous)
                    : grown(topology, hops, kept, previous);
        }
        Classification fresh = classify(topology, hops);
        Classification found = fresh.kind().name().equals(previous.kind()) ? aligned(topology, fresh, previous) : fresh;
        kept = keptInstead(topology, hops, found, previous);
        return kept == null ? found : aligned(topology, kept, previous);
    }

    /** Grids and dragonflies follow from their previous numbers alone, without a search. */
    private static @Nullable Classification keptBefore(Topology topology, EdgeHops hops, Numbering previous) {
        int dims = previous.isEmpty() ? 0 : PreviousNumbers.axes(topology, previous);
        FabricKind kind = dims == 0 ? FabricKind.Flat : kind(previous);
        return switch (kind) {
            case Torus, Mesh, HyperX ->
                KeptGrid.of(topology, hops, kind, PreviousNumbers.of(topology, previous, dims), dims);
            case Dragonfly -> KeptGroups.of(topology, hops, PreviousNumbers.of(topology, previous, dims));
            case FatTree, RailOptimized, DragonflyPlus, Irregular, Flat -> null;
        };
    }

    /** A grid with the layers that were added to it; what is no layer of it, such as a leaf of storage, stays beside it. */
    private static Classification grown(Topology topology, EdgeHops hops, Classification kept, Numbering previous) {
        int dims = kept.axes().length;
        int[] sides = KeptGrid.sides(PreviousNumbers.of(topology, previous, dims), dims);
        int[][] inside = new int[topology.switches()][];
        boolean hasMore = false;
        for (int s = 0; s < inside.length; s++) {
            int[] address = new int[dims];
            boolean isInside = true;
            for (int axis = 0; axis < dims; axis++) {
                address[axis] = kept.axes()[axis][s];
                isInside &= address[axis] >= 0 && address[axis] < sides[axis];
                hasMore |= address[axis] >= sides[axis];
            }
            inside[s] = isInside ? address : new int[0];
        }
        Classification fresh = hasMore ? classify(topology, hops) : kept;
        boolean closes = kept.kind() == FabricKind.Mesh && fresh.kind() == FabricKind.Torus;
        boolean isAlike = fresh != kept && (fresh.kind() == kept.kind() || closes) && fresh.axes().length == dims;
        Classification aligned = isAlike ? GridAlignment.of(topology, fresh, inside) : kept;
        return haveNotMoved(aligned, inside) ? aligned : kept;
    }

    private static boolean haveNotMoved(Classification now, int[][] before) {
        for (int s = 0; s < before.length; s++) {
            for (int axis = 0; axis < before[s].length; axis++) {
                if (now.axes()[axis][s] != before[s][axis]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The previous kind, where the wiring lost so much that it looks like a simpler one. */
    private static @Nullable Classification keptInstead(
            Topology topology, EdgeHops hops, Classification found, Numbering previous) {
        int dims = previous.isEmpty() ? 0 : PreviousNumbers.axes(topology, previous);
        FabricKind kind = dims == 0 ? FabricKind.Flat : kind(previous);
        boolean more = found.axes().length > dims || found.kind() == FabricKind.RailOptimized && found.kind() != kind;
        return switch (kind) {
            case FatTree, RailOptimized, DragonflyPlus -> {
                PreviousNumbers before = PreviousNumbers.of(topology, previous, dims);
                boolean stays = more || found.kind() == kind && before.haveNotMoved(found);
                yield stays ? null : KeptTree.of(topology, hops, kind, before, dims);
            }
            case Torus, Mesh, HyperX, Dragonfly, Irregular, Flat -> null;
        };
    }

    private static FabricKind kind(Numbering previous) {
        for (FabricKind kind : FabricKind.values()) {
            if (kind.name().equals(previous.kind())) {
                return kind;
            }
        }
        return FabricKind.Flat;
    }

    private static Classification aligned(Topology topology, Classification fresh, Numbering previous) {
        PreviousNumbers before = PreviousNumbers.of(topology, previous, fresh.axes().length);
        return switch (fresh.kind()) {
            case Flat -> fresh;
            case RailOptimized -> Alignment.rails(topology, fresh, before);
            case FatTree, Irregular, Dragonfly, DragonflyPlus -> Alignment.hierarchical(topology, fresh, before);
            case Torus, Mesh, HyperX -> GridAlignment.of(topology, fresh, before.addressOfSwitch());
        };
    }
}
