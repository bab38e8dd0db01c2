/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighborBuilder;
import dev.fabricoperator.fabric.cabling.lldp.LldpOutput;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Answers of {@code lldpctl -f json} and {@code -f json0}, of one system or of many: one document after the other, in
 * lists, in objects under the system's name, or in records with a {@code hostname} whose {@code data} are the output's
 * text. What {@code lldpcli show chassis} says beside an output is the answering system's own identity.
 *
 * <p>What stands in between is read and dropped; memory is for one interface's neighbours and for what they say.
 */
final class JsonOutputReader {
    /** Depth of an output is about ten; the wrapping of several adds a few. */
    private static final int MAX_DEPTH = 64;

    private static final int MAX_TEXT = 16 << 20;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_TEXT)
                    .build())
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .build();

    /** What takes the text of an output that is inside of another text. */
    interface Inner {
        void read(String text, @Nullable String system, int line) throws IOException, BadInputException;
    }

    private final CablingCollector collector;
    private final JsonParser parser;
    private final int before;
    private final Inner inner;
    private final List<LldpOutput> outputs;

    /** How many outputs were there before this text. */
    private final int first;

    private @Nullable SystemOutput unused;

    private record Field(String name, JsonValue value, int line) {}

    /** One system's output while it is read. */
    private static final class SystemOutput {
        final List<LldpNeighbor> neighbors = new ArrayList<>();
        final int line;

        @Nullable
        String system;

        @Nullable
        String chassisId;

        boolean answered;

        @Nullable
        String data;

        int dataLine;

        SystemOutput(@Nullable String system, int line) {
            this.system = system;
            this.line = line;
        }
    }

    /**
     * @param before lines of the file before {@code text}
     * @param outputs gets what is found
     */
    JsonOutputReader(CablingCollector collector, Reader text, int before, Inner inner, List<LldpOutput> outputs)
            throws IOException {
        this.collector = collector;
        this.before = before;
        this.inner = inner;
        this.outputs = outputs;
        first = outputs.size();
        parser = FACTORY.createParser(text);
    }

    /** @throws BadInputException for a text that is no JSON, or is cut; what was read before it has been added */
    void read(@Nullable String system) throws IOException, BadInputException {
        try {
            while (parser.nextToken() != null) {
                value(system);
            }
        } catch (JsonProcessingException e) {
            String wrong = e.getOriginalMessage();
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw collector.bad(
                    before + line, "not JSON, or cut: " + CablingCollector.printable(String.valueOf(wrong)));
        }
        if (unused != null && outputs.size() == first + 1 && outputs.getLast().system() == null) {
            LldpOutput only = outputs.getLast();
            outputs.set(first, new LldpOutput(unused.system, unused.chassisId, only.line(), only.neighbors()));
        }
    }

    private int line() {
        return before + parser.currentTokenLocation().getLineNr();
    }

    /** A value that may hold answers. */
    private void value(@Nullable String system) throws IOException, BadInputException {
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                value(system);
            }
        } else if (parser.currentToken() == JsonToken.START_OBJECT) {
            SystemOutput output = new SystemOutput(system, line());
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                field(output, name);
            }
            finish(output);
        }
    }

    private void field(SystemOutput output, String name) throws IOException, BadInputException {
        switch (name) {
            case "lldp" -> {
                output.answered = true;
                neighbors(output);
            }
            case "local-chassis" -> ownChassis(output, JsonValue.read(parser).at("chassis"));
            case "hostname" -> {
                String host = JsonValue.read(parser).text();
                output.system = host == null ? output.system : host;
            }
            case "data" -> {
                if (parser.currentToken() == JsonToken.VALUE_STRING) {
                    output.dataLine = line();
                    output.data = parser.getText();
                } else {
                    value(output.system);
                }
            }
            // The name of a list is what is in it, and not of a system.
            default -> value(parser.currentToken() == JsonToken.START_OBJECT ? name : output.system);
        }
    }

    private void finish(SystemOutput output) throws IOException, BadInputException {
        if (output.data != null && !output.answered) {
            inner.read(output.data, output.system, output.dataLine);
            return;
        }
        boolean known = output.system != null || output.chassisId != null;
        if (!output.answered) {
            unused = output.chassisId != null ? output : unused;
            return;
        }
        SystemOutput own = known || unused == null ? output : unused;
        unused = null;
        outputs.add(new LldpOutput(own.system, own.chassisId, output.line, output.neighbors));
    }

    private void neighbors(SystemOutput output) throws IOException, BadInputException {
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                neighbors(output);
            }
        } else if (parser.currentToken() == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean interfaces = parser.currentName().equals("interface");
                parser.nextToken();
                if (interfaces) {
                    interfaces(output);
                } else {
                    parser.skipChildren();
                }
            }
        } else {
            leaveOut("\"lldp\" is neither an object nor a list");
        }
    }

    private void interfaces(SystemOutput output) throws IOException, BadInputException {
        if (parser.currentToken() == JsonToken.START_ARRAY) {
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                interfaces(output);
            }
            return;
        }
        int line = line();
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            leaveOut("\"interface\" is neither an object nor a list of objects");
            return;
        }
        List<Field> fields = new ArrayList<>();
        long end = parser.currentTokenLocation().getCharOffset() + JsonValue.MAX_CHARACTERS;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            if (parser.currentTokenLocation().getCharOffset() > end) {
                throw collector.bad(
                        line(), "interfaces of one system take more than " + JsonValue.MAX_CHARACTERS + " characters");
            }
            String name = parser.currentName();
            int at = line();
            parser.nextToken();
            fields.add(new Field(name, JsonValue.read(parser), at));
        }
        String name = null;
        boolean described = false;
        for (Field field : fields) {
            name = field.name.equals("name") ? field.value.text() : name;
            described |= field.name.equals("chassis") || field.name.equals("port") || field.name.equals("via");
        }
        if (name != null && described) {
            Map<String, JsonValue> whole = new LinkedHashMap<>();
            fields.forEach(field -> whole.put(field.name, field.value));
            neighbor(output, name, new JsonValue(whole), line);
            return;
        }
        for (Field field : fields) {
            // In the other dialect a field's name is the interface's; the same name may come again.
            List<JsonValue> seen = field.value.each();
            if (seen.isEmpty()) {
                collector.problem(
                        field.line, "interface " + CablingCollector.printable(field.name) + " has nothing in it");
            }
            for (JsonValue value : seen) {
                neighbor(output, field.name, value, field.line);
            }
        }
    }

    private void leaveOut(String message) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NULL) {
            collector.problem(line(), message + ": it is left out");
        }
        parser.skipChildren();
    }

    private void neighbor(SystemOutput output, String netdev, JsonValue seen, int line) throws BadInputException {
        if (!seen.isObject()) {
            collector.problem(
                    line, "interface " + CablingCollector.printable(netdev) + " is no object: it is left out");
            return;
        }
        if (seen.at("status").text() != null && seen.at("rid").text() == null) {
            // "show interfaces" describes the asked system itself in this place.
            ownChassis(output, seen.at("chassis"));
            return;
        }
        JsonValue port = seen.at("port");
        JsonValue med = seen.at("lldp-med");
        LldpNeighborBuilder made = LldpNeighborBuilder.builder()
                .netdev(netdev)
                .protocol(seen.at("via").text())
                .remoteIndex(seen.at("rid").text())
                .deviceType(med.at("device-type").text())
                .manufacturer(med.at("inventory").at("manufacturer").text())
                .model(med.at("inventory").at("model").text())
                .portIdType(port.at("id").at("type").text())
                .portId(port.at("id").text())
                .portDescription(port.at("descr").text())
                .mediaType(port.at("auto-negotiation").at("current").text())
                .line(line);
        int before = output.neighbors.size();
        for (JsonValue chassis : seen.at("chassis").each()) {
            if (isDescribed(chassis)) {
                add(output, described(made, chassis.at("name").text(), chassis));
            } else {
                for (Map.Entry<String, JsonValue> named : chassis.fields().entrySet()) {
                    for (JsonValue value : named.getValue().each()) {
                        add(output, described(made, named.getKey(), value));
                    }
                }
            }
        }
        if (output.neighbors.size() == before) {
            collector.problem(
                    line, "interface " + CablingCollector.printable(netdev) + " has no chassis: it is left out");
        }
    }

    private void add(SystemOutput output, LldpNeighbor neighbor) throws BadInputException {
        long bytes = HeapBudget.BYTES_OF_PORT;
        for (String text : Arrays.asList(
                neighbor.netdev(),
                neighbor.chassisId(),
                neighbor.chassisName(),
                neighbor.chassisDescription(),
                neighbor.manufacturer(),
                neighbor.model(),
                neighbor.portId(),
                neighbor.portDescription(),
                neighbor.mediaType())) {
            bytes += HeapBudget.ofText(text);
        }
        for (String capability : neighbor.capabilities()) {
            bytes += HeapBudget.ofText(capability);
        }
        collector.spend(neighbor.line(), bytes);
        output.neighbors.add(neighbor);
    }

    /** Whether a chassis is described by the fields themselves; else they are names of chassis. */
    private static boolean isDescribed(JsonValue chassis) {
        return chassis.at("id").text() != null || chassis.at("name").text() != null;
    }

    private static LldpNeighbor described(LldpNeighborBuilder made, @Nullable String name, JsonValue chassis) {
        Set<String> capabilities = new TreeSet<>();
        for (JsonValue capability : chassis.at("capability").each()) {
            String type = capability.at("type").text();
            String enabled = capability.at("enabled").text();
            if (type != null && ("true".equals(enabled) || "on".equals(enabled))) {
                capabilities.add(type);
            }
        }
        return made.chassisName(name)
                .chassisIdType(chassis.at("id").at("type").text())
                .chassisId(chassis.at("id").text())
                .chassisDescription(chassis.at("descr").text())
                .capabilities(capabilities)
                .build();
    }

    private static void ownChassis(SystemOutput output, JsonValue chassis) {
        JsonValue own = chassis;
        String name = chassis.at("name").text();
        if (!isDescribed(chassis) && !chassis.fields().isEmpty()) {
            Map.Entry<String, JsonValue> only =
                    chassis.fields().entrySet().iterator().next();
            name = only.getKey();
            own = only.getValue();
        }
        output.system = name == null ? output.system : name;
        String id = own.at("id").text();
        output.chassisId = id == null ? output.chassisId : id;
    }
}
