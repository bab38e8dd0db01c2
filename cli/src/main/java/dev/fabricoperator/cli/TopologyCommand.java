/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.FabricSet;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.input.FoundDevice;
import dev.fabricoperator.cli.input.FoundFabric;
import dev.fabricoperator.cli.input.SourceArgument;
import dev.fabricoperator.cli.output.DocumentWriter;
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.Resources;
import dev.fabricoperator.cli.output.StandardOutput;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.cabling.Switch;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code topology}: the fabrics of files or of a cluster. */
@Command(
        name = "topology",
        description = {
            "Show the fabrics in files, or of the cluster, as the operator fills them.",
            "JSON and YAML are a List of Fabric, FabricSwitch and FabricDevice; the table sums devices up, wide shows each."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric topology                                # of the cluster",
            "  kubectl fabric topology fabric.txt.gz",
            "  ibnetdiscover | kubectl fabric topology ibnetdiscover:- -o json",
            "  kubectl fabric topology rail0.txt rail1.txt -o yaml"
        })
final class TopologyCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = SourceArgument.LABEL,
            converter = SourceArgument.Converter.class,
            description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Mixin
    OutputOption output = new OutputOption();

    @Override
    public Integer call() throws IOException, Failure {
        FabricSet found = fabric.read(files);
        fabric.warn(files, found.problems());
        if (fabric.name != null) {
            FoundFabric one = found.choose(fabric.name);
            found = new FabricSet(List.of(one), one.switches(), found.devicesOf(one), List.of());
        }
        Resources resources = new Resources(found);
        try (OutputStream out = StandardOutput.open()) {
            if (output.format.isTable()) {
                writeTables(found, resources, out);
                if (output.format == OutputFormat.wide) {
                    out.write('\n');
                    writeDevices(found, resources, out);
                }
            } else {
                DocumentWriter.writeList(output.format, resources.all().iterator(), out);
            }
        }
        return 0;
    }

    private static void writeTables(FabricSet found, Resources resources, OutputStream out) throws IOException {
        TextTable fabrics = new TextTable("FABRIC", "KIND", "DEVICES", "SWITCHES", "LINKS", "SHAPE");
        TextTable devices = new TextTable("FABRIC", "PLANE", "DEVICES", "SWITCHES", "SHAPE");
        for (FoundFabric fabric : found.fabrics()) {
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
        for (Switch one : found.switches()) {
            FabricSwitchStatus status = resources.status(one);
            switches.row(
                    one.id(),
                    one.name(),
                    one.model(),
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

    private static void writeDevices(FabricSet found, Resources resources, OutputStream out) throws IOException {
        TextTable table = new TextTable("DEVICE", "FABRIC", "PLANE", "INDEX", "SWITCH", "PORT", "GROUP", "COORDINATES");
        for (FoundDevice device : found.devices()) {
            FabricDeviceStatus status = resources.status(device);
            table.row(
                    device.name(),
                    status.fabric(),
                    status.plane(),
                    status.index(),
                    status.switchId(),
                    status.switchPort(),
                    status.group(),
                    logical(status.coordinates()));
        }
        table.writeTo(out);
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
