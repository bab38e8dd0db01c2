/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.nio.charset.StandardCharsets;

/** What a job is called in PMIx. */
public final class JobNames {
    private static final int UID_CHARACTERS = 8;
    private static final int LONGEST_NSPACE_BYTES = 255;

    private JobNames() {}

    /**
     * PMIX_NSPACE of an attempt: namespace, owner, eight characters of its UID, attempt. Where that is longer than 255 bytes
     * the owner's name is cut, and the UID still tells jobs apart.
     */
    public static String nspace(String namespace, String owner, String ownerUid, int attempt) {
        String uid = ownerUid.replace("-", "");
        String end = "-" + uid.substring(0, Math.min(UID_CHARACTERS, uid.length())) + "-" + attempt;
        String begin = namespace + "." + owner;
        int room = LONGEST_NSPACE_BYTES - end.getBytes(StandardCharsets.UTF_8).length;
        return (begin.length() > room ? begin.substring(0, room) : begin) + end;
    }
}
