/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import java.io.IOException;
import java.io.Reader;

/** Texts of which each says a part: what one leaves open another one may tell, so that they are read before anything is made of them. */
public interface SourceTexts {
    /**
     * Reads one more text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @param others what it may include, in the one format that knows this
     * @throws BadInputException for a text that is not of the format; names file and line
     */
    void add(String file, Reader text, TextsBeside others) throws IOException, BadInputException;

    /**
     * What all texts together say. Problems have the text's name where there are several.
     *
     * @throws BadInputException if that is nothing, contradicts itself, or is more than any fabric has
     */
    Cabling cabling() throws BadInputException;
}
