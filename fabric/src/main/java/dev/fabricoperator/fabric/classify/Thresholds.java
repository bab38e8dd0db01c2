/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

/**
 * What recognition takes for enough: shares of what is counted, where nothing else is said. A cable in ten may be missing from every
 * fabric, and one pattern must not pass for another; in between is where these stand.
 */
public final class Thresholds {
    private Thresholds() {}

    // Of trees.

    /** Pairs of leaves that must be as near as a whole tree would have them. */
    public static final double ENOUGH_PAIRS = 0.75;

    /** Neighbours on one level that are tolerated, such as peer links between leaves. */
    public static final double PEER_LINKS = 0.25;

    /** Of the typical number of devices on a switch, up to which one may be a spine with service hosts. */
    public static final double SERVICE_DEVICES = 0.25;

    /** The same where more levels, or levels at all, come to light. */
    public static final double MANY_SERVICE_DEVICES = 0.9;

    /** Switches with devices that may stand elsewhere than leaves do: nearer to all others, at the top, or beside the tree. */
    public static final double FEW_ELSEWHERE = 0.25;

    /** Switches of a leaf at the top that are upper ones: a core switch that lost its cables does not look like one. */
    public static final double UPPER_ONES = 0.75;

    /** Switches with devices that may be inner ones: lattices would need half of theirs. */
    public static final double INNER_SWITCHES = 1.0 / 3;

    // Of hosts on several switches.

    /** Hosts for which something holds where it is the rule. */
    public static final double MOST_HOSTS = 0.9;

    /** Hosts with several devices that may have them elsewhere than on the leaves of one unit. */
    public static final double SCATTERED_HOSTS = 0.2;

    /** Leaves that are in a unit. */
    public static final double LEAVES_IN_UNITS = 0.5;

    /** Leaves of those that units would have if none lacked one. */
    public static final double FULL_UNITS = 0.7;

    /** Shared hosts, of all hosts of two leaves, from which on the leaves belong together. */
    public static final double SAME_HOSTS = 0.4;

    /** Hosts that may have more devices than there are rails, such as login nodes. */
    public static final double ODD_HOSTS = 0.05;

    /** Hosts with as many devices in one plane as in the other, where nothing joins the planes: one may lack a leaf. */
    public static final double EVENLY = 0.5;

    /** Devices of a plane, of those of the largest. */
    public static final double SMALLEST_PLANE = 0.1;

    /** Common switches, of the others; of slower devices they may be as many. */
    public static final double FEW_COMMON = 0.5;

    /** Units that a common switch meets, and hosts with several devices that are on common switches. */
    public static final double COMMON_TO = 0.75;

    /** A unit's hosts that are on each of its common switches, of an even division. */
    public static final double EVEN_DIVISION = 0.5;

    /** How many times as many switches a common one meets as others do. */
    public static final double MEETS_MORE = 1.5;

    /** Devices on a switch that are slower than another one of their hosts, servers of one speed aside. */
    public static final double SLOWER = 0.9;

    // Of grids.

    /** Neighbours that are so in the pattern: others are stray cables. */
    public static final double EXPLAINED = 0.9;

    /** The pattern's neighbours that are so: one cable in ten may be missing, and chance adds some. */
    public static final double PRESENT = 0.75;

    /** The same along each axis alone, where chance has more of a say. */
    public static final double PRESENT_ALONG_AXIS = 0.7;

    /** Places that are taken, and nodes that have a place. */
    public static final double TAKEN = 0.75;

    /** Nodes that have a place before holes are filled. */
    public static final double PLACED = 0.7;

    /** Nodes that have a place, from which on no other origin is tried. */
    public static final double PLACED_WELL = 0.9;

    /** Of the usual number of switches in a layer, below which it is none. */
    public static final double THIN_LAYER = 0.3;

    /** The same of the largest layer, where rows are joined each to each. */
    public static final double HYPERX_LAYER = 0.5;

    /** Cables between two layers, of what others have, that show that these are joined. */
    public static final double SEAM = 0.25;

    /** Rows whose ends are seen to meet before an axis with few rows is taken for a ring. */
    public static final double RINGS_SEEN = 0.2;

    /** Pairs of neighbours that meet again: a third in a ladder, of which some cables may be missing. */
    public static final double SQUARES = 0.1;

    /** The same along different axes of a HyperX. */
    public static final double HYPERX_SQUARES = 0.25;

    /** Cables that may be missing where so few are left out that nothing else is meant. */
    public static final double LOST = 0.1;

    /** Places of a small grid that may be empty. */
    public static final double EMPTY = 0.06;

    /** Members of a clique, or of a row of a HyperX, that one of it is joined with. */
    public static final double OF_CLIQUE = 0.6;

    /** Nodes of a row that close a square with the other, where the rows are parallel. */
    public static final double PARALLEL = 0.5;

    /** How many times the cables of other axes join two switches as a ring of two would. */
    public static final double DOUBLE_CABLES = 1.6;

    /** Switches that keep their numbers by a turn of the grid. */
    public static final double ALIGNED = 0.5;

    // Of groups.

    /** Pairs of groups that are joined: one cable in ten may be missing, and chance adds some. */
    public static final double GROUPS_JOINED = 0.75;

    /** Neighbours within a group, of those that it would have were all joined. */
    public static final double FULL_GROUP = 0.65;

    /** The same for all fully joined groups together, where chance evens out. */
    public static final double FULL_TOGETHER = 0.82;

    /** The same of leaves and spines of a group. */
    public static final double FULL_TREE = 0.7;

    /** Leaves that are in a group with several leaves and spines. */
    public static final double LEAVES_IN_GROUPS = 0.8;

    /** Pairs of switches of two groups, above which the groups are one. */
    public static final double SPARSE = 0.6;

    /** Nodes that are in a group that fits. */
    public static final double FITTING = 0.85;

    /** The same, from which on nothing else is tried. */
    public static final double FITTING_WELL = 0.97;

    /** Fewer than one random wiring in a thousand has a division that saves as many. */
    public static final double BITS_SAVED = 10;

    /** There are few ways to divide a wiring in two, and many wirings of a dozen switches that are so divided. */
    public static final double BITS_SAVED_BY_TWO = 16;

    /** Neighbours within groups per neighbours across: balanced dragonflies have twice as many within. */
    public static final double LOCAL = 0.7;

    /** How many times as often two of a group, or two rows of one, are joined as others. */
    public static final double MORE_WITHIN = 2;

    /** Columns that join two rows of one group, of those that would match them node by node. */
    public static final double COLUMNS = 0.6;

    /** The same at most. */
    public static final double MATCHING = 1.3;

    // Of what was known.

    /** Switches with devices that had a number before. */
    public static final double KNOWN = 0.75;

    /** Neighbours that contradict, such as a cable in the wrong port. */
    public static final double STRAY = 0.02;

    /** The pattern's neighbours that may be missing; chance may hit one axis more than others. */
    public static final double KEPT_MISSING = 0.25;

    /** The same along one axis. */
    public static final double KEPT_MISSING_ALONG_AXIS = 0.5;

    /** Switches of a dragonfly that had a number before, and those that are nearest to their own group. */
    public static final double AT_HOME = 0.9;

    /** Pairs of groups that are still joined. */
    public static final double KEPT_JOINED = 0.5;
}
