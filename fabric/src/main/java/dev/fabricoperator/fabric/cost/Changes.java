/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.topology.ShortestPaths;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Costs between switches after some links changed.
 *
 * <p>Idea: let a head be a switch that a changed link leads to, and that was there before and is there now. If a source
 * has the same costs to all heads before and after, then all its costs are the same: behind the last changed link of any
 * path, old or new, there are only links that did not change, and the part up to that link's head costs the same. So
 * costs to the heads are computed on both sides, against the direction of links, and only sources with a difference anew.
 *
 * <p>Switches that are gone or new are no heads: a path through one goes on over another changed link, and columns of new
 * switches are computed separately.
 */
final class Changes {
    private static final int GONE = -1;

    private final Topology before;
    private final LinkCosts oldLinks;
    private final SwitchCosts old;
    private final Topology after;
    private final LinkCosts links;
    private final Edges edges;

    /** New index of each old switch, ascending, {@link #GONE} where it is no more; and the other way round. */
    private final int[] newOfOld;

    private final int[] oldOfNew;

    /** Old row of each new one, {@link #GONE} where there was none. */
    private final int[] oldRowOfRow;

    Changes(LinkCosts oldLinks, SwitchCosts old, LinkCosts links, Edges edges) {
        before = oldLinks.topology();
        this.oldLinks = oldLinks;
        this.old = old;
        after = links.topology();
        this.links = links;
        this.edges = edges;
        newOfOld = new int[before.switches()];
        oldOfNew = new int[after.switches()];
        match(newOfOld, before::switchId, oldOfNew, after::switchId);
        int[] newRowOfRow = new int[old.size()];
        oldRowOfRow = new int[edges.size()];
        match(newRowOfRow, old::id, oldRowOfRow, row -> after.switchId(edges.switches()[row]));
    }

    /** Finds equal ids of two ascending lists. */
    private static void match(int[] one, IntFunction<String> idOfOne, int[] other, IntFunction<String> idOfOther) {
        Arrays.fill(one, GONE);
        Arrays.fill(other, GONE);
        int i = 0;
        int j = 0;
        while (i < one.length && j < other.length) {
            int order = idOfOne.apply(i).compareTo(idOfOther.apply(j));
            if (order == 0) {
                one[i] = j;
                other[j] = i;
            }
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
    }

    /** Everything anew. */
    static SwitchCosts all(Topology topology, LinkCosts links, Edges edges) {
        char[][] rows = new char[edges.size()][];
        char[] bounds = new char[rows.length];
        int[] every = new int[rows.length];
        Arrays.setAll(every, row -> row);
        if (links.directed()) {
            walk(topology, links.toNeighbors(), edges, every, rows, bounds);
        } else {
            walkBothWays(topology, links.toNeighbors(), edges, rows, bounds);
        }
        return new SwitchCosts(edges.ids(topology), rows, new byte[rows.length][], bounds, links.directed());
    }

    SwitchCosts costs() {
        int[] heads = heads();
        if (2 * heads.length >= edges.size()) {
            return all(after, links, edges);
        }
        boolean[] anew = differing(heads);
        int[] rowsAnew = numbers(anew);
        if (2 * heads.length + rowsAnew.length >= edges.size()) {
            return all(after, links, edges);
        }
        char[][] rows = new char[edges.size()][];
        byte[] @Nullable [] hashes = new byte[rows.length][];
        char[] bounds = new char[rows.length];
        walk(after, links.toNeighbors(), edges, rowsAnew, rows, bounds);
        String[] ids = edges.ids(after);
        boolean sameSwitches = Arrays.equals(old.ids(), ids);
        if (sameSwitches) {
            byte[] @Nullable [] known = old.knownHashes();
            for (int row = 0; row < rows.length; row++) {
                if (!anew[row]) {
                    rows[row] = old.row(row);
                    hashes[row] = known[row];
                    bounds[row] = (char) old.bound(row);
                }
            }
        } else {
            copyColumns(anew, rows, bounds);
        }
        return new SwitchCosts(ids, rows, hashes, bounds, links.directed());
    }

    /** Ascending, by their indexes after the change. */
    private int[] heads() {
        boolean[] changed = new boolean[after.switches()];
        for (int s = 0; s < oldOfNew.length; s++) {
            if (oldOfNew[s] == GONE) {
                for (int i = after.firstNeighbor(s); i < after.firstNeighbor(s + 1); i++) {
                    changed[after.neighbor(i)] |= links.toNeighbor(i) != CostMatrix.UNREACHABLE;
                }
            }
        }
        for (int o = 0; o < newOfOld.length; o++) {
            if (newOfOld[o] != GONE) {
                compareRows(o, newOfOld[o], changed);
                continue;
            }
            for (int i = before.firstNeighbor(o); i < before.firstNeighbor(o + 1); i++) {
                int neighbor = newOfOld[before.neighbor(i)];
                if (neighbor != GONE) {
                    changed[neighbor] |= oldLinks.toNeighbor(i) != CostMatrix.UNREACHABLE;
                }
            }
        }
        for (int s = 0; s < changed.length; s++) {
            changed[s] &= oldOfNew[s] != GONE;
        }
        return numbers(changed);
    }

    /** Marks neighbours whose link costs another amount, or carries something on one side only. */
    private void compareRows(int o, int s, boolean[] changed) {
        int i = before.firstNeighbor(o);
        int j = after.firstNeighbor(s);
        int lastOld = before.firstNeighbor(o + 1);
        int last = after.firstNeighbor(s + 1);
        while (i < lastOld || j < last) {
            int was = i < lastOld ? newOfOld[before.neighbor(i)] : Integer.MAX_VALUE;
            int is = j < last ? after.neighbor(j) : Integer.MAX_VALUE;
            if (was == GONE) {
                i++;
            } else if (was == is) {
                changed[is] |= oldLinks.toNeighbor(i++) != links.toNeighbor(j++);
            } else if (was < is) {
                changed[was] |= oldLinks.toNeighbor(i++) != CostMatrix.UNREACHABLE;
            } else {
                changed[is] |= links.toNeighbor(j++) != CostMatrix.UNREACHABLE;
            }
        }
    }

    /** Rows that are new, and those whose costs to some head are not what they were. */
    private boolean[] differing(int[] heads) {
        boolean[] anew = new boolean[edges.size()];
        for (int row = 0; row < anew.length; row++) {
            anew[row] = oldRowOfRow[row] == GONE;
        }
        int[] oldHeads = new int[heads.length];
        for (int h = 0; h < heads.length; h++) {
            oldHeads[h] = oldOfNew[heads[h]];
        }
        ShortestPaths oldPaths = new ShortestPaths(before, oldLinks.fromNeighbors());
        ShortestPaths paths = new ShortestPaths(after, links.fromNeighbors());
        int[] sourceOfOld = new int[before.switches()];
        for (int o = 0; o < sourceOfOld.length; o++) {
            sourceOfOld[o] = newOfOld[o] == GONE ? GONE : edges.rowOfSwitch()[newOfOld[o]];
        }
        for (int first = 0; first < heads.length; first += Long.SIZE) {
            int count = Math.min(Long.SIZE, heads.length - first);
            int[][] was = costsTo(oldPaths, oldHeads, first, count, sourceOfOld);
            int[][] is = costsTo(paths, heads, first, count, edges.rowOfSwitch());
            for (int h = 0; h < count; h++) {
                for (int row = 0; row < anew.length; row++) {
                    anew[row] |= was[h][row] != is[h][row];
                }
            }
        }
        return anew;
    }

    /** Per head and row, -1 without a path. */
    private int[][] costsTo(ShortestPaths backwards, int[] heads, int first, int count, int[] rowOfSwitch) {
        int[][] costs = new int[count][edges.size()];
        for (int[] ofHead : costs) {
            Arrays.fill(ofHead, -1);
        }
        backwards.wavesFrom(heads, first, count, (bits, at, cost) -> {
            if (rowOfSwitch[at] >= 0) {
                for (long rest = bits; rest != 0; rest &= rest - 1) {
                    costs[Long.numberOfTrailingZeros(rest)][rowOfSwitch[at]] = cost;
                }
            }
        });
        return costs;
    }

    /** Rows that stay, with columns taken from where they were and of new switches computed backwards. */
    private void copyColumns(boolean[] anew, char[][] rows, char[] bounds) {
        int[] newColumns = new int[rows.length];
        int count = 0;
        for (int row = 0; row < rows.length; row++) {
            if (oldRowOfRow[row] == GONE) {
                newColumns[count++] = row;
            }
        }
        newColumns = Arrays.copyOf(newColumns, count);
        char[][] backwards = links.directed() ? new char[rows.length][] : rows;
        if (links.directed()) {
            walk(after, links.fromNeighbors(), edges, newColumns, backwards, new char[rows.length]);
        }
        List<Run> runs = runs();
        for (int from = 0; from < rows.length; from++) {
            if (anew[from]) {
                continue;
            }
            char[] row = new char[rows.length];
            char[] oldRow = old.row(oldRowOfRow[from]);
            for (Run run : runs) {
                System.arraycopy(oldRow, run.oldColumn, row, run.column, run.length);
            }
            int bound = old.bound(oldRowOfRow[from]);
            for (int to : newColumns) {
                row[to] = backwards[to][from];
                bound = Math.max(bound, row[to] == CostMatrix.UNREACHABLE ? 0 : row[to]);
            }
            bounds[from] = (char) bound;
            rows[from] = row;
        }
    }

    /** Columns beside each other before and after. */
    private record Run(int oldColumn, int column, int length) {}

    private List<Run> runs() {
        List<Run> runs = new ArrayList<>();
        int start = 0;
        for (int column = 1; column <= oldRowOfRow.length; column++) {
            boolean goesOn = column < oldRowOfRow.length
                    && oldRowOfRow[start] != GONE
                    && oldRowOfRow[column] == oldRowOfRow[start] + column - start;
            if (!goesOn) {
                if (oldRowOfRow[start] != GONE) {
                    runs.add(new Run(oldRowOfRow[start], start, column - start));
                }
                start = column;
            }
        }
        return runs;
    }

    private static void walk(
            Topology topology, int[] costOfEntry, Edges edges, int[] which, char[][] rows, char[] bounds) {
        int[] sources = new int[which.length];
        for (int i = 0; i < which.length; i++) {
            sources[i] = edges.switches()[which[i]];
            rows[which[i]] = new char[rows.length];
            Arrays.fill(rows[which[i]], (char) CostMatrix.UNREACHABLE);
        }
        int[] column = edges.rowOfSwitch();
        ShortestPaths paths = new ShortestPaths(topology, costOfEntry);
        for (int first = 0; first < which.length; first += Long.SIZE) {
            int base = first;
            int count = Math.min(Long.SIZE, which.length - first);
            paths.wavesFrom(sources, first, count, (bits, at, cost) -> {
                if (column[at] >= 0) {
                    char value = (char) Math.min(cost, CostMatrix.HIGHEST);
                    for (long rest = bits; rest != 0; rest &= rest - 1) {
                        int row = which[base + Long.numberOfTrailingZeros(rest)];
                        rows[row][column[at]] = value;
                        // Costs ascend.
                        bounds[row] = value;
                    }
                }
            });
        }
    }

    /** All rows, where each link costs the same both ways: what is written together lies together, in the far end's row. */
    private static void walkBothWays(Topology topology, int[] costOfEntry, Edges edges, char[][] rows, char[] bounds) {
        for (int row = 0; row < rows.length; row++) {
            rows[row] = new char[rows.length];
            Arrays.fill(rows[row], (char) CostMatrix.UNREACHABLE);
        }
        int[] rowOfSwitch = edges.rowOfSwitch();
        ShortestPaths paths = new ShortestPaths(topology, costOfEntry);
        for (int first = 0; first < rows.length; first += Long.SIZE) {
            int base = first;
            int count = Math.min(Long.SIZE, rows.length - first);
            paths.wavesFrom(edges.switches(), first, count, (bits, at, cost) -> {
                int number = rowOfSwitch[at];
                if (number >= 0) {
                    char value = (char) Math.min(cost, CostMatrix.HIGHEST);
                    char[] row = rows[number];
                    for (long rest = bits; rest != 0; rest &= rest - 1) {
                        row[base + Long.numberOfTrailingZeros(rest)] = value;
                    }
                    bounds[number] = (char) Math.max(bounds[number], value);
                }
            });
        }
    }

    private static int[] numbers(boolean[] set) {
        int[] numbers = new int[set.length];
        int count = 0;
        for (int i = 0; i < set.length; i++) {
            if (set[i]) {
                numbers[count++] = i;
            }
        }
        return Arrays.copyOf(numbers, count);
    }
}
