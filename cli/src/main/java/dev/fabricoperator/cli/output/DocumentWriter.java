/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/** JSON or YAML, written as it is made: what is printed never stands in memory as a whole. */
public final class DocumentWriter {
    private DocumentWriter() {}

    /** One value, and a line feed behind it. */
    public static void write(OutputFormat format, Object value, OutputStream out) throws IOException {
        try (JsonGenerator generator = generator(format, out)) {
            new RecordWriter(generator).write(value);
        }
        endLine(format, out);
    }

    /** One value as JSON on one line. */
    public static void writeLine(Object value, OutputStream out) throws IOException {
        try (JsonGenerator generator =
                new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            new RecordWriter(generator).write(value);
        }
        out.write('\n');
    }

    /** A {@code v1} List, as {@code kubectl get -o} prints several objects. */
    public static void writeList(OutputFormat format, Iterator<Resource> items, OutputStream out) throws IOException {
        try (JsonGenerator generator = generator(format, out)) {
            generator.writeStartObject();
            generator.writeStringField("apiVersion", "v1");
            generator.writeStringField("kind", "List");
            generator.writeArrayFieldStart("items");
            RecordWriter writer = new RecordWriter(generator);
            while (items.hasNext()) {
                writer.write(items.next());
            }
            generator.writeEndArray();
            generator.writeEndObject();
        }
        endLine(format, out);
    }

    private static JsonGenerator generator(OutputFormat format, OutputStream out) throws IOException {
        JsonFactory factory = format == OutputFormat.yaml ? Yaml.factory() : new JsonFactory();
        JsonGenerator generator = factory.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        if (format == OutputFormat.json) {
            DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
            generator.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(indenter));
        }
        return generator;
    }

    private static void endLine(OutputFormat format, OutputStream out) throws IOException {
        if (format == OutputFormat.json) {
            out.write("\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * A class of its own, so that JSON does not load a YAML library. Strings stay quoted: a GUID such as
     * {@code 0002e90300000001} would be read back as a number.
     */
    private static final class Yaml {
        static JsonFactory factory() {
            return YAMLFactory.builder()
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .disable(YAMLGenerator.Feature.SPLIT_LINES)
                    .build();
        }
    }
}
