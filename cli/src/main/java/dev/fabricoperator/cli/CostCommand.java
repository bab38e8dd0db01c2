/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.input.DeviceFinder;
import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.NpyFile;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.answer.BlockAnswer;
import dev.fabricoperator.crds.answer.GroupCostAnswer;
import dev.fabricoperator.crds.answer.NodesCostAnswer;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cost}: what communication costs between devices of a dump. */
@Command(
        name = "cost",
        description = {
            "Show the relative cost of communication between fabric devices.",
            "Of a pair, from one to all, from some to others, between hosts, to a group, or all.",
            "0 is the device itself, 65535 unreachable; costs have no unit and compare within one fabric.",
            "ID: an object name, deviceId, port or node GUID, host/osName[:port]."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric cost --from node001/mlx5_0 --to node002/mlx5_0",
            "  kubectl fabric cost fabric.txt.gz --from-node node001 --to-node node002",
            "  kubectl fabric cost fabric.txt.gz --nodes node001,node002,node003",
            "  kubectl fabric cost fabric.txt.gz --rows node001/mlx5_0,node002/mlx5_0 --cols node003/mlx5_0",
            "  kubectl fabric cost --device node001/mlx5_0 --group 3",
            "  kubectl fabric cost fabric.txt.gz --row 248a0703002e61db -o json",
            "  kubectl fabric cost fabric.txt.gz --out cost.npy   # numpy.load('cost.npy')"
        })
final class CostCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = SourceArgument.LABEL,
            converter = SourceArgument.Converter.class,
            description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @ArgGroup(multiplicity = "1", heading = "What to show:%n")
    Question question = new Question();

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Mixin
    OutputOption output = new OutputOption();

    static final class Question {
        @ArgGroup(exclusive = false)
        @Nullable
        Pair pair;

        @ArgGroup(exclusive = false)
        @Nullable
        Nodes nodes;

        @ArgGroup(exclusive = false)
        @Nullable
        Reach reach;

        @ArgGroup(exclusive = false)
        @Nullable
        Block block;

        @Option(
                names = "--nodes",
                required = true,
                split = ",",
                paramLabel = "HOST",
                description = "Costs of the best pairs of these hosts, each with each.")
        @Nullable
        List<String> hosts;

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

    static final class Nodes {
        @Option(names = "--from-node", required = true, paramLabel = "HOST", description = "Cost from this host ...")
        String from = "";

        @Option(
                names = "--to-node",
                required = true,
                paramLabel = "HOST",
                description = "... to this one: of the best pair, and of the best pair of each plane.")
        String to = "";
    }

    static final class Reach {
        @Option(names = "--device", required = true, paramLabel = "ID", description = "Cost from this device ...")
        String device = "";

        @Option(
                names = "--group",
                required = true,
                paramLabel = "GROUP",
                description = "... to the devices of this group, itself apart: the minimum and the mean.")
        int group;
    }

    static final class Block {
        @Option(
                names = "--rows",
                required = true,
                split = ",",
                paramLabel = "ID",
                description = "Costs from these devices, with commas between them ...")
        List<String> rows = List.of();

        @Option(names = "--cols", required = true, split = ",", paramLabel = "ID", description = "... to these.")
        List<String> cols = List.of();
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
        FabricSet found = fabric.read(files);
        if (found.fabrics().isEmpty()) {
            throw Failure.badInput(files.getFirst().shownPath() + ": no devices in it, so there is no cost", null);
        }
        if (question.out != null) {
            writeMatrix(found.choose(fabric.name), question.out);
            return 0;
        }
        DeviceFinder finder = new DeviceFinder(found.devices());
        CostAnswers answers = new CostAnswers(found, fabric.name);
        try (OutputStream out = StandardOutput.open()) {
            if (question.row != null) {
                writeRow(found, finder.find(question.row), out);
            } else if (question.pair != null) {
                writePair(finder.find(question.pair.from), finder.find(question.pair.to), out);
            } else if (question.block != null) {
                writeBlock(answers.block(question.block.rows, question.block.cols), out);
            } else if (question.hosts != null) {
                writeBlock(answers.hosts(question.hosts), out);
            } else if (question.nodes != null) {
                writeNodes(answers.nodes(question.nodes.from, question.nodes.to), out);
            } else if (question.reach != null) {
                writeReach(answers.toGroup(finder.find(question.reach.device), question.reach.group), out);
            }
        }
        return 0;
    }

    private void writeBlock(BlockAnswer block, OutputStream out) throws IOException {
        if (!output.format.isTable()) {
            DocumentWriter.write(output.format, block, out);
            return;
        }
        List<String> headings = new ArrayList<>(List.of("FROM"));
        headings.addAll(block.to());
        TextTable table = new TextTable(headings.toArray(String[]::new));
        for (int row = 0; row < block.from().size(); row++) {
            List<Object> cells = new ArrayList<>(List.of(block.from().get(row)));
            block.costs().get(row).forEach(cost -> cells.add(Shown.cost(cost)));
            table.row(cells.toArray());
        }
        table.writeTo(out);
    }

    private void writeNodes(NodesCostAnswer answer, OutputStream out) throws IOException {
        if (!output.format.isTable()) {
            DocumentWriter.write(output.format, answer, out);
            return;
        }
        TextTable table = new TextTable("PLANE", "FROM", "TO", "COST");
        answer.planes().forEach(plane -> {
            NodesCostAnswer.Pair best = plane.best();
            table.row(plane.plane(), best.fromDevice(), best.toDevice(), Shown.cost(best.cost()));
        });
        table.row("best", answer.from(), answer.to(), Shown.cost(answer.cost()));
        table.writeTo(out);
    }

    private void writeReach(GroupCostAnswer answer, OutputStream out) throws IOException {
        if (!output.format.isTable()) {
            DocumentWriter.write(output.format, answer, out);
            return;
        }
        TextTable table = new TextTable("FROM", "GROUP", "DEVICES", "MINIMUM", "MEAN");
        Double mean = answer.mean();
        table.row(
                answer.from(),
                answer.group(),
                answer.devices(),
                Shown.cost(answer.minimum()),
                mean == null ? Shown.cost(CostMatrix.UNREACHABLE) : Math.round(100 * mean) / 100.0);
        table.writeTo(out);
    }

    private void writePair(FoundDevice from, FoundDevice to, OutputStream out) throws IOException {
        // No cable leads from one fabric to another.
        int cost = from.fabric() == to.fabric()
                ? from.fabric().model().cost().cost(from.slot(), to.slot())
                : CostMatrix.UNREACHABLE;
        if (output.format.isTable()) {
            TextTable table = new TextTable("FROM", "TO", "COST");
            table.row(from.name(), to.name(), Shown.cost(cost));
            table.writeTo(out);
        } else {
            DocumentWriter.write(
                    output.format,
                    new PairDocument(from.shownId(), to.shownId(), from.fabric().generation(), cost),
                    out);
        }
    }

    private void writeRow(FabricSet topology, FoundDevice from, OutputStream out) throws IOException {
        CostMatrix matrix = from.fabric().model().cost();
        short[] row = new short[matrix.vertices()];
        matrix.row(from.slot(), row);
        List<RowEntry> costs = new ArrayList<>(row.length);
        for (FoundDevice to : topology.devicesOf(from.fabric())) {
            int cost = Short.toUnsignedInt(row[to.slot()]);
            costs.add(new RowEntry(to.shownId(), to.spec().port(), to.name(), to.slot(), cost));
        }
        if (output.format.isTable()) {
            TextTable table = new TextTable("TO", "PORT", "DEVICE", "INDEX", "COST");
            costs.forEach(c -> table.row(c.to(), c.port(), c.device(), c.index(), Shown.cost(c.cost())));
            table.writeTo(out);
        } else {
            DocumentWriter.write(
                    output.format, new RowDocument(from.shownId(), from.fabric().generation(), costs), out);
        }
    }

    private void writeMatrix(FoundFabric chosen, String file) throws IOException, Failure {
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
            if (output.format.isTable()) {
                TextTable table = new TextTable("FILE", "FABRIC", "VERTICES", "DIGEST");
                table.row(file, chosen.name(), matrix.vertices(), matrix.digest());
                table.writeTo(out);
            } else {
                MatrixDocument document = new MatrixDocument(
                        file, chosen.name(), matrix.vertices(), chosen.generation(), matrix.digest());
                DocumentWriter.write(output.format, document, out);
            }
        }
    }
}
