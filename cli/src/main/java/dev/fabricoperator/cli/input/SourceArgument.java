/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code KIND:PATH} as typed.
 *
 * @param path a file's path, or {@value #STANDARD_INPUT}
 */
public record SourceArgument(SourceKind kind, String path) {
    public static final String STANDARD_INPUT = "-";

    /** What to call the file in messages. */
    public String shownPath() {
        return path.equals(STANDARD_INPUT) ? "<stdin>" : path;
    }

    /** From {@code KIND:PATH}; the path may hold further colons. */
    public static final class Converter implements ITypeConverter<SourceArgument> {
        @Override
        public SourceArgument convert(String text) {
            int colon = text.indexOf(':');
            if (colon < 0) {
                throw new TypeConversionException("write KIND:PATH, for example ibnetdiscover:" + text);
            }
            String kind = text.substring(0, colon);
            String path = text.substring(colon + 1);
            for (SourceKind known : SourceKind.values()) {
                if (known.name().equals(kind)) {
                    if (path.isEmpty()) {
                        throw new TypeConversionException("no path behind '" + kind + ":'; '-' is standard input");
                    }
                    return new SourceArgument(known, path);
                }
            }
            String kinds = Arrays.stream(SourceKind.values()).map(Enum::name).collect(Collectors.joining(", "));
            throw new TypeConversionException("unknown kind '" + kind + "'; known: " + kinds);
        }
    }
    /** From {@code [KIND:]PATH}: a path alone is the output of {@code ibnetdiscover}. */
    public static final class KindIsOptional implements ITypeConverter<SourceArgument> {
        @Override
        public SourceArgument convert(String text) {
            boolean namesKind = Arrays.stream(SourceKind.values()).anyMatch(kind -> text.startsWith(kind.name() + ":"));
            return new Converter().convert(namesKind ? text : SourceKind.ibnetdiscover.name() + ":" + text);
        }
    }
}
