/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import java.io.IOException;
import java.io.Reader;
import java.util.Iterator;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The events of one YAML document, in order, for a reader that knows what it expects. Nothing can unfold into more than
 * the text is long: an alias is an error, and so is nesting deeper than {@value #MAX_DEPTH}.
 */
final class YamlEvents {
    private static final int MAX_DEPTH = 16;
    private static final int BUFFER = 1 << 16;

    private final String file;
    private final CheckedText text;
    private final Iterator<Event> events;
    private Event ahead;
    private int line = 1;

    /** Stands at the first node of the first document. */
    YamlEvents(String file, Reader text) throws IOException, BadInputException {
        this.file = file;
        this.text = new CheckedText(file, text);
        LoadSettings settings = LoadSettings.builder()
                .setBufferSize(BUFFER)
                .setCodePointLimit(Integer.MAX_VALUE)
                .build();
        events = new Parse(settings).parseReader(this.text).iterator();
        ahead = pull();
        take(Event.ID.StreamStart, "YAML");
        if (!is(Event.ID.StreamEnd)) {
            take(Event.ID.DocumentStart, "a YAML document");
        }
    }

    /** Where the event stands that was taken last, from 1. */
    int line() {
        return line;
    }

    boolean is(Event.ID id) {
        return ahead.getEventId() == id;
    }

    /** Takes the next event if it is of this kind. */
    boolean takeIf(Event.ID id) throws IOException, BadInputException {
        if (!is(id)) {
            return false;
        }
        line = lineOf(ahead.getStartMark());
        if (id != Event.ID.StreamEnd) {
            ahead = pull();
        }
        return true;
    }

    /** @param expected for the message, should there be something else */
    void take(Event.ID id, String expected) throws IOException, BadInputException {
        if (!takeIf(id)) {
            throw new BadInputException(file, lineOf(ahead.getStartMark()), "not " + expected);
        }
    }

    /** The text of a scalar; {@code null} for an absent value, {@code ~} and {@code null}. */
    @Nullable
    String scalar(String expected) throws IOException, BadInputException {
        if (!(ahead instanceof ScalarEvent scalar)) {
            throw new BadInputException(file, lineOf(ahead.getStartMark()), "not " + expected);
        }
        take(Event.ID.Scalar, expected);
        String value = scalar.getValue().strip();
        boolean nothing = value.isEmpty()
                || value.equals("~")
                || value.toLowerCase(Locale.ROOT).equals("null");
        return scalar.isPlain() && nothing ? null : value;
    }

    /** Takes a whole node, whatever is in it. */
    void skip() throws IOException, BadInputException {
        int depth = 0;
        do {
            if (takeIf(Event.ID.MappingStart) || takeIf(Event.ID.SequenceStart)) {
                if (++depth > MAX_DEPTH) {
                    throw bad("nested deeper than any topology.yaml");
                }
            } else if (takeIf(Event.ID.MappingEnd) || takeIf(Event.ID.SequenceEnd)) {
                depth--;
            } else {
                take(Event.ID.Scalar, "a value");
            }
        } while (depth > 0);
    }

    /** Takes the end of the document, and of the text. */
    void end() throws IOException, BadInputException {
        take(Event.ID.DocumentEnd, "the end of the document");
        take(Event.ID.StreamEnd, "the end: Slurm reads one document");
    }

    BadInputException bad(String wrong) {
        return new BadInputException(file, line, wrong);
    }

    private Event pull() throws IOException, BadInputException {
        try {
            Event event = events.next();
            if (event.getEventId() == Event.ID.Alias) {
                throw new BadInputException(
                        file, lineOf(event.getStartMark()), "an alias: what it stands for has to be written out");
            }
            return event;
        } catch (MarkedYamlEngineException e) {
            throw notYaml(lineOf(e.getProblemMark().or(e::getContextMark)), e.getProblem());
        } catch (YamlEngineException e) {
            // The text's own errors come wrapped.
            if (e.getCause() instanceof IOException broken) {
                text.rethrow();
                throw broken;
            }
            throw notYaml(text.line(), e.getMessage());
        } catch (NoSuchElementException e) {
            throw notYaml(text.line(), "it ends too early");
        }
    }

    private BadInputException notYaml(int where, @Nullable String wrong) {
        return new BadInputException(
                file,
                where,
                "not YAML: "
                        + CablingCollector.printable(
                                String.valueOf(wrong).lines().findFirst().orElse("")));
    }

    private int lineOf(Optional<Mark> mark) {
        return mark.isPresent() ? mark.get().getLine() + 1 : text.line();
    }
}
