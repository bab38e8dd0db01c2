/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.server;

import dev.fabricoperator.pmix.openssl.Crypto;
import dev.fabricoperator.protocol.job.JobMap;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What all ranks of an attempt have, and no other job: made of the key of the attempt, which cannot be found from it. Nothing of it is ever in an object of Kubernetes or in a log. */
public final class JobToken {
    private JobToken() {}

    /**
     * 32 bytes.
     *
     * @param label for which use it is: tokens of two uses have nothing in common
     */
    public static byte[] of(JobMap map, String label) {
        byte[] text = label.getBytes(StandardCharsets.US_ASCII);
        byte[] key = Arrays.copyOf(map.key(), map.key().length + text.length);
        System.arraycopy(text, 0, key, map.key().length, text.length);
        return Crypto.sha256(key);
    }
}
