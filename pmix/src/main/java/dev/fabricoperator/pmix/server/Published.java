/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import java.util.List;

/**
 * Data that processes publish for each other.
 *
 * @see "PMIx Standard, chapter Publish/Lookup Operations"
 */
public final class Published {
    private Published() {}

    /**
     * One value under its key.
     *
     * @param key at most 511 bytes, each as one character of ISO 8859-1
     * @param value as the library packs a {@code pmix_value_t}; opaque
     */
    public record Datum(String key, byte[] value) {}

    /**
     * What one call publishes.
     *
     * @param range pmix_data_range_t
     * @param persistence pmix_persistence_t
     */
    public record Publication(int range, int persistence, List<Datum> data) {}

    /**
     * What one call looks for.
     *
     * @param range pmix_data_range_t
     * @param wanted how many of the keys must be found before the answer, 0 not to wait
     * @param timeoutSeconds of the wait, 0 for none
     */
    public record Search(int range, List<String> keys, int wanted, int timeoutSeconds) {}

    /** One value that was found. */
    public record Found(Proc publisher, Datum datum) {}
}
