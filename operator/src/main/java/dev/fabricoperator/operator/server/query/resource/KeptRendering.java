/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.resource;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The last rendering, for whoever asks for the same again. Thread-safe. */
final class KeptRendering {
    private volatile @Nullable Rendering last;

    private record Rendering(String key, byte[] bytes) {}

    /** @return not changed any more */
    byte[] of(String key, Supplier<byte[]> renderer) {
        Rendering before = last;
        if (before != null && before.key().equals(key)) {
            return before.bytes();
        }
        byte[] bytes = renderer.get();
        last = new Rendering(key, bytes);
        return bytes;
    }
}
