/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

import dev.fabricoperator.view.answer.FabricView;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The fabrics that a question is asked about, with what the words in it mean there. */
public interface Devices {
    /** The default one first; at least one. */
    List<FabricView> fabrics();

    /**
     * All devices that are meant, at least one, each once.
     *
     * @param field parameter of the question, for the message
     */
    List<PlacedDevice> all(String field, String id) throws UnansweredException;

    /** As {@link #all}, of what can only be a node. */
    List<PlacedDevice> ofNode(String field, String node) throws UnansweredException;

    /** The only one that is meant. */
    default PlacedDevice one(String field, String id) throws UnansweredException {
        List<PlacedDevice> found = all(field, id);
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new UnansweredException(
                UnansweredException.Why.WRONG,
                field,
                "'" + id + "' has several devices: "
                        + DeviceFinder.shown(
                                found.stream().map(one -> one.device().name()).toList()));
    }

    /** The fabric of a name; {@code null} chooses the default one. */
    default FabricView fabric(@Nullable String name) throws UnansweredException {
        return chosen(fabrics(), FabricView::name, name);
    }

    /**
     * The one of a name; {@code null} chooses the first.
     *
     * @param fabrics at least one
     */
    static <F> F chosen(List<F> fabrics, Function<F, String> nameOf, @Nullable String name) throws UnansweredException {
        for (F fabric : fabrics) {
            if (name == null || nameOf.apply(fabric).equals(name)) {
                return fabric;
            }
        }
        throw new UnansweredException(
                UnansweredException.Why.MISSING,
                "fabric",
                "no fabric '" + name + "'; there is "
                        + fabrics.stream().map(nameOf).collect(Collectors.joining(", ")));
    }
}
