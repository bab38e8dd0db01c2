/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.cli.answer.FabricAnswers;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.NpyFile;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.view.answer.BlockAnswer;
import dev.fabricoperator.view.answer.GroupCostAnswer;
import dev.fabricoperator.view.answer.NodesCostAnswer;
import dev.fabricoperator.view.answer.PairAnswer;
import dev.fabricoperator.view.answer.RowAnswer;
import dev.fabricoperator.view.question.Question;
import dev.fabricoperator.view.question.SwitchFinder;
import dev.fabricoperator.view.question.UnansweredException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cost}: what communication costs between devices of a dump. */
@Command(
        name = "cost",
        description = {
            "Show the relative cost of communication between fabric devices.",
            "Of a pair, from one to all, from some to others, between hosts, to a group, or all.",
            "0 is the device itself, 65535 unreachable; costs have no unit and compare within one fabric.",
            "ID: a device's object name, deviceId, port or node GUID, host/osName[:port]; for several devices",
            "a host, a switch, a port of one (leaf-01:17), a list (node[0001-0004]): of a pair the nearest two."
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
final class CostCommand extends FabricCommand {
    @Parameters(paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @ArgGroup(multiplicity = "0..1", heading = "What to show:%n")
    @Nullable
    Asked question;

    static final class Asked {
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
                paramLabel = "ID",
                description = "Costs from these devices, with commas between them ...")
        List<String> rows = List.of();

        @Option(names = "--cols", required = true, paramLabel = "ID", description = "... to these.")
        List<String> cols = List.of();
    }

    @JsonPropertyOrder({"file", "fabric", "vertices", "generation", "digest"})
    record MatrixDocument(String file, String fabric, int vertices, long generation, String digest) {}

    /** Words with commas between them, at least one; commas inside brackets are a host list's. */
    private static List<String> separated(List<String> texts) throws Failure {
        List<String> words = new ArrayList<>();
        for (String text : texts) {
            try {
                words.addAll(HostList.words(text));
            } catch (HostList.BadHostList e) {
                throw Failure.wrongUsage("'" + text + "': " + e.getMessage());
            }
        }
        if (words.isEmpty()) {
            throw Failure.wrongUsage("'" + String.join(" ", texts) + "' names nothing");
        }
        return words;
    }

    private static List<String> expanded(String list) throws Failure {
        try {
            return SwitchFinder.expanded("nodes", list);
        } catch (UnansweredException e) {
            throw Failure.wrongUsage(e.getMessage());
        }
    }

    /** Hosts of lists, each by itself and once. */
    private static List<String> hosts(List<String> texts) throws Failure {
        Set<String> hosts = new LinkedHashSet<>();
        for (String text : separated(texts)) {
            hosts.addAll(expanded(text));
        }
        return List.copyOf(hosts);
    }

    @Override
    public Integer call() throws IOException, Failure {
        if (question == null) {
            throw Failure.wrongUsage(
                    "what to show is missing: --from and --to, --row, --nodes, --from-node and --to-node,"
                            + " --rows and --cols, --device and --group, or --out; see --help");
        }
        return show(question);
    }

    private Integer show(Asked question) throws IOException, Failure {
        try (FabricAnswers answers = fabric.answers(files)) {
            if (question.out != null) {
                writeMatrix(answers.matrix(fabric.name), question.out);
            } else if (question.row != null) {
                print(answers.ask(new Question.Row(question.row)), CostCommand::rowTable);
            } else if (question.pair != null) {
                print(answers.ask(new Question.Pair(question.pair.from, question.pair.to)), CostCommand::pairTable);
            } else if (question.block != null) {
                print(
                        answers.ask(new Question.Block(separated(question.block.rows), separated(question.block.cols))),
                        CostCommand::blockTable);
            } else if (question.hosts != null) {
                print(answers.ask(new Question.Hosts(fabric.name, hosts(question.hosts))), CostCommand::blockTable);
            } else if (question.nodes != null) {
                print(
                        answers.ask(new Question.Nodes(fabric.name, question.nodes.from, question.nodes.to, null)),
                        CostCommand::nodesTable);
            } else if (question.reach != null) {
                print(
                        answers.ask(new Question.ToGroup(question.reach.device, question.reach.group, null)),
                        CostCommand::reachTable);
            }
        }
        return 0;
    }

    private <A> void print(A answer, Function<A, TextTable> table) throws IOException, Failure {
        output.print(answer, () -> List.of(table.apply(answer)));
    }

    private static TextTable blockTable(BlockAnswer block) {
        List<String> headings = new ArrayList<>(List.of("FROM"));
        headings.addAll(block.to());
        TextTable table = new TextTable(headings.toArray(String[]::new)).inParts();
        for (int row = 0; row < block.from().size(); row++) {
            List<Object> cells = new ArrayList<>(List.of(block.from().get(row)));
            block.costs().get(row).forEach(cost -> cells.add(CellFormat.cost(cost)));
            table.row(cells.toArray());
        }
        return table;
    }

    private static TextTable nodesTable(NodesCostAnswer answer) {
        TextTable table = new TextTable("PLANE", "FROM", "TO", "COST");
        answer.planes().forEach(plane -> {
            NodesCostAnswer.Pair best = plane.best();
            table.row(plane.plane(), best.fromDevice(), best.toDevice(), CellFormat.cost(best.cost()));
        });
        table.row("best", answer.from(), answer.to(), CellFormat.cost(answer.cost()));
        return table;
    }

    private static TextTable reachTable(GroupCostAnswer answer) {
        TextTable table = new TextTable("FROM", "GROUP", "DEVICES", "MINIMUM", "MEAN").leavingOut("DEVICES");
        Double mean = answer.mean();
        table.row(
                answer.from(),
                answer.group(),
                answer.devices(),
                CellFormat.cost(answer.minimum()),
                mean == null ? CellFormat.cost(CostMatrix.UNREACHABLE) : Math.round(100 * mean) / 100.0);
        return table;
    }

    private static TextTable pairTable(PairAnswer answer) {
        TextTable table = new TextTable("FROM", "TO", "COST");
        table.row(answer.fromDevice(), answer.toDevice(), CellFormat.cost(answer.cost()));
        return table;
    }

    private static TextTable rowTable(RowAnswer row) {
        TextTable table = new TextTable("TO", "PORT", "DEVICE", "INDEX", "COST").leavingOut("INDEX", "PORT", "TO");
        row.costs().forEach(c -> table.row(c.to(), c.port(), c.device(), c.index(), CellFormat.cost(c.cost())));
        return table;
    }

    private void writeMatrix(FabricAnswers.Matrix matrix, String file) throws IOException, Failure {
        try {
            NpyFile.write(matrix, Path.of(file));
        } catch (InvalidPathException e) {
            throw Failure.wrongUsage("--out " + file + " is not a path");
        } catch (FileSystemException e) {
            String reason = e instanceof NoSuchFileException
                    ? "its directory is not there"
                    : Objects.requireNonNullElse(e.getReason(), e.getClass().getSimpleName());
            throw Failure.failed(file + ": cannot be written: " + reason, e);
        } catch (IOException e) {
            throw Failure.failed(file + ": cannot be written: " + e.getMessage(), e);
        }
        print(
                new MatrixDocument(file, matrix.fabric(), matrix.vertices(), matrix.generation(), matrix.digest()),
                CostCommand::matrixTable);
    }

    private static TextTable matrixTable(MatrixDocument matrix) {
        TextTable table = new TextTable("FILE", "FABRIC", "VERTICES", "DIGEST").leavingOut("DIGEST");
        table.row(matrix.file(), matrix.fabric(), matrix.vertices(), matrix.digest());
        return table;
    }
}
