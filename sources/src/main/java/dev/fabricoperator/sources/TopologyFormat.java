/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sources;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.cables.CablesReader;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.cabling.slurm.IncludedTexts;
import dev.fabricoperator.sources.lldp.LldpReader;
import dev.fabricoperator.sources.slurm.SlurmReader;
import dev.fabricoperator.sources.ufm.UfmReader;
import java.io.IOException;
import java.io.Reader;

/** The formats in which a text can describe a fabric's cabling; the names are those of a source's type. */
public enum TopologyFormat {
    /** Output of {@code ibnetdiscover}. */
    ibnetdiscover((file, text, others) -> IbnetdiscoverReader.read(file, text)),
    /** Slurm's {@code topology.conf} or {@code topology.yaml}. */
    slurm(SlurmReader::read),
    /** Lines of {@code from,fromPort,to,toPort,speedBitsPerSecond}. */
    cables((file, text, others) -> CablesReader.read(file, text)),
    /** Output of {@code lldpctl} of one system or of many, as JSON or lines of keys and values. */
    lldp((file, text, others) -> LldpReader.read(file, text)),
    /** What NVIDIA UFM's REST interface answers. */
    ufm((file, text, others) -> UfmReader.read(file, text));

    private interface CablingReader {
        Cabling read(String file, Reader text, IncludedTexts others) throws IOException, BadInputException;
    }

    private final CablingReader reader;

    TopologyFormat(CablingReader reader) {
        this.reader = reader;
    }

    /** As {@link #read(String, Reader, IncludedTexts)} where the text is all there is. */
    public Cabling read(String file, Reader text) throws IOException, BadInputException {
        return read(file, text, IncludedTexts.NONE);
    }

    /**
     * Reads a whole text.
     *
     * @param file how messages call the text
     * @param others what it may include, in the one format that knows this
     * @throws BadInputException for a text that is not of this format; names file and line
     */
    public Cabling read(String file, Reader text, IncludedTexts others) throws IOException, BadInputException {
        return reader.read(file, text, others);
    }
}
