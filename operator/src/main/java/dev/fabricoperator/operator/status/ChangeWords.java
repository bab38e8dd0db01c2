/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.status;

import dev.fabricoperator.crds.FabricChange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a generation brought, in one sentence for an Event. */
public final class ChangeWords {
    private ChangeWords() {}

    public static String of(FabricChange change) {
        List<String> counts = new ArrayList<>();
        add(counts, change.switchesLost(), "switches lost");
        add(counts, change.devicesLost(), "devices lost");
        add(counts, change.linksLost(), "links lost");
        add(counts, change.switchesGained(), "switches gained");
        add(counts, change.devicesGained(), "devices gained");
        add(counts, change.linksGained(), "links gained");
        return "generation " + change.generation()
                + (counts.isEmpty() ? "" : ": " + String.join(", ", counts))
                + (change.names().isEmpty() ? "" : " (" + String.join(", ", change.names()) + ")");
    }

    private static void add(List<String> counts, @Nullable Integer number, String what) {
        if (number != null) {
            counts.add(number + " " + what);
        }
    }
}
