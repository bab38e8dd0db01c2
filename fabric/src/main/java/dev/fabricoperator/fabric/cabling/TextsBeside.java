/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.io.IOException;
import java.io.Reader;
import java.util.List;

/**
 * What stands beside a text and goes with it: what a configuration of Slurm names by {@code Include}, and what the site calls the nodes of a
 * subnet, and which labels say where a node is.
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

    /** Keys of the labels by which nodes are placed, from the top to the leaf, for the format that has labels; empty where they are to be found. */
    default List<String> labelKeys() {
        return List.of();
    }

    /** These texts, with names for nodes. */
    default TextsBeside with(NodeNameMap names) {
        return new Beside(this, names, labelKeys());
    }

    /** These texts, with keys of labels. */
    default TextsBeside with(List<String> keys) {
        return new Beside(this, nodeNames(), keys);
    }

    /** Texts, and what else goes with the one that names them. */
    record Beside(TextsBeside texts, NodeNameMap nodeNames, List<String> labelKeys) implements TextsBeside {
        public Beside {
            labelKeys = List.copyOf(labelKeys);
        }

        @Override
        public IncludedText open(String name) throws IOException, NotFollowedException {
            return texts.open(name);
        }
    }

    /** Why an included text is left out, and what to do. */
    final class NotFollowedException extends Exception {
        private static final long serialVersionUID = 1L;

        public NotFollowedException(String reason) {
            super(reason, null, false, false);
        }
    }
}
