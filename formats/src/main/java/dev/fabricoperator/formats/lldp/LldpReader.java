/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.fabric.cabling.lldp.KeyValueOutputReader;
import dev.fabricoperator.fabric.cabling.lldp.LldpOutput;
import dev.fabricoperator.formats.CountedText;
import dev.fabricoperator.formats.SourceTexts;
import java.io.IOException;
import java.io.PushbackReader;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code lldpctl} printed on one system or on many, in its forms {@code json}, {@code json0} and
 * {@code keyvalue}: see {@link JsonOutputReader} and {@link KeyValueOutputReader} for how several are told apart.
 *
 * <p>A system is known by its chassis ID; which answer is whose, and what is a switch and what a host, the answers tell
 * together, in however many texts they stand: see {@link LocalSystems} and {@link SystemKind}. LLDP is what systems say at a moment: of what contradicts, the
 * first stands, and the rest is a problem of the cabling and no error.
 *
 * <p>Cost: time and memory in proportion to the text.
 *
 * @see "IEEE Std 802.1AB-2016; lldpctl(8)"
 */
public final class LldpReader implements SourceTexts {
    static final String SOURCE = "lldp";

    /** Texts of a recording that hold an answer, which is no recording itself. */
    private static final int MAX_INSIDE = 2;

    private static final int MAX_LINE = 1 << 16;
    private static final String NO_NEIGHBOR = "no LLDP neighbour is described";
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private final CablingCollector collector = new CablingCollector(SOURCE);
    private final List<LldpOutput> outputs = new ArrayList<>();
    private String file = "";
    private int lines;
    private int inside;

    /**
     * Reads one text that is all there is; the caller closes it.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if it is in none of the forms, is cut, or names no neighbour at all
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        LldpReader reader = new LldpReader();
        reader.add(file, text, TextsBeside.NONE);
        return reader.cabling();
    }

    @Override
    public void add(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
        this.file = file;
        int before = collector.begin(file, lines);
        int answers = outputs.size();
        CountedText counted = new CountedText(text);
        text(counted, null, before);
        lines = counted.lines();
        if (outputs.subList(answers, outputs.size()).stream()
                .allMatch(output -> output.neighbors().isEmpty())) {
            // Beside others a system that hears nobody is none to stop at.
            collector.problem(before + 1, NO_NEIGHBOR);
        }
    }

    @Override
    public Cabling cabling() throws BadInputException {
        if (outputs.stream().allMatch(output -> output.neighbors().isEmpty())) {
            throw collector.bad(1, NO_NEIGHBOR);
        }
        return new LldpCabling(collector).of(outputs);
    }

    /** @param before lines of the file before the text */
    private void text(Reader text, @Nullable String system, int before) throws IOException, BadInputException {
        PushbackReader whole = new PushbackReader(text);
        int first = whole.read();
        int skipped = before;
        while (first >= 0 && (Character.isWhitespace(first) || first == BYTE_ORDER_MARK)) {
            skipped += first == '\n' ? 1 : 0;
            first = whole.read();
        }
        if (first < 0) {
            return;
        }
        whole.unread(first);
        if (first == '{' || first == '[') {
            new JsonOutputReader(collector, whole, skipped, this::textInside, outputs).read(system);
        } else {
            keyValues(whole, system, skipped);
        }
    }

    private void textInside(String text, @Nullable String system, int line) throws IOException, BadInputException {
        if (inside == MAX_INSIDE) {
            throw collector.bad(line, "a text in a text in a text");
        }
        inside++;
        try {
            text(new StringReader(text), system, line - 1);
        } catch (BadInputException e) {
            // One system's answer that is none takes nothing from the others'.
            collector.problem(
                    line,
                    "the answer of " + (system == null ? "a system" : CablingCollector.printable(system))
                            + " is in none of the forms json, json0 and keyvalue, or cut: it is left out");
        } finally {
            inside--;
        }
    }

    private void keyValues(Reader text, @Nullable String system, int before) throws IOException, BadInputException {
        BoundedLines lines = new BoundedLines(file, text, "lldpctl", MAX_LINE);
        KeyValueOutputReader answers = new KeyValueOutputReader();
        boolean any = false;
        for (String line = lines.next(); line != null; line = lines.next()) {
            int number = before + lines.number();
            collector.spend(number, HeapBudget.ofText(line));
            any |= KeyValueOutputReader.isOne(line);
            String problem = answers.line(number, line);
            if (problem != null) {
                collector.problem(number, problem);
            }
        }
        if (!any) {
            throw collector.bad(before + 1, "neither JSON nor lines of lldp.<interface>.<what>=<value>");
        }
        for (LldpOutput output : answers.outputs()) {
            String name = output.system() == null ? system : output.system();
            outputs.add(new LldpOutput(name, output.chassisId(), output.line(), output.neighbors()));
        }
    }
}
