/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.launch;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.node.CCompiler;
import dev.fabricoperator.e2e.node.HostCommand;
import dev.fabricoperator.e2e.node.ImageArchive;
import dev.fabricoperator.e2e.node.NodePrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The image that all ways launch: Open MPI and sshd of Debian as they are, the program, and ssh told not to ask. */
final class LaunchImages {
    static final String NAME = "fabric-operator.test/launch:1";

    private LaunchImages() {}

    /** Writes the archive below the directory. */
    static Path write(NodePrograms programs, Path work) {
        try {
            Path root = work.resolve("root");
            Path programsOfImage = Files.createDirectories(root.resolve("usr/local/bin"));
            Files.copy(
                    new CCompiler(programs)
                            .compile(
                                    Files.readString(ProjectRoot.find().resolve("e2e/programs/mpi-clock.c")),
                                    "mpi-clock",
                                    work),
                    programsOfImage.resolve("mpi-clock"));
            // What the MPI Operator's own images have: workers are new hosts each time, and the keys' mount belongs to
            // root.
            write(root.resolve("etc/ssh/ssh_config.d/launch.conf"), """
                    StrictHostKeyChecking no
                    UserKnownHostsFile /dev/null
                    LogLevel ERROR
                    """);
            write(root.resolve("etc/ssh/sshd_config.d/launch.conf"), "StrictModes no\n");
            Files.createDirectories(root.resolve("run/sshd"));
            for (String type : List.of("rsa", "ecdsa", "ed25519")) {
                Path key = root.resolve("etc/ssh/ssh_host_" + type + "_key");
                HostCommand.run("ssh-keygen", "-q", "-t", type, "-N", "", "-f", key.toString());
            }
            Path layer = ImageArchive.layerOf(root);
            return new ImageArchive()
                    .add(
                            NAME,
                            List.of(ImageArchive.layerOf(programs.imageRoots().resolve("openmpi")), layer),
                            Map.of())
                    .write(work.resolve("launch.tar"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + work, e);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
