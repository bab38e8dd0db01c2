/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Where a pod is by the node that it is bound to: as labels for selectors, and as {@code place.json} for the programs of {@code launch: env}. */
final class PodPlace {
    /** {@code place.json} of a pod of which the operator learned nothing when it was bound. */
    static final String UNKNOWN = "{\"schemaVersion\":1,\"fabrics\":null}";

    /** Of the devices of a node; a pod's annotations hold 256 KiB together, and a Binding goes through every webhook. */
    private static final int MOST_DEVICES = 64;

    private PodPlace() {}

    /**
     * Labels of the first Fabric of the node, so that a selector finds pods that are near. API servers from Kubernetes 1.35 on copy a Binding's labels to its pod
     * (feature gate PodTopologyLabelsAdmission), over those that the pod has; others pass over them.
     *
     * <p>Empty where no device of the node has a place. O(devices of the node + Fabrics log Fabrics).
     *
     * @param devices of the node
     */
    static Map<String, String> labels(List<ServedDevice> devices, List<FabricFacts> fabrics) {
        Map<String, String> labels = new TreeMap<>();
        List<FabricDeviceStatus> places = placed(devices).stream()
                .map(PodPlace::place)
                .filter(status -> status.switchId() != null)
                .toList();
        inOrder(fabrics, List.of())
                .flatMap(fabric -> places.stream().filter(place -> fabric.name().equals(place.fabric())))
                .findFirst()
                .ifPresent(place -> {
                    labels.put(FabricApi.LABEL_FABRIC, ObjectNames.label(Objects.requireNonNull(place.fabric())));
                    labels.put(
                            FabricApi.LABEL_SWITCH,
                            ObjectNames.label(ObjectNames.dns(Objects.requireNonNull(place.switchId()))));
                    if (place.group() != null) {
                        labels.put(FabricApi.LABEL_GROUP, Integer.toString(place.group()));
                    }
                });
        return labels;
    }

    /**
     * {@code place.json} with the fields that pmixd writes for a direct launch ({@code docs/library-variables.md}), as far as they are known of a pod whose ranks somebody
     * else starts.
     *
     * @param devices of its node
     * @param named Fabrics that the pod is to use, in that order; empty for all
     */
    static String document(String pod, List<ServedDevice> devices, List<FabricFacts> fabrics, List<String> named) {
        ObjectNode document = JsonNodeFactory.instance
                .objectNode()
                .put("schemaVersion", 1)
                .put("pod", pod)
                .put("node", devices.isEmpty() ? null : devices.getFirst().hostname());
        ArrayNode told = document.putArray("fabrics");
        List<ServedDevice> placed = placed(devices);
        int[] left = {MOST_DEVICES};
        inOrder(fabrics, named).forEach(fabric -> {
            List<ServedDevice> there = placed.stream()
                    .filter(device -> fabric.name().equals(place(device).fabric()))
                    .toList();
            if (!there.isEmpty()) {
                int most = Math.min(there.size(), left[0]);
                left[0] -= most;
                write(told.addObject(), fabric, there, most);
            }
        });
        return document.put("peersLeftOut", "with launch: env nobody knows all pods of a job")
                .toString();
    }

    private static void write(ObjectNode to, FabricFacts fabric, List<ServedDevice> devices, int most) {
        FabricStatus status = fabric.status();
        to.put("name", fabric.name())
                .put(
                        "kind",
                        status == null || status.kind() == null
                                ? null
                                : status.kind().name())
                .put("generation", status == null ? null : status.generation());
        FabricDeviceStatus first = devices.stream()
                .map(PodPlace::place)
                .filter(place -> place.switchId() != null)
                .findFirst()
                .orElse(place(devices.getFirst()));
        to.put("switch", first.switchId()).put("group", first.group());
        ArrayNode planes = to.putArray("planes");
        devices.stream()
                .map(device -> place(device).plane())
                .filter(Objects::nonNull)
                .distinct()
                .sorted()
                .forEach(planes::add);
        ArrayNode told = to.putArray("devices");
        for (ServedDevice device : devices.subList(0, most)) {
            FabricDeviceStatus place = place(device);
            ArrayNode coordinates = told.addObject()
                    .put("name", device.osName())
                    .put("plane", place.plane())
                    .put("switch", place.switchId())
                    .putArray("coordinates");
            CoordinateStatus.values(place.coordinates(), ViewName.logical).forEach(coordinates::add);
        }
        if (most < devices.size()) {
            to.put("devicesLeftOut", devices.size() - most);
        }
    }

    /** Those that are in a Fabric, in the order of their indices. */
    private static List<ServedDevice> placed(List<ServedDevice> devices) {
        return devices.stream()
                .filter(device -> device.status() != null && device.status().fabric() != null)
                .sorted(Comparator.comparing(
                        device -> place(device).index(), Comparator.nullsLast(Comparator.naturalOrder())))
                .toList();
    }

    private static FabricDeviceStatus place(ServedDevice device) {
        return Objects.requireNonNull(device.status());
    }

    /** Those for jobs, the default one first. */
    private static Stream<FabricFacts> inOrder(List<FabricFacts> fabrics, List<String> named) {
        Comparator<FabricFacts> first = FabricFacts.DEFAULT_FIRST.thenComparing(FabricFacts::name);
        return fabrics.stream()
                .filter(FabricFacts::isForCompute)
                .filter(fabric -> named.isEmpty() || named.contains(fabric.name()))
                .sorted(named.isEmpty() ? first : Comparator.comparingInt(fabric -> named.indexOf(fabric.name())));
    }
}
