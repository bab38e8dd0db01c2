/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpec;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.crds.SwitchPortSpecBuilder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.view.mapping.DeviceMapper;
import dev.fabricoperator.view.mapping.SwitchMapper;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** The FabricSwitch objects of one source, and its report: what there is, and how it becomes what it should be. */
final class Publication {
    /** Field manager of what a sweep writes. */
    static final String FIELD_MANAGER = "fabric-sweeper";

    private static final long PAGE = 500;
    private static final PatchContext APPLY = ServerSideApply.by(FIELD_MANAGER);

    private final KubernetesClient client;
    private final SweeperConfig config;
    private final Map<String, FabricSwitchSpec> present = new TreeMap<>();

    /** Of ports whose links may be about to fail. */
    @FunctionalInterface
    interface Signs {
        List<Impairment> of(String switchId, int port);
    }

    Publication(KubernetesClient client, SweeperConfig config) {
        this.client = client;
        this.config = config;
    }

    /** Lists the objects that are there; another process may have written since. */
    void list() {
        present.clear();
        String more = null;
        do {
            var list = client.resources(FabricSwitch.class)
                    .withLabel(FabricApi.LABEL_SOURCE, config.source())
                    .list(new ListOptionsBuilder()
                            .withLimit(PAGE)
                            .withContinue(more)
                            .build());
            list.getItems().forEach(object -> present.put(object.getMetadata().getName(), object.getSpec()));
            more = list.getMetadata().getContinue();
        } while (more != null && !more.isEmpty());
    }

    /** As they were listed or written last. */
    Collection<Switch> switches() {
        return present.values().stream().map(SwitchMapper::toSwitch).toList();
    }

    /**
     * Makes the objects those of {@code switches}; what is equal already is not written.
     *
     * @param signs that links of their ports are about to fail
     * @return how many requests that took
     * @throws KubernetesClientException if one fails; what is done then stays, and the next call completes it
     * @throws InterruptedException if this process must not write any more
     */
    int publish(List<Switch> switches, Signs signs) throws InterruptedException {
        Map<String, FabricSwitch> wanted = new HashMap<>();
        for (Switch found : switches) {
            FabricSwitch object = SwitchMapper.toObject(config.source(), FabricApi.ORIGIN_LIVE, found);
            object.setSpec(withSigns(object.getSpec(), signs));
            wanted.put(object.getMetadata().getName(), object);
        }
        int requests = 0;
        for (Map.Entry<String, FabricSwitch> one : wanted.entrySet()) {
            FabricSwitchSpec spec = one.getValue().getSpec();
            if (!spec.equals(present.get(one.getKey()))) {
                mayWrite();
                client.resource(one.getValue()).patch(APPLY);
                present.put(one.getKey(), spec);
                requests++;
            }
        }
        Set<String> vanished = new HashSet<>(present.keySet());
        vanished.removeAll(wanted.keySet());
        for (String name : vanished) {
            mayWrite();
            client.resources(FabricSwitch.class).withName(name).delete();
            present.remove(name);
            requests++;
        }
        return requests;
    }

    /** Says at the switches that are there which of their links may be about to fail; how many requests that took. */
    int publish(Signs signs) throws InterruptedException {
        return publish(List.copyOf(switches()), signs);
    }

    private static FabricSwitchSpec withSigns(FabricSwitchSpec spec, Signs signs) {
        List<SwitchPortSpec> ports = spec.ports().stream()
                .map(port -> {
                    List<Impairment> found = signs.of(spec.id(), port.number());
                    return found.isEmpty()
                            ? port
                            : SwitchPortSpecBuilder.builder(port)
                                    .impairments(found.stream()
                                            .map(DeviceMapper::toPortImpairment)
                                            .toList())
                                    .build();
                })
                .toList();
        return FabricSwitchSpecBuilder.builder(spec).ports(ports).build();
    }

    /** What the objects say that is the case, as they were listed. */
    Map<PortCounters.Port, List<Impairment>> signs() {
        Map<PortCounters.Port, List<Impairment>> signs = new HashMap<>();
        present.values()
                .forEach(spec -> spec.ports().stream()
                        .filter(port -> !port.impairments().isEmpty())
                        .forEach(port -> signs.put(
                                new PortCounters.Port(spec.id(), port.number()),
                                DeviceMapper.impairments(port.impairments()))));
        return signs;
    }

    /** Says how the source stands. */
    void report(Map<String, String> data) throws InterruptedException {
        mayWrite();
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace(config.namespace())
                        .withName(config.source())
                        .addToLabels(FabricApi.LABEL_TOPOLOGY, FabricApi.ORIGIN_LIVE)
                        .addToLabels(FabricApi.LABEL_SOURCE, config.source())
                        .endMetadata()
                        .withData(data)
                        .build())
                .patch(APPLY);
    }

    /** What the last report says, of whoever wrote it; empty where there is none. */
    Map<String, String> lastReport() {
        var map = client.configMaps()
                .inNamespace(config.namespace())
                .withName(config.source())
                .get();
        return map == null ? Map.of() : Objects.requireNonNullElse(map.getData(), Map.of());
    }

    private static void mayWrite() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("the lease is lost");
        }
    }
}
