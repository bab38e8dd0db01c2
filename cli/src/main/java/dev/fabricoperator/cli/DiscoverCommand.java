/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.cli.output.Resource;
import dev.fabricoperator.cli.output.TextTable;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.discovery.HostDiscovery;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code discover}: the fabric devices of a host. */
@Command(
        name = "discover",
        description = {
            "Show the fabric devices of a host, as its node's agent would publish them.",
            "Reads files only; what cannot be read is named, and absent fields are unknown."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  kubectl fabric discover",
            "  kubectl fabric discover --root /mnt/recorded-host -o json",
            "  kubectl fabric discover --node-name worker-7 -o yaml"
        })
final class DiscoverCommand implements Callable<Integer> {
    @Option(
            names = "--root",
            paramLabel = "DIR",
            defaultValue = "/",
            description = "Directory that holds the host's sys, proc and etc; default ${DEFAULT-VALUE}.")
    Path root = Path.of("/");

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "Kubernetes node to name in the objects; default none, and names begin with the hostname.")
    @Nullable
    String nodeName;

    @Mixin
    OutputOption output = new OutputOption();

    @Spec
    @Nullable
    CommandSpec spec;

    @Override
    public Integer call() throws IOException, Failure {
        if (!Files.isDirectory(root)) {
            throw Failure.badInput(root + (Files.exists(root) ? ": is no directory" : ": no such directory"), null);
        }
        if (!Files.isDirectory(root.resolve("sys"))) {
            throw Failure.badInput(root + ": holds no 'sys'; name the directory that holds sys, proc and etc", null);
        }
        DiscoveryResult found = HostDiscovery.discover(PathHostTree.of(root));
        warn(found.errors());
        found.devices().forEach(device -> warn(device.readErrors()));
        output.printList(resources(found), () -> List.of(table(found.devices())));
        return 0;
    }

    private void warn(List<ReadError> errors) {
        PrintWriter err = Objects.requireNonNull(spec).commandLine().getErr();
        errors.forEach(e -> err.println("warning: " + e.file() + ": " + e.reason()));
    }

    private static TextTable table(List<Device> devices) {
        TextTable table = new TextTable(
                "DEVICE", "PORT", "FAMILY", "FUNCTION", "ROLE", "STATE", "GBIT/S", "NUMA", "PCI", "NETDEV", "MODEL");
        for (Device device : devices) {
            Long speed = device.speedBitsPerSecond();
            table.row(
                    device.osName(),
                    device.port(),
                    device.family(),
                    device.function(),
                    device.role(),
                    device.state(),
                    CellFormat.gigabits(speed),
                    device.numaNode(),
                    device.pci() == null ? null : device.pci().address(),
                    device.netdev(),
                    device.model());
        }
        return table.leavingOut("PCI", "NUMA", "NETDEV", "FUNCTION", "MODEL")
                .orSaying("No fabric devices: this host shows none below sys/class/infiniband and sys/class/net.");
    }

    private Stream<Resource> resources(DiscoveryResult found) {
        Set<String> taken = new HashSet<>();
        return found.devices().stream().map(device -> {
            String owner = nodeName == null ? device.hostname() : nodeName;
            String plain = ObjectNames.device(owner, device.osName(), device.port());
            String name =
                    taken.add(plain) ? plain : ObjectNames.deviceBesideItsTwin(owner, device.osName(), device.port());
            return new Resource(
                    FabricApi.API_VERSION,
                    "FabricDevice",
                    new Resource.Metadata(name, Map.of()),
                    DeviceMapper.toSpec(nodeName, device, error -> null),
                    null);
        });
    }
}
