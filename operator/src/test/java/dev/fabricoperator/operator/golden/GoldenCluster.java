/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.golden;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.controller.source.SourceRound;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.DevicePlan;
import dev.fabricoperator.operator.model.ClusterModel.NewFabric;
import dev.fabricoperator.operator.model.ClusterModel.SwitchPlan;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FabricSummary;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import dev.fabricoperator.operator.model.Modeler;
import dev.fabricoperator.operator.model.WriteProgress;
import dev.fabricoperator.operator.model.condition.Conditions;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one directory, and what the operator makes of them in as many passes as it needs. Each object of {@code
 * then.yaml} is written (with a {@code deletionTimestamp}: deleted) after that, one by one, with a pass after each.
 */
final class GoldenCluster {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);
    private static final int PASSES = 3;

    private final KubernetesSerialization yaml = new KubernetesSerialization();
    private static final FlapDamping DAMPING = new FlapDamping(5, Duration.ofMinutes(1), Duration.ofMinutes(1));

    private final FactStores stores = new FactStores(new SteadyClock(() -> 0));
    private final Conditions conditions = new Conditions(CLOCK);
    private final List<HasMetadata> steps = new ArrayList<>();
    private final Map<String, HasMetadata> kept = new TreeMap<>();
    private final List<String> created = new ArrayList<>();
    private FabricNumbers numbers = FabricNumbers.START;
    private int objects;

    private GoldenCluster() {
        for (Class<? extends HasMetadata> kind : List.of(Fabric.class, FabricDevice.class, FabricSwitch.class)) {
            yaml.registerKubernetesResource(kind);
        }
    }

    static GoldenCluster load(Path directory) throws IOException {
        GoldenCluster cluster = new GoldenCluster();
        List<Path> inputs;
        try (Stream<Path> files = Files.list(directory)) {
            inputs = files.filter(f -> f.getFileName().toString().matches("in-.*\\.yaml"))
                    .sorted()
                    .toList();
        }
        for (Path input : inputs) {
            cluster.read(input).forEach(cluster::add);
        }
        Path then = directory.resolve("then.yaml");
        if (Files.exists(then)) {
            cluster.steps.addAll(cluster.read(then));
        }
        return cluster;
    }

    private List<HasMetadata> read(Path file) throws IOException {
        List<HasMetadata> found = new ArrayList<>();
        for (String document : Files.readString(file).split("(?m)^---$")) {
            if (!document.lines().allMatch(line -> line.isBlank() || line.startsWith("#"))) {
                found.add(yaml.unmarshal(document, HasMetadata.class));
            }
        }
        return found;
    }

    private void add(HasMetadata object) {
        objects++;
        HasMetadata before = kept.put(key(object), object);
        if (before != null) {
            object.getMetadata().setUid(before.getMetadata().getUid());
            takeOverStatus(before, object);
        } else if (object.getMetadata().getUid() == null) {
            object.getMetadata().setUid("uid-" + objects);
        }
        object.getMetadata().setResourceVersion(Integer.toString(objects));
        switch (object) {
            case Fabric fabric -> put(stores.fabrics(), fabric);
            case FabricDevice device -> put(stores.devices(), device);
            case FabricSwitch fabricSwitch -> put(stores.switches(), fabricSwitch);
            case Node node -> put(stores.nodes(), node);
            case Pod pod -> put(stores.agents(), pod);
            case DaemonSet set -> put(stores.agentSets(), set);
            case ConfigMap map -> {}
            default -> throw new IllegalArgumentException("nothing reads a " + object.getKind());
        }
    }

    private static String key(HasMetadata object) {
        return object.getKind() + " " + object.getMetadata().getName();
    }

    /** The API server leaves the status alone when the rest is written. */
    private static void takeOverStatus(HasMetadata before, HasMetadata object) {
        switch (object) {
            case Fabric fabric -> fabric.setStatus(((Fabric) before).getStatus());
            case FabricDevice device -> device.setStatus(((FabricDevice) before).getStatus());
            case FabricSwitch fabricSwitch -> fabricSwitch.setStatus(((FabricSwitch) before).getStatus());
            default -> {}
        }
    }

    private void remove(HasMetadata object) {
        kept.remove(key(object));
        switch (object) {
            case FabricDevice device -> stores.devices().remove(stores.devices().getKey(device));
            case FabricSwitch fabricSwitch ->
                stores.switches().remove(stores.switches().getKey(fabricSwitch));
            default -> throw new IllegalArgumentException("nobody deletes a " + object.getKind() + " here");
        }
    }

    private static <R extends HasMetadata> void put(FactStore<R, ?> store, R object) {
        store.put(store.getKey(object), object);
    }

    /** Names of files, and what they should hold. */
    Map<String, String> outputs() {
        return outputs(settle());
    }

    /** What one process of the operator decides, in the end. */
    ClusterModel settle() {
        numbers = FabricNumbers.START;
        ClusterModel model = null;
        SourceRound round = read();
        for (int pass = 0; pass < PASSES; pass++) {
            model = pass(round, model);
            numbers = model.missing().numbers();
            model.missing().fabrics().forEach(this::create);
        }
        ClusterModel decided = Objects.requireNonNull(model, "every pass created another Fabric");
        for (HasMetadata step : steps) {
            write(decided);
            if (step.getMetadata().getDeletionTimestamp() == null) {
                add(step);
            } else {
                remove(step);
            }
            decided = pass(read(), decided);
        }
        steps.clear();
        return decided;
    }

    private ClusterModel pass(SourceRound round, @Nullable ClusterModel before) {
        ClusterModel next = Modeler.model(Inventory.of(stores, round.states()), numbers, before, conditions, DAMPING);
        numbers = next.numbers();
        return next;
    }

    /** Looks at the sources, and makes the switches of those that are believed what they say. */
    private SourceRound read() {
        SourceRound round = SourceRound.of(objects(ConfigMap.class), stores);
        round.believed().forEach((source, switches) -> {
            switches.forEach(this::add);
            List<String> said = switches.stream().map(GoldenCluster::key).toList();
            objects(FabricSwitch.class).stream()
                    .filter(object -> source.equals(object.getSpec().source()))
                    .filter(object -> !said.contains(key(object)))
                    .forEach(this::remove);
        });
        return round;
    }

    /** The statuses go into the objects, as the operator writes them. */
    void write(ClusterModel model) {
        for (DevicePlan plan : model.devices().values()) {
            FabricDevice device =
                    (FabricDevice) kept("FabricDevice", plan.facts().name());
            device.setStatus(plan.status());
            put(stores.devices(), device);
        }
        for (SwitchPlan plan : model.switches().values()) {
            FabricSwitch fabricSwitch =
                    (FabricSwitch) kept("FabricSwitch", plan.facts().name());
            fabricSwitch.setStatus(plan.status());
            put(stores.switches(), fabricSwitch);
        }
        for (FabricState state : model.fabrics().values()) {
            Fabric fabric = (Fabric) kept("Fabric", state.name());
            fabric.setStatus(status(model, state));
            put(stores.fabrics(), fabric);
        }
    }

    /** What the objects are now. */
    <R extends HasMetadata> List<R> objects(Class<R> kind) {
        return kept.values().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private HasMetadata kept(String kind, String name) {
        return Objects.requireNonNull(kept.get(kind + " " + name));
    }

    private FabricStatus status(ClusterModel model, FabricState state) {
        return new FabricSummary(state)
                .status(
                        Objects.requireNonNull(model.findings().get(state.name())),
                        conditions,
                        state.facts().status(),
                        WriteProgress.DONE);
    }

    private void create(NewFabric fabric) {
        created.add(fabric.name());
        Fabric object = new Fabric();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(fabric.name())
                .addToLabels(FabricApi.LABEL_AUTO_CREATED, "true")
                .withGeneration(1L)
                .build());
        object.setSpec(fabric.spec());
        add(object);
    }

    private Map<String, String> outputs(ClusterModel model) {
        Map<String, Object> fabrics = new TreeMap<>();
        for (FabricState state : model.fabrics().values()) {
            Map<String, Object> fabric = new TreeMap<>();
            if (created.contains(state.name())) {
                fabric.put("created", state.facts().spec());
            }
            fabric.put("status", status(model, state));
            fabrics.put(state.name(), fabric);
        }
        Map<String, Object> devices = new TreeMap<>();
        for (DevicePlan plan : model.devices().values()) {
            devices.put(plan.facts().name(), plan.status());
        }
        Map<String, Object> switches = new TreeMap<>();
        for (SwitchPlan plan : model.switches().values()) {
            switches.put(plan.facts().name(), plan.status());
        }
        Map<String, String> files = new TreeMap<>();
        files.put("out-fabrics.yaml", yaml.asYaml(fabrics));
        files.put("out-devices.yaml", yaml.asYaml(devices));
        files.put("out-switches.yaml", yaml.asYaml(switches));
        files.put("out-numbers.yaml", yaml.asYaml(model.numbers().toData()));
        return files;
    }
}
