/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDeviceStatus;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.view.mapping.ObjectNames;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Labels by which a pod says where its node is in the first of its Fabrics, so that a selector finds pods that are near. API servers from Kubernetes 1.35 on copy a Binding's
 * labels to its pod (feature gate PodTopologyLabelsAdmission), over those that the pod has; others pass over them.
 */
final class PodPlace {
    private PodPlace() {}

    /**
     * Empty where no device of the node has a place. O(devices of the node + Fabrics log Fabrics).
     *
     * @param devices of the node
     */
    static Map<String, String> labels(List<ServedDevice> devices, List<FabricFacts> fabrics) {
        Map<String, String> labels = new TreeMap<>();
        List<FabricDeviceStatus> places = devices.stream()
                .map(ServedDevice::status)
                .filter(Objects::nonNull)
                .filter(status -> status.fabric() != null && status.switchId() != null)
                .sorted(Comparator.comparing(
                        FabricDeviceStatus::index, Comparator.nullsLast(Comparator.naturalOrder())))
                .toList();
        fabrics.stream()
                .filter(FabricFacts::isForCompute)
                .sorted(FabricFacts.DEFAULT_FIRST.thenComparing(FabricFacts::name))
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
}
