/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.PortChanges.PortChange;
import dev.fabricoperator.view.mapping.FabricMember;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The facts of every kind that the controller watches, each filled by one informer: that of Fabric belongs to
 * java-operator-sdk, whose primary resource it is, the others to {@link FactInformers}.
 */
@Singleton
public class FactStores {
    private final FactStore<FabricDevice, DeviceFacts> devices =
            new FactStore<>(FabricMember::isKnown, DeviceFacts::of, FabricDevice::new);
    private final FactStore<FabricSwitch, SwitchFacts> switches = new FactStore<>(SwitchFacts::of, FabricSwitch::new);
    private final FactStore<Fabric, FabricFacts> fabrics = new FactStore<>(FabricFacts::of, FabricFacts::shape);
    private final FactStore<ConfigMap, UploadPart> uploads = UploadPart.store();
    private final FactStore<Node, NodeFacts> nodes = new FactStore<>(NodeFacts::of, Node::new);
    private final FactStore<Pod, AgentFacts> agents = new FactStore<>(AgentFacts::of, Pod::new);
    private final FactStore<DaemonSet, AgentSetFacts> agentSets = new FactStore<>(AgentSetFacts::of, DaemonSet::new);
    private final SteadyClock clock;
    private final PortChanges portChanges;
    private volatile long lastSwitchChange = System.nanoTime();
    private volatile Runnable sourcesMayDiffer = () -> {};
    private final List<Runnable> placesMayDiffer = new CopyOnWriteArrayList<>();

    @Inject
    public FactStores(SteadyClock clock) {
        this.clock = clock;
        this.portChanges = new PortChanges(clock);
    }

    public FactStore<FabricDevice, DeviceFacts> devices() {
        return devices;
    }

    public FactStore<FabricSwitch, SwitchFacts> switches() {
        return switches;
    }

    public FactStore<Fabric, FabricFacts> fabrics() {
        return fabrics;
    }

    public FactStore<ConfigMap, UploadPart> uploads() {
        return uploads;
    }

    public FactStore<Node, NodeFacts> nodes() {
        return nodes;
    }

    public FactStore<Pod, AgentFacts> agents() {
        return agents;
    }

    public FactStore<DaemonSet, AgentSetFacts> agentSets() {
        return agentSets;
    }

    /**
     * Calls {@code changed} for every change that may change a model, and {@code arrived} where that is a device, a switch, a
     * node or an agent that was not there before.
     *
     * @param statusAsWanted whether the status that a device or switch now has is the one that it should have; every other
     *     status is somebody else's doing and needs a pass
     */
    public void listen(Runnable changed, Runnable arrived, StatusCheck statusAsWanted) {
        devices.listen((before, after) -> {
            if (before != null && after != null) {
                portChanges.compare(before, after);
            }
            if (isNews(
                    before, after, (a, b) -> a.state() == b.state() && a.link().equals(b.link()))) {
                sourcesMayDiffer.run();
            }
            if (before == null) {
                arrived.run();
            } else if (isNews(before, after, DeviceFacts::meansTheSameAs) || !statusAsWanted.holdsForDevice(after)) {
                changed.run();
            }
        });
        switches.listen((before, after) -> {
            boolean news = isNews(before, after, SwitchFacts::meansTheSameAs);
            if (news) {
                lastSwitchChange = System.nanoTime();
            }
            if (before == null) {
                arrived.run();
            } else if (news || !statusAsWanted.holdsForSwitch(after)) {
                changed.run();
            }
        });
        fabrics.listen((before, after) -> {
            if (isNews(before, after, FabricFacts::asksForTheSameAs)) {
                sourcesMayDiffer.run();
            }
            if (isNews(before, after, FabricFacts::meansTheSameAs) || !statusAsWanted.holdsForFabric(after)) {
                changed.run();
            }
        });
        uploads.listen((before, after) -> sourcesMayDiffer.run());
        FactStore.Listener<NodeFacts> ofNodes = telling(changed, arrived, NodeFacts::meansTheSameAs);
        nodes.listen((before, after) -> {
            if (isNews(before, after, NodeFacts::hasTheSameLabelsOfOthers) && labelsAreASource()) {
                sourcesMayDiffer.run();
            }
            if (isNews(before, after, NodeFacts::isPlacedAs)) {
                placesMayDiffer.forEach(Runnable::run);
            }
            ofNodes.changed(before, after);
        });
        agents.listen(telling(changed, arrived, AgentFacts::meansTheSameAs));
        agentSets.listen(telling(changed, changed, AgentSetFacts::meansTheSameAs));
    }

    private boolean labelsAreASource() {
        return fabrics.facts().stream()
                .flatMap(fabric -> fabric.spec().sources().stream())
                .anyMatch(source -> source.type() == SourceType.NodeLabels);
    }

    private static <F> FactStore.Listener<F> telling(Runnable changed, Runnable arrived, BiPredicate<F, F> same) {
        return (before, after) -> {
            if (before == null) {
                arrived.run();
            } else if (isNews(before, after, same)) {
                changed.run();
            }
        };
    }

    /** Calls {@code changed} for every change that may change what a topology source says; set before the informers start. */
    public void listenForSources(Runnable changed) {
        sourcesMayDiffer = changed;
    }

    /** Calls {@code changed} when a Node comes or goes, or what the operator writes to it changes; before the informers start. */
    public void listenForPlaces(Runnable changed) {
        placesMayDiffer.add(changed);
    }

    /** For how long no switch has come, gone or been cabled otherwise. */
    public Duration switchesQuietFor() {
        return Duration.ofNanos(System.nanoTime() - lastSwitchChange);
    }

    /** Whether statuses that come in are what the model wants; the argument is {@code null} for an object that is gone. */
    public interface StatusCheck {
        boolean holdsForDevice(@Nullable DeviceFacts device);

        boolean holdsForSwitch(@Nullable SwitchFacts fabricSwitch);

        boolean holdsForFabric(@Nullable FabricFacts fabric);
    }

    private static <F> boolean isNews(@Nullable F before, @Nullable F after, BiPredicate<F, F> same) {
        return before == null || after == null || !same.test(before, after);
    }

    /** Now, by the clock of {@link #portChanges}. */
    public Instant now() {
        return clock.instant();
    }

    /** Ports of devices that went up or down lately. */
    public List<PortChange> portChanges() {
        return portChanges.newest();
    }

    /** The agents and the nodes that they watch, as they are now. */
    public AgentFleet fleet() {
        return AgentFleet.of(agentSets.facts(), agents.facts(), nodes.facts(), devices.facts());
    }
}
