/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/** What the job service tells the first pod of a job about the job's fabric, and each pod those below it. */
public sealed interface JobFabricUpdate {
    /** Another generation is on its way; all values still hold. PMIX_FABRIC_UPDATE_PENDING. */
    record Pending() implements JobFabricUpdate {
        @Override
        public byte[] encoded() {
            return new byte[] {PENDING};
        }
    }

    /**
     * Another generation holds. PMIX_FABRIC_UPDATED.
     *
     * @param map the same job with the values of that generation
     * @param encoded as {@link JobMapCodec} does
     */
    record Updated(JobMap map, byte[] encoded) implements JobFabricUpdate {}

    /** No map begins with it. */
    byte PENDING = 'P';

    /** Not to be changed. */
    byte[] encoded();

    /** @throws JobCodecException with a sentence that says what is wrong, where this is no update */
    static JobFabricUpdate decode(byte[] bytes) throws JobCodecException {
        return bytes.length == 1 && bytes[0] == PENDING ? new Pending() : new Updated(JobMapCodec.decode(bytes), bytes);
    }
}
