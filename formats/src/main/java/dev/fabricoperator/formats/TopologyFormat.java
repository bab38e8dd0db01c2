/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.fabric.cabling.cables.CablesReader;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.formats.lldp.LldpReader;
import dev.fabricoperator.formats.node.NodeListReader;
import dev.fabricoperator.formats.slurm.SlurmReader;
import dev.fabricoperator.formats.ufm.UfmReader;
import java.io.IOException;
import java.io.Reader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The formats in which a text can describe a fabric's cabling; the names are those of a source's type. */
public enum TopologyFormat {
    /** Output of {@code ibnetdiscover}. */
    ibnetdiscover((file, text, beside) -> IbnetdiscoverReader.read(file, text, beside.nodeNames())),
    /** Slurm's {@code topology.conf} or {@code topology.yaml}. */
    slurm(SlurmReader::read, SlurmReader::new),
    /** Lines of {@code from,fromPort,to,toPort,speedBitsPerSecond}. */
    cables(() -> new Tables(new CablesReader())),
    /** Output of {@code lldpctl} of one system or of many, as JSON or lines of keys and values. */
    lldp((file, text, others) -> LldpReader.read(file, text), LldpReader::new),
    /** What NVIDIA UFM's REST interface answers. */
    ufm((file, text, others) -> UfmReader.read(file, text), UfmReader.Texts::new),
    /** Nodes of Kubernetes, whose labels say in which block of a network each is. */
    NodeLabels((file, text, beside) -> NodeListReader.read(file, text, beside.labelKeys()));

    private interface CablingReader {
        Cabling read(String file, Reader text, TextsBeside others) throws IOException, BadInputException;
    }

    private record Tables(CablesReader reader) implements SourceTexts {
        @Override
        public void add(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
            reader.add(file, text);
        }

        @Override
        public Cabling cabling() throws BadInputException {
            return reader.cabling();
        }
    }

    private final CablingReader reader;
    private final @Nullable Supplier<SourceTexts> together;

    TopologyFormat(CablingReader reader) {
        this(reader, null);
    }

    TopologyFormat(Supplier<SourceTexts> together) {
        this(
                (file, text, others) -> {
                    SourceTexts texts = together.get();
                    texts.add(file, text, others);
                    return texts.cabling();
                },
                together);
    }

    TopologyFormat(CablingReader reader, @Nullable Supplier<SourceTexts> together) {
        this.reader = reader;
        this.together = together;
    }

    /** Whether nodes may have names of the site's beside the text. */
    public boolean takesNodeNames() {
        return this == ibnetdiscover;
    }

    /** What reads several texts of one source together; {@code null} for a format of which each text is whole by itself. */
    public @Nullable SourceTexts together() {
        return together == null ? null : together.get();
    }

    /** As {@link #read(String, Reader, TextsBeside)} where the text is all there is. */
    public Cabling read(String file, Reader text) throws IOException, BadInputException {
        return read(file, text, TextsBeside.NONE);
    }

    /**
     * Reads a whole text.
     *
     * @param file how messages call the text
     * @param others what it may include, in the one format that knows this
     * @throws BadInputException for a text that is not of this format; names file and line
     */
    public Cabling read(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
        return reader.read(file, text, others);
    }
}
