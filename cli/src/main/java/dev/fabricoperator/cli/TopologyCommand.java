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
import dev.fabricoperator.cli.output.OutputFormat;
import dev.fabricoperator.cli.output.Resources;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitchStatus;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.finding.GroupNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
final class TopologyCommand extends FabricCommand {
    @Parameters(paramLabel = SourceArgument.LABEL, description = SourceArgument.INSTEAD_OF_CLUSTER)
    List<SourceArgument> files = List.of();

    @Override
    public Integer call() throws IOException, Failure {
        FabricSet read = fabric.read(files);
        fabric.warn(files, read.problems());
        FabricSet found = fabric.name == null ? read : only(read.choose(fabric.name), read);
        Resources resources = new Resources(found);
        boolean wide = output.format == OutputFormat.wide;
        output.printList(resources.all(), () -> {
            List<TextTable> tables = tables(found, resources, wide);
            if (wide) {
                tables.add(devices(found, resources));
                tables.addAll(CellFormat.notes(unresolved(found)));
            }
            return tables;
        });
        return 0;
    }

    /** With the name of the fabric where there are several. */
    private static List<String> unresolved(FabricSet found) {
        boolean several = found.fabrics().size() > 1;
        return found.fabrics().stream()
                .flatMap(fabric -> fabric.model().unresolved().stream()
                        .map(sentence -> several ? fabric.name() + ": " + sentence : sentence))
                .toList();
    }

    private static FabricSet only(FoundFabric fabric, FabricSet of) {
        return new FabricSet(List.of(fabric), fabric.switches(), of.devicesOf(fabric), List.of(), List.of());
    }

    private static List<TextTable> tables(FabricSet found, Resources resources, boolean wide) {
        TextTable fabrics = new TextTable("FABRIC", "KIND", "DEVICES", "SWITCHES", "LINKS", "SHAPE")
                .leavingOut("LINKS")
                .orSaying("No fabric: nothing that was read holds devices.");
        TextTable devices = new TextTable("FABRIC", "PLANE", "DEVICES", "SWITCHES", "SHAPE").orSaying("No planes.");
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
        TextTable switches = new TextTable("SWITCH", "NAME", "MODEL", "FABRIC", "LEVEL", "GROUP", "COORDINATES")
                .leavingOut("MODEL", "FABRIC", "COORDINATES", "SWITCH")
                .orSaying("No switches.");
        Map<String, GroupNames> names = new HashMap<>();
        found.fabrics()
                .forEach(fabric -> names.put(
                        fabric.name(),
                        GroupNames.of(fabric.model().topology(), fabric.model().classification())));
        Map<String, Integer> sizes = new HashMap<>();
        found.switches().forEach(one -> sizes.merge(group(resources.status(one)), 1, Integer::sum));
        List<Switch> ordered = new ArrayList<>(found.switches());
        ordered.sort(Comparator.comparing((Switch one) -> place(resources.status(one), sizes), NaturalOrder.INSTANCE)
                .thenComparing(TopologyCommand::called, NaturalOrder.INSTANCE));
        for (Switch one : ordered) {
            FabricSwitchStatus status = resources.status(one);
            switches.row(
                    one.id(),
                    one.name(),
                    one.model(),
                    status == null ? null : status.fabric(),
                    status == null ? null : status.level(),
                    status == null || wide
                            ? status == null ? null : status.group()
                            : group(status, called(one), names.get(status.fabric())),
                    status == null ? null : logical(status.coordinates()));
        }
        return new ArrayList<>(List.of(fabrics, switches, devices));
    }

    /** Fabric, level, and group where that is more than the switch itself; those of no fabric last. */
    private static String place(@Nullable FabricSwitchStatus status, Map<String, Integer> sizes) {
        if (status == null) {
            return "~";
        }
        String place = status.fabric() + " " + Objects.requireNonNullElse(status.level(), Integer.MAX_VALUE);
        String group = group(status);
        return sizes.getOrDefault(group, 0) > 1 ? place + " " + group : place;
    }

    private static String group(@Nullable FabricSwitchStatus status) {
        return status == null
                ? ""
                : status.fabric() + " " + Objects.requireNonNullElse(status.group(), Integer.MAX_VALUE);
    }

    /** The site's word for a group where that says more than the switch's name. */
    private static @Nullable Object group(FabricSwitchStatus status, String name, @Nullable GroupNames names) {
        Integer group = status.group();
        return group == null
                        || names == null
                        || !names.isNamed(group)
                        || names.name(group).equals(name)
                ? group
                : names.name(group);
    }

    private static String called(Switch one) {
        return Objects.requireNonNullElse(one.name(), one.id());
    }

    private static TextTable devices(FabricSet found, Resources resources) {
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
        return table;
    }

    private static @Nullable String shape(FabricStatus status, String plane) {
        return status.shapes().stream()
                .filter(s -> s.plane().equals(plane) && s.view() == ViewName.logical)
                .map(s -> s.string())
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String logical(List<CoordinateStatus> coordinates) {
        List<Integer> values = CoordinateStatus.values(coordinates, ViewName.logical);
        return values.isEmpty() ? null : values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
