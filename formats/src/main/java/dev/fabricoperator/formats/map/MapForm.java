/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import java.util.function.Function;

/** How a map is drawn. */
public enum MapForm {
    text(TextMapWriter::write),
    svg(SvgWriter::write),
    html(HtmlWriter::write),
    dot(DotWriter::write);

    private final Function<FabricMap, String> writer;

    MapForm(Function<FabricMap, String> writer) {
        this.writer = writer;
    }

    public String write(FabricMap map) {
        return writer.apply(map);
    }
}
