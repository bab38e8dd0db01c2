/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.formats.SourceTexts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;

/** Reads what Slurm knows of a network in either form, told apart by the first line that is no comment. */
public final class SlurmReader implements SourceTexts {
    /** Characters of comments that may stand before that line. */
    private static final int BEGINNING = 1 << 16;

    private final SlurmTree tree = new SlurmTree();
    private int before;
    private int lines;

    /**
     * Reads a {@code topology.conf} or {@code topology.yaml} that is all there is; the caller closes {@code text}.
     *
     * @param others what the former may include
     * @throws BadInputException if it is neither, or contradicts itself
     */
    public static Cabling read(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
        SlurmReader reader = new SlurmReader();
        reader.add(file, text, others);
        return reader.cabling();
    }

    @Override
    public void add(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
        BufferedReader whole = new BufferedReader(text);
        before = tree.begin(file, lines);
        lines = isYaml(whole)
                ? SlurmYamlReader.add(tree, file, whole, before)
                : SlurmConfReader.add(tree, file, whole, before, others);
    }

    @Override
    public Cabling cabling() throws BadInputException {
        return tree.cabling(before + lines);
    }

    private static boolean isYaml(BufferedReader text) throws IOException {
        text.mark(BEGINNING);
        boolean comment = false;
        int first = -1;
        for (int i = 0; i < BEGINNING && first < 0; i++) {
            int c = text.read();
            if (c < 0) {
                break;
            }
            if (c == '\n') {
                comment = false;
            } else if (c == '#') {
                comment = true;
            } else if (!comment && c > ' ' && c != '\uFEFF') {
                first = c;
            }
        }
        text.reset();
        // A line of topology.conf begins with a key; a list, in either style, and YAML's marks with none.
        return first == '-' || first == '[' || first == '%';
    }
}
