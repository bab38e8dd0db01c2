/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.formats.CountedText;
import dev.fabricoperator.formats.JsonText;
import dev.fabricoperator.formats.SourceTexts;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what NVIDIA UFM's REST interface answers: the resources {@code systems}, {@code ports} and {@code links}.
 *
 * <p>They may stand in one object under these names, in any order and each also in pages ({@code {"data": [...]}}), or alone:
 * a list of links, of ports or of systems as somebody saved it, or several such texts one after the other. What an object is
 * goes by its fields where no name says it. Links say which ports a cable joins, ports its speed and state, systems what
 * is a switch; each is enough to begin with.
 *
 * <p>Cost: time and memory in proportion to the text; at most 2<sup>20</sup> links, as many ports and 2<sup>18</sup>
 * systems, and what a {@link HeapBudget} allows: a million ports with long descriptions are more.
 *
 * @see "NVIDIA UFM Enterprise REST API: Systems, Ports, Links"
 */
public final class UfmReader {
    static final String SOURCE = "ufm";

    /** What a list holds. */
    enum Section {
        systems,
        ports,
        links,
        /** To be told by the fields. */
        data
    }

    private final JsonParser json;
    private final CablingCollector collector;
    private final UfmInventory inventory;

    /** Lines of the texts before. */
    private final int before;

    private final List<Element> elements = new ArrayList<>();
    private int depth;

    private UfmReader(JsonParser json, CablingCollector collector, UfmInventory inventory, int before) {
        this.json = json;
        this.collector = collector;
        this.inventory = inventory;
        this.before = before;
    }

    /** Answers that were saved one by one. */
    public static final class Texts implements SourceTexts {
        private final CablingCollector collector = new CablingCollector(SOURCE);
        private final UfmInventory inventory = new UfmInventory(collector);
        private int before;
        private int lines;

        @Override
        public void add(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
            before = collector.begin(file, lines);
            CountedText counted = new CountedText(text);
            try (JsonParser json = JsonText.parser(counted)) {
                UfmReader reader = new UfmReader(json, collector, inventory, before);
                try {
                    reader.readAll();
                } catch (JsonProcessingException e) {
                    throw reader.bad(JsonText.reason(e));
                }
            }
            lines = counted.lines();
        }

        @Override
        public Cabling cabling() throws BadInputException {
            if (inventory.isEmpty()) {
                throw collector.bad(before + lines, "neither a link nor a system is described");
            }
            return new UfmAssembly(inventory, collector, before + lines).cabling();
        }
    }

    /**
     * Reads one text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no such text, or lacks what identifies a cable's end
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        Texts texts = new Texts();
        texts.add(file, text, TextsBeside.NONE);
        return texts.cabling();
    }

    private int line() {
        return before + Math.max(1, json.currentLocation().getLineNr());
    }

    private BadInputException bad(String wrong) {
        return collector.bad(line(), wrong);
    }

    private void readAll() throws IOException, BadInputException {
        if (json.nextToken() == null) {
            throw bad("the text is empty");
        }
        for (JsonToken token = json.currentToken(); token != null; token = json.nextToken()) {
            readSection(Section.data);
        }
    }

    /** Reads the list, page or element that the parser has just entered. */
    private void readSection(Section section) throws IOException, BadInputException {
        switch (json.currentToken()) {
            case START_OBJECT -> readObject(section);
            case START_ARRAY -> {
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    if (json.currentToken() != JsonToken.START_OBJECT) {
                        throw bad(section + ": the list holds " + what() + ", not objects only");
                    }
                    readObject(section);
                }
            }
            case null, default -> throw bad(section + ": " + what() + ", where a list is expected");
        }
    }

    private void readObject(Section section) throws IOException, BadInputException {
        if (depth == elements.size()) {
            elements.add(new Element());
        }
        Element element = elements.get(depth);
        element.clear(before + Math.max(1, json.currentTokenLocation().getLineNr()));
        depth++;
        boolean holdsSections = false;
        List<PortId> ports = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            if (name.equals("ports") && section != Section.links && json.currentToken() == JsonToken.START_ARRAY) {
                ports = readPorts();
                holdsSections |= ports == null;
            } else if (isSection(name)) {
                readSection(name.equals("data") ? section : Section.valueOf(name));
                holdsSections = true;
            } else {
                readField(element, name);
            }
        }
        depth--;
        if (!holdsSections && !(element.isEmpty() && ports != null)) {
            inventory.add(section, element, ports);
        }
    }

    private static boolean isSection(String name) {
        return switch (name) {
            case "systems", "ports", "links", "data" -> true;
            default -> false;
        };
    }

    /** The names of a system's ports; {@code null} if it was a list of ports with all that is said of them. */
    private @Nullable List<PortId> readPorts() throws IOException, BadInputException {
        List<PortId> names = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() == JsonToken.START_OBJECT && names.isEmpty()) {
                do {
                    if (json.currentToken() != JsonToken.START_OBJECT) {
                        throw bad("ports: the list holds " + what() + ", not objects only");
                    }
                    readObject(Section.ports);
                } while (json.nextToken() != JsonToken.END_ARRAY);
                return null;
            }
            PortId port = json.currentToken() == JsonToken.VALUE_STRING ? PortId.parse(json.getText()) : null;
            if (port == null) {
                throw bad("ports: the list holds " + what() + ", not names of ports only");
            }
            inventory.countPort(line());
            names.add(port);
        }
        return names;
    }

    private void readField(Element element, String name) throws IOException {
        Element.Field field = Element.Field.of(name);
        if (json.currentToken().isStructStart()) {
            if (field != null) {
                inventory.wrongType(line(), name, what());
            }
            json.skipChildren();
        } else if (field != null) {
            element.put(field, json.currentToken() == JsonToken.VALUE_NULL ? null : json.getText());
        }
    }

    private String what() throws IOException {
        return switch (json.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "a list";
            case VALUE_NULL -> "null";
            case null -> "nothing";
            default -> "\"" + CablingCollector.printable(json.getText()) + "\"";
        };
    }
}
