/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sources.lldp;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.lldp.KeyValueOutputReader;
import dev.fabricoperator.fabric.cabling.lldp.LldpOutput;
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
 * together: see {@link LocalSystems} and {@link SystemKind}. LLDP is what systems say at a moment: of what contradicts, the
 * first stands, and the rest is a problem of the cabling and no error.
 *
 * <p>Cost: time and memory in proportion to the text.
 *
 * @see "IEEE Std 802.1AB-2016; lldpctl(8)"
 */
public final class LldpReader {
    static final String SOURCE = "lldp";

    /** Texts of a recording that hold an answer, which is no recording itself. */
    private static final int MAX_INSIDE = 2;

    private static final int MAX_LINE = 1 << 16;
    private static final char BYTE_ORDER_MARK = '\ufeff';

    private final String file;
    private final CablingCollector collector;
    private final List<LldpOutput> outputs = new ArrayList<>();
    private int inside;

    private LldpReader(String file) {
        this.file = file;
        collector = new CablingCollector(SOURCE, file);
    }

    /**
     * Reads one text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if it is in none of the forms, is cut, or names no neighbour at all
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        LldpReader reader = new LldpReader(file);
        reader.text(text, null, 0);
        if (reader.outputs.stream().allMatch(o -> o.neighbors().isEmpty())) {
            throw reader.collector.bad(1, "no LLDP neighbour is described");
        }
        return new LldpCabling(file, reader.collector).of(reader.outputs);
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
