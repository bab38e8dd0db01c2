/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.OfflineDevice;
import dev.fabricoperator.cli.input.OfflineTopology;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.NpyFile;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.cost.CostMatrix;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cost}: what communication costs between devices of a dump. */
@Command(
        name = "cost",
        description = {
            "Show the relative cost of communication between fabric devices: of a pair, from one to all, or all.",
            "0 is the device itself, 65535 unreachable; costs have no unit and compare within one fabric.",
            "ID: an object name, deviceId, port or node GUID, host/osName[:port]."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric cost ibnetdiscover:fabric.txt.gz --from node001/mlx5_0 --to node002/mlx5_0",
            "  kubectl fabric cost ibnetdiscover:fabric.txt.gz --row 248a0703002e61db -o json",
            "  kubectl fabric cost ibnetdiscover:fabric.txt.gz --out cost.npy   # numpy.load('cost.npy')"
        })
final class CostCommand implements Callable<Integer> {
    /** A dump is read once and does not change: all answers about it are of one generation. */
    private static final long GENERATION = 1;

    @Parameters(
            arity = "1..*",
            paramLabel = "KIND:PATH",
            converter = SourceArgument.Converter.class,
            description = "Dumps; KIND is ibnetdiscover, the file plain, gzip or xz, or '-' for standard input.")
    List<SourceArgument> dumps = List.of();

    @ArgGroup(multiplicity = "1", heading = "What to show:%n")
    Question question = new Question();

    @Option(
            names = "--fabric",
            paramLabel = "NAME",
            description = "With --out, of which fabric; default is the one with most devices.")
    @Nullable
    String fabric;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default table.")
    OutputFormat format = OutputFormat.table;

    static final class Question {
        @ArgGroup(exclusive = false)
        @Nullable
        Pair pair;

        @Option(
                names = "--row",
                required = true,
                paramLabel = "ID",
                description = "Costs from this device to all of its fabric.")
        @Nullable
        String row;

        @Option(
                names = "--out",
                required = true,
                paramLabel = "FILE.npy",
                description = "Write the whole matrix as NumPy file: unsigned 16 bit, row is from, column is to.")
        @Nullable
        String out;
    }

    static final class Pair {
        @Option(names = "--from", required = true, paramLabel = "ID", description = "Cost from this device ...")
        String from = "";

        @Option(names = "--to", required = true, paramLabel = "ID", description = "... to this one.")
        String to = "";
    }

    @JsonPropertyOrder({"from", "to", "generation", "cost"})
    record PairDocument(String from, String to, long generation, int cost) {}

    @JsonPropertyOrder({"from", "generation", "costs"})
    record RowDocument(String from, long generation, List<RowEntry> costs) {}

    @JsonPropertyOrder({"to", "port", "device", "index", "cost"})
    record RowEntry(String to, int port, String device, int index, int cost) {}

    @JsonPropertyOrder({"file", "fabric", "vertices", "generation", "digest"})
    record MatrixDocument(String file, String fabric, int vertices, long generation, String digest) {}

    @Override
    public Integer call() throws IOException, Failure {
        OfflineTopology topology = OfflineTopology.read(dumps);
        if (topology.fabrics().isEmpty()) {
            throw Failure.badInput(dumps.getFirst().shownPath() + ": no devices in it, so there is no cost", null);
        }
        if (question.out != null) {
            writeMatrix(topology, question.out);
            return 0;
        }
        DeviceFinder finder = new DeviceFinder(topology.devices());
        try (OutputStream out = StandardOutput.open()) {
            if (question.row != null) {
                writeRow(topology, finder.find(question.row), out);
            } else if (question.pair != null) {
                writePair(finder.find(question.pair.from), finder.find(question.pair.to), out);
            }
        }
        return 0;
    }

    private void writePair(OfflineDevice from, OfflineDevice to, OutputStream out) throws IOException {
        // No cable leads from one fabric to another.
        int cost = from.fabric().name().equals(to.fabric().name())
                ? from.fabric().model().cost().cost(from.slot(), to.slot())
                : CostMatrix.UNREACHABLE;
        if (format == OutputFormat.table) {
            TextTable table = new TextTable("FROM", "TO", "COST");
            table.row(from.objectName(), to.objectName(), shown(cost));
            table.writeTo(out);
        } else {
            DocumentWriter.write(format, new PairDocument(from.shownId(), to.shownId(), GENERATION, cost), out);
        }
    }

    private void writeRow(OfflineTopology topology, OfflineDevice from, OutputStream out) throws IOException {
        CostMatrix matrix = from.fabric().model().cost();
        short[] row = new short[matrix.vertices()];
        matrix.row(from.slot(), row);
        List<RowEntry> costs = new ArrayList<>(row.length);
        for (OfflineDevice to : topology.devicesOf(from.fabric())) {
            int cost = Short.toUnsignedInt(row[to.slot()]);
            costs.add(new RowEntry(to.shownId(), to.device().port(), to.objectName(), to.slot(), cost));
        }
        if (format == OutputFormat.table) {
            TextTable table = new TextTable("TO", "PORT", "DEVICE", "INDEX", "COST");
            costs.forEach(c -> table.row(c.to(), c.port(), c.device(), c.index(), shown(c.cost())));
            table.writeTo(out);
        } else {
            DocumentWriter.write(format, new RowDocument(from.shownId(), GENERATION, costs), out);
        }
    }

    private void writeMatrix(OfflineTopology topology, String file) throws IOException, Failure {
        OfflineFabric chosen = chosenFabric(topology.fabrics());
        CostMatrix matrix = chosen.model().cost();
        try {
            NpyFile.write(matrix, Path.of(file));
        } catch (InvalidPathException e) {
            throw Failure.wrongUsage("--out " + file + " is not a path");
        } catch (FileSystemException e) {
            String reason = e.getReason() != null ? e.getReason() : e.getClass().getSimpleName();
            throw Failure.failed(file + ": cannot be written: " + reason, e);
        } catch (IOException e) {
            throw Failure.failed(file + ": cannot be written: " + e.getMessage(), e);
        }
        try (OutputStream out = StandardOutput.open()) {
            if (format == OutputFormat.table) {
                TextTable table = new TextTable("FILE", "FABRIC", "VERTICES", "DIGEST");
                table.row(file, chosen.name(), matrix.vertices(), matrix.digest());
                table.writeTo(out);
            } else {
                MatrixDocument document =
                        new MatrixDocument(file, chosen.name(), matrix.vertices(), GENERATION, matrix.digest());
                DocumentWriter.write(format, document, out);
            }
        }
    }

    private OfflineFabric chosenFabric(List<OfflineFabric> fabrics) throws Failure {
        if (fabric == null) {
            return fabrics.getFirst();
        }
        List<String> names = new ArrayList<>();
        for (OfflineFabric candidate : fabrics) {
            if (candidate.name().equals(fabric)) {
                return candidate;
            }
            names.add(candidate.name());
        }
        throw Failure.wrongUsage("no fabric '" + fabric + "'; there is " + String.join(", ", names));
    }

    private static String shown(int cost) {
        return cost == CostMatrix.UNREACHABLE ? "unreachable" : Integer.toString(cost);
    }
}
