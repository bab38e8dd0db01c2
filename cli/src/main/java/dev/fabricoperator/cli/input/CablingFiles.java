/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.cli.objects.FabricSwitchFile;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTableReader;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.formats.PackedText;
import dev.fabricoperator.formats.SourceTexts;
import dev.fabricoperator.formats.TopologyFormat;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackReader;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Cabling from the files that the command line names. */
public final class CablingFiles {
    /** Characters by which the kind of a file is told. */
    private static final int BEGINNING = 4096;

    private static final String NO_CABLES =
            "forwarding tables, which know no cables: name them beside the map of their subnet, such as the output of ibnetdiscover";

    private CablingFiles() {}

    /**
     * What was read.
     *
     * @param files what to call it: one file, or several that were read together
     */
    record Read(String files, Cabling cabling) {}

    /**
     * What all files say.
     *
     * @param tables {@code null} where no file has any
     * @param tableProblems what was tolerated in them: who asks for a way without them gets another answer
     */
    record AllRead(List<Read> cablings, @Nullable ForwardingTables tables, List<Problem> tableProblems) {}

    /** Files that are read together, and how. */
    private record Together(List<String> files, SourceTexts texts) {}

    /**
     * What options of the command line say that goes with files.
     *
     * @param names of nodes of InfiniBand
     * @param labelKeys of labels of nodes, from the top to the leaf; empty for those that are found
     */
    public record Beside(NodeNameMap names, List<String> labelKeys) {
        static final Beside NOTHING = new Beside(NodeNameMap.NONE, List.of());

        public Beside {
            labelKeys = List.copyOf(labelKeys);
        }

        /** @throws BadInputException if it does not go with this file */
        private TextsBeside of(SourceArgument source, SourceKind kind) throws BadInputException {
            boolean isFormat = kind != SourceKind.fabricswitches && kind != SourceKind.lfts;
            if (!names.isEmpty()
                    && !(isFormat && TopologyFormat.valueOf(kind.name()).takesNodeNames())) {
                throw new BadInputException(
                        source.shownPath(),
                        1,
                        "a node name map goes with ibnetdiscover and OpenSM's list, and this is " + kind);
            }
            if (!labelKeys.isEmpty() && kind != SourceKind.NodeLabels) {
                throw new BadInputException(
                        source.shownPath(),
                        1,
                        "keys of labels go with " + SourceKind.NodeLabels + ", and this is " + kind);
            }
            TextsBeside files = source.path().equals(SourceArgument.STANDARD_INPUT)
                    ? TextsBeside.NONE
                    : new IncludedFiles(source.path());
            return files.with(names).with(labelKeys);
        }
    }

    /** What is done with a text and its kind. */
    private interface TextUse<T> {
        T use(SourceKind kind, Reader text) throws IOException, BadInputException;
    }

    /** Each by itself, one after the other; standard input can be read once only. */
    public static List<Cabling> readAll(List<SourceArgument> sources, Beside beside) throws Failure {
        requireOneStandardInput(sources);
        List<Cabling> cablings = new ArrayList<>();
        for (SourceArgument source : sources) {
            cablings.add(read(source, beside));
        }
        return cablings;
    }

    /** As {@link #readAll}, but files of a kind of which one leaves open what others tell are read together, and forwarding tables beside them. */
    static AllRead readTogether(List<SourceArgument> sources, Beside beside) throws Failure {
        requireOneStandardInput(sources);
        if (sources.size() == 1) {
            Read only = new Read(sources.getFirst().shownPath(), read(sources.getFirst(), beside));
            return new AllRead(List.of(only), null, List.of());
        }
        List<Read> read = new ArrayList<>();
        List<ForwardingTables> tables = new ArrayList<>();
        List<Problem> tableProblems = new ArrayList<>();
        Map<SourceKind, Together> together = new EnumMap<>(SourceKind.class);
        for (SourceArgument source : sources) {
            Optional<Cabling> whole = use(source, OutputStream.nullOutputStream(), (kind, text) -> {
                if (kind == SourceKind.lfts) {
                    readTables(source, text, tables, tableProblems);
                    return Optional.empty();
                }
                TextsBeside goesWith = beside.of(source, kind);
                SourceTexts texts = kind == SourceKind.fabricswitches
                        ? null
                        : TopologyFormat.valueOf(kind.name()).together();
                if (texts == null) {
                    return Optional.of(cabling(source, kind, text, goesWith));
                }
                Together ofKind = together.computeIfAbsent(kind, k -> new Together(new ArrayList<>(), texts));
                ofKind.files().add(source.shownPath());
                ofKind.texts().add(source.shownPath(), text, goesWith);
                return Optional.empty();
            });
            whole.ifPresent(cabling -> read.add(new Read(source.shownPath(), cabling)));
        }
        for (Together ofKind : together.values()) {
            String first = ofKind.files().getFirst();
            int more = ofKind.files().size() - 1;
            try {
                read.add(new Read(
                        more == 0 ? first : first + " and " + more + " more",
                        ofKind.texts().cabling()));
            } catch (BadInputException e) {
                throw Failure.badInput(String.valueOf(e.getMessage()), e);
            }
        }
        if (read.isEmpty()) {
            throw Failure.badInput(sources.getFirst().shownPath() + ":1: " + NO_CABLES, null);
        }
        ForwardingTables all = tables.isEmpty() ? null : ForwardingTables.of(tables);
        if (all != null) {
            tableProblems.addAll(all.problems());
        }
        return new AllRead(read, all, tableProblems);
    }

    /** Tables that cannot be used cost the ways that they tell, and nothing else. */
    private static void readTables(
            SourceArgument source, Reader text, List<ForwardingTables> tables, List<Problem> problems) {
        try {
            tables.add(ForwardingTableReader.read(source.shownPath(), text));
        } catch (BadInputException e) {
            problems.add(new Problem(e.file(), e.line(), e.wrong(), false));
        } catch (IOException e) {
            problems.add(new Problem(source.shownPath(), null, PackedText.reason(e), false));
        }
    }

    private static void requireOneStandardInput(List<SourceArgument> sources) throws Failure {
        long fromStandardInput = sources.stream()
                .filter(s -> s.path().equals(SourceArgument.STANDARD_INPUT))
                .count();
        if (fromStandardInput > 1) {
            throw Failure.wrongUsage("standard input ('-') can be named once only");
        }
    }

    /** @throws Failure if the file cannot be read or is not a whole dump; names file and line */
    public static Cabling read(SourceArgument source) throws Failure {
        return read(source, Beside.NOTHING);
    }

    private static Cabling read(SourceArgument source, Beside beside) throws Failure {
        return use(
                source,
                OutputStream.nullOutputStream(),
                (kind, text) -> cabling(source, kind, text, beside.of(source, kind)));
    }

    /** @throws Failure if the file cannot be read, or is no node name map; names file and line */
    public static NodeNameMap nodeNames(String path) throws Failure {
        // Its kind is named: nothing is guessed.
        return use(
                new SourceArgument(SourceKind.ibnetdiscover, path),
                OutputStream.nullOutputStream(),
                (kind, text) -> NodeNameMap.read(path, text));
    }

    /** What a file holds, and of which kind it is. */
    public record OfKind(SourceKind kind, Cabling cabling) {}

    /** As {@link #read(SourceArgument)}; {@code copy} gets the unpacked text, which has to do without the files that it includes. */
    public static OfKind read(SourceArgument source, OutputStream copy) throws Failure {
        return use(source, copy, (kind, text) -> new OfKind(kind, cabling(source, kind, text, TextsBeside.NONE)));
    }

    private static Cabling cabling(SourceArgument source, SourceKind kind, Reader text, TextsBeside beside)
            throws IOException, BadInputException {
        if (kind == SourceKind.lfts) {
            throw new BadInputException(source.shownPath(), 1, NO_CABLES);
        }
        return kind == SourceKind.fabricswitches
                ? FabricSwitchFile.read(source.shownPath(), text)
                : TopologyFormat.valueOf(kind.name()).read(source.shownPath(), text, beside);
    }

    private static <T> T use(SourceArgument source, OutputStream copy, TextUse<T> use) throws Failure {
        source.requireKnown();
        try (PackedText text = open(source, copy)) {
            try {
                PushbackReader whole = new PushbackReader(text, BEGINNING);
                SourceKind kind = source.kind() == null ? kind(source, beginning(whole)) : source.kind();
                return use.use(kind, whole);
            } catch (IOException e) {
                throw Failure.badInput(source.shownPath() + ":" + text.line() + ": " + PackedText.reason(e), e);
            }
        } catch (BadInputException e) {
            throw Failure.badInput(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw Failure.failed(source.shownPath() + ": cannot be closed: " + e.getMessage(), e);
        }
    }

    private static SourceKind kind(SourceArgument source, String beginning) throws BadInputException {
        SourceKind kind = SourceKind.of(beginning);
        String other = kind == SourceKind.ibnetdiscover ? OtherContent.of(beginning) : null;
        if (other != null) {
            throw new BadInputException(
                    source.shownPath(),
                    1,
                    "this is " + other + ". Read are "
                            + Arrays.stream(SourceKind.values())
                                    .map(SourceKind::toString)
                                    .collect(Collectors.joining(", "))
                            + "; where it is one of these, name it as KIND:FILE");
        }
        return kind;
    }

    private static PackedText open(SourceArgument source, OutputStream copy) throws Failure {
        InputStream raw = openRaw(source);
        try {
            return PackedText.open(raw, copy);
        } catch (IOException e) {
            throw Failure.badInput(source.shownPath() + ":1: " + PackedText.reason(e), e);
        }
    }

    private static InputStream openRaw(SourceArgument source) throws Failure {
        if (source.path().equals(SourceArgument.STANDARD_INPUT)) {
            return System.in;
        }
        try {
            Path path = Path.of(source.path());
            if (Files.isDirectory(path)) {
                throw Failure.badInput(source.path() + ": is a directory; name the file in it", null);
            }
            if (!Files.exists(path)) {
                throw Failure.badInput(source.path() + ": no such file", null);
            }
            return new FileInputStream(path.toFile());
        } catch (InvalidPathException e) {
            throw Failure.badInput(source.path() + ": not a path", e);
        } catch (FileNotFoundException e) {
            throw Failure.badInput(source.path() + ": cannot be opened: permission denied", e);
        }
    }

    private static String beginning(PushbackReader text) throws IOException {
        char[] first = new char[BEGINNING];
        int count = 0;
        for (int more = 0; count < BEGINNING && more >= 0; count += Math.max(more, 0)) {
            more = text.read(first, count, BEGINNING - count);
        }
        text.unread(first, 0, count);
        return new String(first, 0, count);
    }
}
