/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.OfflineTopology;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.OfflineResources;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code topology}: the fabrics, switches and devices that dumps show. */
@Command(
        name = "topology",
        description = {
            "Show the fabrics in one or several dumps: kind, coordinates, groups, planes, as the operator fills them.",
            "JSON and YAML are a List of Fabric, FabricSwitch and FabricDevice; the table sums the devices up."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric topology ibnetdiscover:fabric.txt.gz",
            "  ibnetdiscover | kubectl fabric topology ibnetdiscover:- -o json",
            "  kubectl fabric topology ibnetdiscover:rail0.txt ibnetdiscover:rail1.txt -o yaml"
        })
final class TopologyCommand implements Callable<Integer> {
    private static final int SHOWN_PROBLEMS = 5;

    @Parameters(
            arity = "1..*",
            paramLabel = "KIND:PATH",
            converter = SourceArgument.Converter.class,
            description = "Dumps; KIND is ibnetdiscover, the file plain, gzip or xz, or '-' for standard input.")
    List<SourceArgument> dumps = List.of();

    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default table.")
    OutputFormat format = OutputFormat.table;

    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public Integer call() throws IOException, Failure {
        OfflineTopology topology = OfflineTopology.read(dumps);
        warn(topology.cabling().problems());
        OfflineResources resources = new OfflineResources(topology);
        try (OutputStream out = StandardOutput.open()) {
            if (format == OutputFormat.table) {
                writeTables(topology, resources, out);
            } else {
                DocumentWriter.writeList(format, resources.all().iterator(), out);
            }
        }
        return 0;
    }

    private void warn(List<Problem> problems) {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        String file = dumps.size() == 1 ? dumps.getFirst().shownPath() + ":" : "";
        for (Problem problem : problems.subList(0, Math.min(SHOWN_PROBLEMS, problems.size()))) {
            String line = problem.line() == null ? " " : (file.isEmpty() ? "line " : "") + problem.line() + ": ";
            err.println("warning: " + file + line + problem.message());
        }
        if (problems.size() > SHOWN_PROBLEMS) {
            err.println("warning: and " + (problems.size() - SHOWN_PROBLEMS) + " more like these");
        }
    }

    private static void writeTables(OfflineTopology topology, OfflineResources resources, OutputStream out)
            throws IOException {
        TextTable fabrics = new TextTable("FABRIC", "KIND", "DEVICES", "SWITCHES", "LINKS", "SHAPE");
        TextTable devices = new TextTable("FABRIC", "PLANE", "DEVICES", "SWITCHES", "SHAPE");
        for (OfflineFabric fabric : topology.fabrics()) {
            FabricStatus status = resources.status(fabric);
            fabrics.row(
                    fabric.name(),
                    status.kind(),
                    status.devices(),
                    status.switches(),
                    status.links(),
                    status.shapeString());
            for (PlaneStatus plane : status.planes()) {
                devices.row(fabric.name(), plane.id(), plane.devices(), plane.switches(), shape(status, plane.id()));
            }
        }
        TextTable switches = new TextTable("SWITCH", "NAME", "MODEL", "FABRIC", "LEVEL", "GROUP", "COORDINATES");
        for (Switch found : topology.cabling().switches()) {
            FabricSwitchStatus status = resources.status(found);
            switches.row(
                    found.id(),
                    found.name(),
                    found.model(),
                    status == null ? null : status.fabric(),
                    status == null ? null : status.level(),
                    status == null ? null : status.group(),
                    status == null ? null : logical(status.coordinates()));
        }
        fabrics.writeTo(out);
        out.write('\n');
        switches.writeTo(out);
        out.write('\n');
        devices.writeTo(out);
    }

    private static @Nullable String shape(FabricStatus status, String plane) {
        return status.shapes().stream()
                .filter(s -> s.plane().equals(plane) && s.view() == ViewName.logical)
                .map(s -> s.string())
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String logical(List<CoordinateStatus> coordinates) {
        return coordinates.stream()
                .filter(c -> c.view() == ViewName.logical)
                .map(c -> c.values().stream().map(String::valueOf).collect(Collectors.joining(",")))
                .findFirst()
                .orElse(null);
    }
}
