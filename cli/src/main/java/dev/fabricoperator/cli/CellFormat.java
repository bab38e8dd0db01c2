/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cost.CostMatrix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values as tables show them to people. */
final class CellFormat {
    private static final int SENTENCE = 90;

    private CellFormat() {}

    /** What does not fit a terminal beside other columns is cut where it is not asked for as a whole. */
    static String sentence(String text, boolean whole) {
        return whole || text.length() <= SENTENCE
                ? text
                : text.substring(0, SENTENCE - 1).stripTrailing() + "…";
    }

    /** A folded list, such as {@code n[1-3,08-10]}. */
    static String hosts(List<String> hosts, boolean whole) {
        return sentence(HostList.compress(hosts), whole);
    }

    /** What kind and groups do not tell, below what they tell; none where that is all. */
    static List<TextTable> notes(List<String> unresolved) {
        if (unresolved.isEmpty()) {
            return List.of();
        }
        TextTable table = TextTable.sentence("note: " + unresolved.getFirst());
        unresolved.stream().skip(1).forEach(sentence -> table.row("note: " + sentence));
        return List.of(table);
    }

    /** Status of a condition that should be True. */
    static TextTable.Coloured condition(ConditionStatus status) {
        return new TextTable.Coloured(
                status,
                switch (status) {
                    case True -> TextTable.Colour.green;
                    case False -> TextTable.Colour.red;
                    case Unknown -> TextTable.Colour.yellow;
                });
    }

    static TextTable.Coloured phase(@Nullable JobPhase phase) {
        return new TextTable.Coloured(
                phase,
                switch (phase) {
                    case null -> null;
                    case Failed, TimedOut -> TextTable.Colour.red;
                    case Assembling -> TextTable.Colour.yellow;
                    case Running, Succeeded -> TextTable.Colour.green;
                });
    }

    /** {@code 3/4}. */
    static @Nullable String share(@Nullable Integer part, @Nullable Integer whole) {
        return part == null || whole == null ? null : part + "/" + whole;
    }

    static String cost(int cost) {
        return cost == CostMatrix.UNREACHABLE ? "unreachable" : Integer.toString(cost);
    }

    static @Nullable String gigabits(@Nullable Long bitsPerSecond) {
        if (bitsPerSecond == null) {
            return null;
        }
        double gigabits = bitsPerSecond / 1e9;
        return gigabits == Math.rint(gigabits) ? Long.toString(Math.round(gigabits)) : Double.toString(gigabits);
    }
}
