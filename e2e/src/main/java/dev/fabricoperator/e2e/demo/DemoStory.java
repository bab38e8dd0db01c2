/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.demo;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.e2e.hostgen.DerivedHost;
import dev.fabricoperator.e2e.hostgen.HostTree;
import dev.fabricoperator.e2e.system.FabricSystem;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.PortPeer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** What happens in the demo, in order. */
final class DemoStory {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int PAGE_LINES = 16;
    private static final String UPLOAD = "ndr";

    private final Progress progress;
    private final FabricSystem system;
    private final DemoHosts hosts;
    private final Path state;

    DemoStory(Progress progress, FabricSystem system, DemoHosts hosts, Path state) {
        this.progress = progress;
        this.system = system;
        this.hosts = hosts;
        this.state = state;
    }

    void tell() throws IOException {
        progress.step(
                "hosts: %d derived from the dump %s (GUIDs, LIDs, speeds and cables are the dump's; the rest is made up), %d from recordings elsewhere",
                hosts.derived().size(), hosts.dumpFile().getFileName(), hosts.recorded());
        system.join(hosts.nodes());
        progress.step(
                "%d nodes have joined; the DaemonSet's controller starts an agent on each",
                hosts.nodes().size());
        upload(hosts.dumpFile());
        progress.await(LIMIT, this::missing);
        Fabric fabric = fabric();
        progress.step("%s is Ready", fabric.getMetadata().getName());
        show();
        pullACable(fabric.getMetadata().getName());
    }

    private void upload(Path dump) {
        String output = system.kubectlFabric().run("upload", "ibnetdiscover:" + dump, "--name", UPLOAD);
        progress.show("kubectl fabric upload ibnetdiscover:" + dump.getFileName() + " --name " + UPLOAD, output);
        progress.line("");
    }

    private void show() {
        kubectl("get", "fabrics");
        page("get", "fsw");
        page("get", "fdev");
        kubectl("describe", "fabric", fabric().getMetadata().getName());
    }

    private void kubectl(String... arguments) {
        progress.show("kubectl " + String.join(" ", arguments), system.kubectl().run(arguments));
    }

    private void page(String... arguments) {
        List<String> lines = system.kubectl().run(arguments).lines().toList();
        String shown = lines.stream().limit(PAGE_LINES).collect(Collectors.joining("\n"));
        String more = lines.size() > PAGE_LINES ? "\n... and " + (lines.size() - PAGE_LINES) + " more" : "";
        progress.show("kubectl " + String.join(" ", arguments), shown + more);
    }

    /** Both eyes see it: the host's kernel, and the next dump. */
    private void pullACable(String name) throws IOException {
        DerivedHost host = hosts.derived().stream()
                .max(Comparator.comparingInt(candidate -> candidate.adapters().size()))
                .orElseThrow();
        Path root = hosts.nodes().get(hosts.derived().indexOf(host)).hostRoot();
        DerivedHost.Placed device = host.adapters().getFirst();
        AdapterPort port = device.adapter().ports().getFirst();
        PortPeer peer = Objects.requireNonNull(port.peer(), "the first adapter has a cable");
        int links = links(name);
        long generation = generation(name);

        progress.line("");
        progress.step(
                "pulling the cable of %s %s port %d (switch %s port %d)",
                host.hostname(), device.osName(), port.number(), peer.id(), peer.port());
        HostTree.unplug(root, device.osName(), port.number());
        double pulled = progress.seconds();
        String object = host.nodeName() + "-" + device.osName().replace('_', '-') + "-" + port.number();
        progress.await(
                LIMIT,
                () -> "Down".equals(field("fdev", object, "{.spec.state}")) ? "" : "the agent of " + host.nodeName());
        progress.step("the agent has published the port as Down after %.1f s", progress.seconds() - pulled);

        Path after = state.resolve("after-the-pull.txt");
        Files.writeString(
                after,
                hosts.dump()
                        .withoutCable(device.adapter().id(), port.number(), peer.id(), peer.port())
                        .text());
        double uploading = progress.seconds();
        upload(after);
        progress.await(
                LIMIT, () -> links(name) == links - 1 && generation(name) > generation ? "" : "the Fabric's update");
        progress.step(
                "the Fabric has %d links instead of %d and generation %d after %d, %.1f s after the upload began",
                links(name), links, generation(name), generation, progress.seconds() - uploading);
        kubectl("get", "fabrics");
        kubectl("get", "fdev", object);
    }

    private String field(String kind, String name, String path) {
        return system.kubectl().run("get", kind, name, "--ignore-not-found", "-o", "jsonpath=" + path);
    }

    private int links(String name) {
        return status(name).map(FabricStatus::links).orElse(0);
    }

    private long generation(String name) {
        return status(name).map(FabricStatus::generation).orElse(0L);
    }

    private Optional<FabricStatus> status(String name) {
        return system.fabrics().stream()
                .filter(fabric -> fabric.getMetadata().getName().equals(name))
                .map(Fabric::getStatus)
                .findFirst();
    }

    private Fabric fabric() {
        return largest().orElseThrow(() -> new IllegalStateException("there is no Fabric"));
    }

    private Optional<Fabric> largest() {
        return system.fabrics().stream()
                .filter(fabric ->
                        fabric.getStatus() != null && fabric.getStatus().devices() != null)
                .max((a, b) -> Integer.compare(devices(a), devices(b)));
    }

    private static int devices(Fabric fabric) {
        Integer devices = fabric.getStatus() == null ? null : fabric.getStatus().devices();
        return devices == null ? 0 : devices;
    }

    /** What keeps the recorded fabric from being whole; empty when nothing does. */
    private String missing() {
        Optional<Fabric> found = largest();
        if (found.isEmpty()) {
            return "the first Fabric";
        }
        Fabric fabric = found.get();
        if (devices(fabric) < hosts.derivedDevices()) {
            return fabric.getMetadata().getName() + " has " + devices(fabric) + " of " + hosts.derivedDevices()
                    + " devices";
        }
        Integer switches = fabric.getStatus().switches();
        if (switches == null || switches < hosts.cabling().switches().size()) {
            return fabric.getMetadata().getName() + " has " + switches + " of "
                    + hosts.cabling().switches().size() + " switches";
        }
        for (String type : List.of("InventoryComplete", "TopologyKnown", "Ready")) {
            if (!FabricSystem.condition(fabric, type).equals("True")) {
                return fabric.getMetadata().getName() + " is not yet " + type;
            }
        }
        return "";
    }
}
