/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import dev.fabricoperator.e2e.cluster.Assets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What real nodes take, as {@code make setup} found or made it.
 *
 * @param directory holds kubelet, containerd, its shim and ctr, and coredns
 * @param cniPlugins holds bridge, host-local, loopback
 * @param imageRoots holds root file systems, one directory each: base, pmix, openmpi, openmpi-dev
 */
public record NodePrograms(Path directory, Path cniPlugins, Path imageRoots) {
    private static final List<Path> CNI_PLACES = List.of(Path.of("/usr/lib/cni"), Path.of("/opt/cni/bin"));

    /** Why no real node can run here, in a sentence; empty when nothing is in the way. */
    public static Optional<String> obstacle() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return Optional.of("real nodes run on Linux only");
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("real nodes are made by root only");
        }
        if (setting("FABRIC_OPERATOR_NODE_ASSETS")
                        .filter(place -> Files.isExecutable(place.resolve("containerd")))
                        .isEmpty()
                || setting("FABRIC_OPERATOR_IMAGE_ROOTS").isEmpty()) {
            return Optional.of("kubelet, containerd or image roots are missing: run \"make setup\" as root");
        }
        if (CNI_PLACES.stream().noneMatch(NodePrograms::holdsPlugins)) {
            return Optional.of("the CNI plugins are missing: run \"make setup\" as root");
        }
        HostCommand.Result probe =
                HostCommand.tryRun(List.of("unshare", "--net", "--mount", "--pid", "--fork", "true"));
        return probe.code() == 0
                ? Optional.empty()
                : Optional.of("this machine lets nobody make namespaces (in a container: --privileged): "
                        + probe.output().strip());
    }

    /** @throws IllegalStateException with the {@link #obstacle} */
    public static NodePrograms find() {
        obstacle().ifPresent(reason -> {
            throw new IllegalStateException(reason);
        });
        return new NodePrograms(
                setting("FABRIC_OPERATOR_NODE_ASSETS").orElseThrow(),
                CNI_PLACES.stream()
                        .filter(NodePrograms::holdsPlugins)
                        .findFirst()
                        .orElseThrow(),
                setting("FABRIC_OPERATOR_IMAGE_ROOTS").orElseThrow());
    }

    /** PATH that finds them before another containerd of the machine, and the shim with them. */
    String path() {
        return directory + ":" + HostCommand.PATH;
    }

    Path ctr() {
        return directory.resolve("ctr");
    }

    Path coreDns() {
        return directory.resolve("coredns");
    }

    private static boolean holdsPlugins(Path place) {
        return Stream.of("bridge", "host-local", "loopback")
                .allMatch(plugin -> Files.isExecutable(place.resolve(plugin)));
    }

    // As Assets does: the environment, else what set-up wrote.
    private static Optional<Path> setting(String variable) {
        return Optional.ofNullable(System.getenv(variable))
                .or(() -> Assets.writtenBySetup(variable))
                .map(Path::of)
                .filter(Files::isDirectory);
    }
}
