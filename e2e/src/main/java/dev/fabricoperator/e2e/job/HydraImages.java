/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.Assets;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.node.HostCommand;
import dev.fabricoperator.e2e.node.ImageArchive;
import dev.fabricoperator.e2e.node.NodePrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Images of MPICH and Intel MPI as PyPI has them, in {@code /opt/mpi}, with sshd as {@link ProofImages#SSH} has it. What {@code scripts/setup.sh mpi-wheels} has fetched. Programs of
 * {@code e2e/programs} are compiled against MPICH's header, and run with both.
 */
public enum HydraImages {
    MPICH("mpich", "MPICH"),
    INTEL("intel", "Intel");

    private static final List<String> PROGRAMS = List.of("mpi-clock", "mpi-ends", "mpi-proof");

    private final String directory;
    private final String implementation;

    HydraImages(String directory, String implementation) {
        this.directory = directory;
        this.implementation = implementation;
    }

    /** Of the image. */
    public String image() {
        return "fabric-operator.test/" + directory + "-ssh:1";
    }

    /** {@code spec.mpiImplementation} of an MPIJob. */
    public String implementation() {
        return implementation;
    }

    /** What names of jobs begin with. */
    public String prefix() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Where the wheels are unpacked. */
    public static Optional<Path> wheels() {
        return Assets.writtenBySetup("FABRIC_OPERATOR_MPI_WHEELS").map(Path::of);
    }

    /** Compiles the programs and writes both images into one archive. */
    public static Path write(Path directory, NodePrograms programs, Path wheels) {
        try {
            Files.createDirectories(directory);
            Path base = ImageArchive.layerOf(programs.imageRoots().resolve("openmpi"));
            Path ssh = ProofImages.sshLayer(directory);
            Path own = ImageArchive.layer(directory.resolve("hydra-programs.tar"), compile(directory, wheels));
            ImageArchive archive = new ImageArchive();
            for (HydraImages mpi : values()) {
                archive.add(
                        mpi.image(),
                        List.of(base, ssh, ImageArchive.layerOf(wheels.resolve(mpi.directory)), own),
                        Map.of("Env", List.of("PATH=/opt/mpi/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")));
            }
            return archive.write(directory.resolve("hydra.tar"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
    }

    private static Map<String, Path> compile(Path directory, Path wheels) throws IOException {
        Path mpich = wheels.resolve("mpich/opt/mpi");
        Map<String, Path> programs = new LinkedHashMap<>();
        for (String name : PROGRAMS) {
            Path program = directory.resolve("hydra-" + name);
            // Of that library's own dependencies this machine has none.
            HostCommand.run(
                    "gcc",
                    "-O1",
                    "-I" + mpich.resolve("include"),
                    "-o",
                    program.toString(),
                    ProjectRoot.find().resolve("e2e/programs/" + name + ".c").toString(),
                    mpich.resolve("lib/libmpi.so.12").toString(),
                    "-Wl,--allow-shlib-undefined,-rpath,/opt/mpi/lib");
            programs.put("opt/mpi/bin/" + name, program);
        }
        return programs;
    }
}
