/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.status;

import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.operator.model.Messages;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a generation brought, in one sentence for an Event. */
public final class ChangeWords {
    private ChangeWords() {}

    public static String of(FabricChange change) {
        List<String> counts = new ArrayList<>();
        add(counts, change.switchesLost(), "switch", "switches", " lost");
        add(counts, change.devicesLost(), "device", "devices", " lost");
        add(counts, change.linksLost(), "link", "links", " lost");
        add(counts, change.switchesGained(), "switch", "switches", " gained");
        add(counts, change.devicesGained(), "device", "devices", " gained");
        add(counts, change.linksGained(), "link", "links", " gained");
        return "generation " + change.generation()
                + (counts.isEmpty() ? "" : ": " + String.join(", ", counts))
                + (change.names().isEmpty() ? "" : " (" + String.join(", ", change.names()) + ")");
    }

    private static void add(List<String> counts, @Nullable Integer number, String one, String many, String what) {
        if (number != null) {
            counts.add(Messages.count(number, one, many) + what);
        }
    }
}
