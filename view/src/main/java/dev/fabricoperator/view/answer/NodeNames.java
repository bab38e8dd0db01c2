/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a fabric: those of the physical hosts, by the host's name. A device whose host nobody knows stands for itself,
 * by its id.
 */
public final class NodeNames {
    private final Map<String, int[]> slotsByHost = new TreeMap<>();
    private final Map<String, int[]> slotsByOther = new HashMap<>();

    private NodeNames() {}

    /** @param plane id of the only plane whose devices count; {@code null} for all */
    public static NodeNames of(FabricView fabric, @Nullable String plane) {
        Map<String, List<Integer>> byHost = new LinkedHashMap<>();
        Map<String, List<Integer>> byOther = new HashMap<>();
        for (int slot = 0; slot < fabric.query().vertices(); slot++) {
            NamedDevice device = fabric.device(slot);
            if (device == null || !fabric.isOn(plane, slot)) {
                continue;
            }
            String nodeName = device.nodeName() == null ? "" : device.nodeName();
            String host =
                    !device.hostname().isEmpty() ? device.hostname() : nodeName.isEmpty() ? device.id() : nodeName;
            byHost.computeIfAbsent(host, name -> new ArrayList<>()).add(slot);
            if (!nodeName.isEmpty() && !nodeName.equals(host)) {
                byOther.computeIfAbsent(nodeName, name -> new ArrayList<>()).add(slot);
            }
        }
        NodeNames names = new NodeNames();
        byHost.forEach((name, slots) -> names.slotsByHost.put(name, array(slots)));
        byOther.forEach((name, slots) -> names.slotsByOther.put(name, array(slots)));
        return names;
    }

    private static int[] array(Collection<Integer> slots) {
        return slots.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Of hosts, ascending. */
    public List<String> all() {
        return List.copyOf(slotsByHost.keySet());
    }

    /** Slots of a host's or a Kubernetes node's devices, ascending; empty for a name of neither. */
    public int[] slots(String name) {
        int[] ofHost = slotsByHost.get(name);
        return ofHost != null
                ? ofHost.clone()
                : slotsByOther.getOrDefault(name, new int[0]).clone();
    }
}
