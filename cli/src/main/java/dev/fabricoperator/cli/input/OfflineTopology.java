/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.crds.mapping.ObjectNames;
import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.device.Device;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All that dumps show, with the names that objects would have.
 *
 * @param fabrics largest first
 * @param devices in the order of fabrics and slots
 */
public record OfflineTopology(Cabling cabling, List<OfflineFabric> fabrics, List<OfflineDevice> devices) {
    public OfflineTopology {
        fabrics = List.copyOf(fabrics);
        devices = List.copyOf(devices);
    }

    /** @throws Failure if a file cannot be read or is not a whole dump */
    public static OfflineTopology read(List<SourceArgument> sources) throws Failure {
        return of(MergedCabling.of(CablingFiles.readAll(sources)));
    }

    static OfflineTopology of(Cabling cabling) {
        List<OfflineFabric> fabrics = OfflineFabrics.of(cabling);
        Map<String, Integer> wanted = new HashMap<>();
        for (OfflineFabric fabric : fabrics) {
            fabric.devices().forEach(d -> wanted.merge(name(d, false), 1, Integer::sum));
        }
        List<OfflineDevice> devices = new ArrayList<>();
        for (OfflineFabric fabric : fabrics) {
            int slot = 0;
            for (Device device : fabric.devices()) {
                boolean taken = Objects.requireNonNull(wanted.get(name(device, false))) > 1;
                devices.add(new OfflineDevice(fabric, slot++, device, name(device, taken)));
            }
        }
        return new OfflineTopology(cabling, fabrics, devices);
    }

    public List<OfflineDevice> devicesOf(OfflineFabric fabric) {
        return devices.stream().filter(d -> d.fabric() == fabric).toList();
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
}
