/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.finding.Finding;
import java.util.List;

/**
 * Something to look at, as it is marked on a map.
 *
 * @param type such as {@code PortDown}
 * @param object as in {@link Finding}; empty for the whole fabric
 * @param switches ids of those to walk to; none where the object alone tells
 */
public record Remark(String type, String object, String message, List<String> switches) {
    public Remark {
        switches = List.copyOf(switches);
    }

    public static Remark of(Finding finding) {
        return new Remark(
                finding.type().name(),
                finding.object(),
                finding.message(),
                finding.places().stream().map(Finding.Place::id).distinct().toList());
    }
}
