/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.slurm;

import java.io.IOException;
import java.io.Reader;

/**
 * The texts that a configuration of Slurm may name by {@code Include}: files beside it, where it is one itself.
 *
 * @see "slurm.conf(5), Include"
 */
@FunctionalInterface
public interface IncludedTexts {
    /** Of a text that is all there is: a ConfigMap, standard input. */
    IncludedTexts NONE = name -> {
        throw new NotFollowedException("no file is beside this text: put its lines here");
    };

    /**
     * An included text, which the reader of it closes.
     *
     * @param file what to call it in messages; the same name for the same text
     */
    record IncludedText(String file, Reader text) {}

    /**
     * @param name as the configuration has it
     * @throws NotFollowedException if it is not to be read, which is tolerated
     * @throws IOException if it cannot be read, with the reason
     */
    IncludedText open(String name) throws IOException, NotFollowedException;

    /** Why an included text is left out, and what to do. */
    final class NotFollowedException extends Exception {
        private static final long serialVersionUID = 1L;

        public NotFollowedException(String reason) {
            super(reason, null, false, false);
        }
    }
}
