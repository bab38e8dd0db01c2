/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

/**
 * Why a wiring is not of a kind: what was found to speak against it, after all else had fitted.
 *
 * @param reason what it is
 * @param count how many there are
 * @param of of how many, or beside how many
 */
record NoMatch(Reason reason, long count, long of) implements Recognition {
    private static final String TREE = "tree";
    private static final String GRID = "torus, mesh or HyperX";
    private static final String DRAGONFLY = "dragonfly";
    private static final String DRAGONFLY_PLUS = "dragonfly+";

    /** Kind by kind in the order in which one is looked at, so that whoever fails by a later one came nearer. */
    enum Reason {
        /** A fabric of rails is a tree first, and what its hosts are wired in says little where it is none. */
        NO_RAILS("", ""),
        NO_LEAVES(TREE, "no switches with hosts can be told from those above them"),
        LEAVES_JOINED(TREE, "%d of %d cabled pairs of switches both have hosts, and leaves are cabled to spines alone"),
        SPINE_BESIDE(TREE, "%d of %d switches that would be spines join fewer than two leaves"),
        FAR_APART(TREE, "only %d of %d pairs of leaves reach each other on a shortest way by going up and down again"),
        SAME_LEVEL(TREE, "%d of %d cabled pairs of switches are on one level"),
        JOINED_ACROSS(TREE, "cables between levels alone leave %d parts where all cables leave %d"),

        FEW_IN_RINGS(GRID, "fewer than %2$d switches are left without what only hangs off"),
        NO_ROWS(GRID, "only %d of %d switches are in a row in which each is cabled to each"),
        NO_AXES(GRID, "the number of axes along which such rows run is %d, and not 2 to %d"),
        MANY_NEIGHBOURS(GRID, "half of the switches have %d neighbours or more, and a torus or mesh has %d at most"),
        NO_SQUARES(
                GRID,
                "%d of %d pairs of cables at one switch are sides of one square of cables, and a grid consists of squares"),
        WITHOUT_PLACE(GRID, "no more than %d of %d switches have a place in one grid"),
        EMPTY_PLACES(GRID, "%d switches would stand in a grid of %d places"),
        MISSING(GRID, "only %d of %d cables along an axis are there"),
        STRAY(GRID, "only %d of %d cabled pairs of switches are next to each other in one grid"),

        FEW_IN_GROUPS(DRAGONFLY, FEW_IN_RINGS.words),
        NO_GROUPS(DRAGONFLY, "the number of groups that stand out among %2$d switches is %1$d"),
        ALL_JOINED(DRAGONFLY, "%d of %d pairs of switches of two groups are cabled, so that these are one"),
        NOT_APART(DRAGONFLY, "there are %d cabled pairs of switches within the likeliest groups and %d between them"),
        BY_CHANCE(DRAGONFLY, "the likeliest division of %2$d switches into %1$d groups may be chance"),
        GROUPS_APART(DRAGONFLY, "only %d of %d pairs of the likeliest groups are cabled"),
        NOT_WHOLE(
                DRAGONFLY, "only %d of %d switches are in a group that is cabled each to each, or by rows and columns"),
        LACKING(DRAGONFLY, "only %d of %d pairs of switches of one group are cabled"),

        NO_SPINES("", ""),
        NOT_GROUPED(DRAGONFLY_PLUS, "only %d of %d leaves are in a group with spines, cabled each to each"),
        SPINES_APART(DRAGONFLY_PLUS, "only %d of %d pairs of such groups are cabled by their spines");

        private final String pattern;
        private final String words;

        Reason(String pattern, String words) {
            this.pattern = pattern;
            this.words = words;
        }
    }

    NoMatch(Reason reason) {
        this(reason, 0, 0);
    }

    /** Of two trials of one kind, that which came nearer to it; of equal ones this. */
    NoMatch orNearer(NoMatch other) {
        return other.reason.compareTo(reason) > 0 ? other : this;
    }

    /** Whether it says more than that there is nothing to look at. */
    boolean tells() {
        return !reason.words.isEmpty();
    }

    String sentence() {
        return "no " + reason.pattern + ": " + String.format(reason.words, count, of);
    }
}
