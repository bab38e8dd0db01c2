/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.io.IOException;
import java.io.Reader;

/**
 * What stands beside a text and goes with it: what a configuration of Slurm names by {@code Include}, and what the site calls the nodes of a
 * subnet.
 *
 * @see "slurm.conf(5), Include; opensm(8), node-name-map"
 */
@FunctionalInterface
public interface TextsBeside {
    /** Of a text that is all there is: a ConfigMap, standard input. */
    TextsBeside NONE = name -> {
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

    /** What the site calls nodes of InfiniBand, for formats that name them by their GUIDs. */
    default NodeNameMap nodeNames() {
        return NodeNameMap.NONE;
    }

    /** These texts, with names for nodes. */
    default TextsBeside with(NodeNameMap names) {
        TextsBeside texts = this;
        return new TextsBeside() {
            @Override
            public IncludedText open(String name) throws IOException, NotFollowedException {
                return texts.open(name);
            }

            @Override
            public NodeNameMap nodeNames() {
                return names;
            }
        };
    }

    /** Why an included text is left out, and what to do. */
    final class NotFollowedException extends Exception {
        private static final long serialVersionUID = 1L;

        public NotFollowedException(String reason) {
            super(reason, null, false, false);
        }
    }
}
