/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.cli.output.Progress;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.finding.ExemptHosts;
import dev.fabricoperator.fabric.route.PortAddress;
import dev.fabricoperator.fabric.route.Routes;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.question.DeviceFinder;
import dev.fabricoperator.view.question.Devices;
import dev.fabricoperator.view.question.UnansweredException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All fabrics that files or a cluster show, with the names that their objects have.
 *
 * @param fabrics the default one first: of files that with most devices
 * @param switches ascending by id, also those that reach no device
 * @param devices in the order of fabrics and slots
 * @param problems what was tolerated in files
 * @param routeProblems what was tolerated in forwarding tables, and how they do not fit the rest
 */
public record FabricSet(
        List<FoundFabric> fabrics,
        List<Switch> switches,
        List<FoundDevice> devices,
        List<Problem> problems,
        List<Problem> routeProblems) {
    public FabricSet {
        routeProblems = List.copyOf(routeProblems);
        fabrics = List.copyOf(fabrics);
        switches = List.copyOf(switches);
        devices = List.copyOf(devices);
        problems = List.copyOf(problems);
    }

    /** @throws Failure if a file cannot be read or is not a whole dump */
    public static FabricSet read(List<SourceArgument> sources) throws Failure {
        return read(sources, CablingFiles.Beside.NOTHING, ExemptHosts.NONE);
    }

    /** As {@link #read(List)}, with what goes with files, and hosts that are not meant to have as many devices as others. */
    public static FabricSet read(List<SourceArgument> sources, CablingFiles.Beside beside, ExemptHosts exempt)
            throws Failure {
        Progress.says("reading " + sources.getFirst().shownPath()
                + (sources.size() == 1 ? "" : " and " + (sources.size() - 1) + " more"));
        CablingFiles.AllRead all = CablingFiles.readTogether(sources, beside);
        List<CablingFiles.Read> read = all.cablings();
        Progress.says("building the fabric");
        return of(
                MergedCabling.of(
                        read.stream().map(CablingFiles.Read::files).toList(),
                        read.stream().map(CablingFiles.Read::cabling).toList()),
                exempt,
                all.tables(),
                all.tableProblems());
    }

    private static FabricSet of(
            Cabling cabling, ExemptHosts exempt, @Nullable ForwardingTables tables, List<Problem> tableProblems) {
        List<OfflineFabric> fabrics = OfflineFabrics.of(cabling);
        Map<String, Integer> wanted = new HashMap<>();
        for (OfflineFabric fabric : fabrics) {
            fabric.devices().forEach(d -> wanted.merge(name(d, false), 1, Integer::sum));
        }
        List<FoundFabric> found = new ArrayList<>();
        List<FoundDevice> devices = new ArrayList<>();
        List<Problem> routeProblems = new ArrayList<>(tableProblems);
        if (tables != null) {
            routeProblems.addAll(tables.against(namesOf(cabling.switches())));
        }
        for (OfflineFabric fabric : fabrics) {
            Routes routes = tables == null ? null : routes(fabric, tables);
            if (routes != null) {
                routeProblems.addAll(routes.problems());
            }
            FoundFabric one = new FoundFabric(
                    fabric.name(),
                    found.size(),
                    1,
                    vendor(fabric),
                    fabric.name(),
                    FabricSpecBuilder.builder().build(),
                    fabric.switches(),
                    fabric.model().exempting(exempt),
                    null,
                    routes);
            found.add(one);
            int slot = 0;
            for (Device device : fabric.devices()) {
                boolean taken = Objects.requireNonNull(wanted.get(name(device, false))) > 1;
                devices.add(new FoundDevice(
                        one, slot++, DeviceMapper.toSpec(null, device, error -> null), name(device, taken)));
            }
        }
        List<Problem> problems = new ArrayList<>(cabling.problems());
        Problem planes = OfflineFabrics.planesApart(fabrics);
        if (planes != null) {
            // Of many warnings the first are shown.
            problems.addFirst(planes);
        }
        return new FabricSet(found, cabling.switches(), devices, problems, routeProblems);
    }

    private static Map<String, String> namesOf(List<Switch> switches) {
        Map<String, String> names = new HashMap<>();
        switches.forEach(one -> names.put(one.id(), Objects.requireNonNullElse(one.name(), one.id())));
        return names;
    }

    private static @Nullable Routes routes(OfflineFabric fabric, ForwardingTables tables) {
        List<Device> devices = fabric.devices();
        return Routes.of(
                fabric.model().topology(),
                tables,
                slot -> new PortAddress(
                        devices.get(slot).portGuid(), devices.get(slot).lid()),
                Routes.lids(fabric.switches()));
    }

    public List<FoundDevice> devicesOf(FoundFabric fabric) {
        return devices.stream().filter(d -> d.fabric() == fabric).toList();
    }

    /** All of them, to be asked. */
    public Devices asked() {
        Map<FoundFabric, Map<Integer, FoundDevice>> bySlot = new HashMap<>();
        devices.forEach(device -> bySlot.computeIfAbsent(device.fabric(), fabric -> new TreeMap<>())
                .put(device.slot(), device));
        List<AskedFabric> asked = fabrics.stream()
                .map(fabric -> new AskedFabric(fabric, bySlot.getOrDefault(fabric, Map.of())))
                .toList();
        return new DeviceFinder(asked, switches, Integer.MAX_VALUE, true);
    }

    /** @throws Failure if there is no fabric, or none of that name; {@code null} chooses the default one */
    public FoundFabric choose(@Nullable String name) throws Failure {
        if (fabrics.isEmpty()) {
            throw Failure.badInput("no fabric: nothing that was read holds devices", null);
        }
        try {
            return Devices.chosen(fabrics, FoundFabric::name, name);
        } catch (UnansweredException e) {
            throw Failure.wrongUsage(e.getMessage());
        }
    }

    /** The vendor of all devices whose vendor is known, or {@code null} where they are of several. */
    private static @Nullable String vendor(OfflineFabric fabric) {
        Set<String> vendors = fabric.devices().stream()
                .map(Device::vendor)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        return vendors.size() == 1 ? vendors.iterator().next() : null;
    }

    /**
     * {@code <hostname>-<osName>-<port>}. What a dump does not name, or names twice, has its node GUID in the place of
     * the missing or doubtful word.
     */
    private static String name(Device device, boolean taken) {
        String guid = device.nodeGuid();
        if (guid == null || !device.osName().isEmpty() && !device.hostname().isEmpty() && !taken) {
            return ObjectNames.device(device.hostname(), device.osName(), device.port());
        }
        return device.hostname().isEmpty()
                ? ObjectNames.dns(guid + "-" + device.port())
                : ObjectNames.device(device.hostname(), guid, device.port());
    }

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return fabrics.hashCode();
    }
}
