/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.node.CCompiler;
import dev.fabricoperator.e2e.node.HostCommand;
import dev.fabricoperator.e2e.node.ImageArchive;
import dev.fabricoperator.e2e.node.NodePrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Images of Open MPI as Debian has it, with the programs of {@code e2e/programs} compiled into {@code /usr/local/bin}. */
public final class ProofImages {
    /** Everything that Debian's packages bring, nothing set. */
    public static final String PLAIN = "fabric-operator.test/openmpi:1";

    /** No shell, and no file that knows a user. */
    public static final String BARE = "fabric-operator.test/openmpi-bare:1";

    /** USER 4711, which no file knows, a working directory, an entrypoint, and a variable of its own. */
    public static final String USER = "fabric-operator.test/openmpi-user:1";

    /** Runs mpi-proof of one rank a pod by itself. */
    public static final String OWN = "fabric-operator.test/openmpi-own:1";

    /** One static program, {@code /static-rank}, and nothing else: no library, no directory. */
    public static final String SCRATCH = "fabric-operator.test/scratch:1";

    /** As MPIJobs need it: sshd asks for nothing, and ssh asks nobody. */
    public static final String SSH = "fabric-operator.test/openmpi-ssh:1";

    /** Of the shape of the MPI Operator's example: sshd of an ordinary user on port 2222, and a program in that user's home. */
    public static final String PI = "fabric-operator.test/mpi-pi:1";

    /** As {@link #SSH}, with OpenFOAM, NWChem and what {@code e2e/bench/programs} says is to be computed. */
    public static final String PROGRAMS = "fabric-operator.test/programs:1";

    private static final List<String> WITHOUT =
            List.of("usr/bin/sh", "usr/bin/dash", "usr/bin/bash", "usr/bin/rbash", "etc/passwd", "etc/group");

    private ProofImages() {}

    /** @param arguments the directory to write {@code openmpi.tar} into */
    public static void main(String[] arguments) {
        System.out.println(write(Path.of(arguments[0]), NodePrograms.find()));
    }

    /** Compiles the programs and writes all images into one archive. */
    public static Path write(Path directory, NodePrograms programs) {
        try {
            Files.createDirectories(directory);
            CCompiler compiler = new CCompiler(programs);
            Path base = ImageArchive.layerOf(programs.imageRoots().resolve("openmpi"));
            Path own = ImageArchive.layer(directory.resolve("programs.tar"), compileAll(compiler, directory));
            Path nothing = Files.write(directory.resolve("nothing"), new byte[0]);
            Map<String, Path> removed = new LinkedHashMap<>();
            WITHOUT.forEach(file -> removed.put(file.replaceAll("([^/]+)$", ".wh.$1"), nothing));
            Path without = ImageArchive.layer(directory.resolve("without.tar"), removed);
            return new ImageArchive()
                    .add(PLAIN, List.of(base, own), Map.of())
                    .add(OWN, List.of(base, own), Map.of("Entrypoint", List.of("/usr/local/bin/mpi-proof", "1")))
                    .add(
                            SCRATCH,
                            List.of(ImageArchive.layer(
                                    directory.resolve("scratch.tar"), Map.of("static-rank", staticRank(directory)))),
                            Map.of())
                    .add(SSH, List.of(base, own, sshLayer(directory)), Map.of())
                    .add(
                            PI,
                            List.of(base, own, piLayer(compiler, programs, directory)),
                            Map.of("WorkingDir", "/home/mpiuser"))
                    .add(BARE, List.of(base, own, without), Map.of())
                    .add(
                            USER,
                            List.of(base, own),
                            Map.of(
                                    "User",
                                    "4711:4712",
                                    "WorkingDir",
                                    "/opt",
                                    "Entrypoint",
                                    List.of("/usr/bin/env", "FROM_ENTRYPOINT=yes"),
                                    "Env",
                                    List.of("PATH=/usr/local/bin:/usr/bin:/bin", "OMPI_MCA_btl=self,sm,tcp")))
                    .write(directory.resolve("openmpi.tar"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
    }

    /** @param root file system that {@code scripts/setup.sh program-roots} has made */
    public static Path writePrograms(Path directory, Path root) {
        try {
            Files.createDirectories(directory);
            return new ImageArchive()
                    .add(PROGRAMS, List.of(ImageArchive.layerOf(root), sshLayer(directory)), Map.of())
                    .write(directory.resolve("programs-image.tar"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
    }

    /** What the MPI Operator's own images have: workers are new hosts each time, and the keys' mount belongs to root. */
    static Path sshLayer(Path directory) throws IOException {
        Path root = directory.resolve("ssh");
        write(root.resolve("etc/ssh/ssh_config.d/launch.conf"), """
                StrictHostKeyChecking no
                UserKnownHostsFile /dev/null
                LogLevel ERROR
                """);
        write(root.resolve("etc/ssh/sshd_config.d/launch.conf"), "StrictModes no\n");
        Files.createDirectories(root.resolve("run/sshd"));
        for (String type : List.of("rsa", "ecdsa", "ed25519")) {
            Path key = root.resolve("etc/ssh/ssh_host_" + type + "_key");
            // What a run left that was killed: ssh-keygen would ask whether to overwrite it.
            Files.deleteIfExists(key);
            HostCommand.run("ssh-keygen", "-q", "-t", type, "-N", "", "-f", key.toString());
        }
        return ImageArchive.layerOf(root);
    }

    private static Path piLayer(CCompiler compiler, NodePrograms programs, Path directory) throws IOException {
        Path root = directory.resolve("pi-image");
        Path home = root.resolve("home/mpiuser");
        Path users = programs.imageRoots().resolve("openmpi/etc/passwd");
        write(root.resolve("etc/passwd"), Files.readString(users) + "mpiuser:x:1000:1000::/home/mpiuser:/bin/sh\n");
        write(root.resolve("etc/ssh/ssh_config.d/launch.conf"), """
                StrictHostKeyChecking no
                UserKnownHostsFile /dev/null
                Port 2222
                """);
        write(home.resolve(".sshd_config"), """
                PidFile /home/mpiuser/sshd.pid
                HostKey /home/mpiuser/.ssh/id_rsa
                StrictModes no
                Port 2222
                """);
        String source = Files.readString(ProjectRoot.find().resolve("e2e/programs/mpi-pi.c"));
        Files.copy(
                compiler.compile(source, "mpi-pi", directory), home.resolve("pi"), StandardCopyOption.REPLACE_EXISTING);
        // The user writes there, and layers are root's.
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
        return ImageArchive.layerOf(root);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, text);
    }

    /** By musl, which needs nothing of the system that it runs on but the kernel. */
    private static Path staticRank(Path directory) {
        Path program = directory.resolve("static-rank");
        HostCommand.run(
                "musl-gcc",
                "-static",
                "-o",
                program.toString(),
                ProjectRoot.find().resolve("e2e/programs/static-rank.c").toString());
        return program;
    }

    private static Map<String, Path> compileAll(CCompiler compiler, Path directory) throws IOException {
        Map<String, Path> compiled = new LinkedHashMap<>();
        for (String name : List.of(
                "mpi-proof",
                "mpi-clock",
                "mpi-steady",
                "mpi-ends",
                "mpi-exchange",
                "mpi-ring",
                "pmix-report",
                "fabric-events",
                "first-message")) {
            String source =
                    Files.readString(ProjectRoot.find().resolve("e2e/programs").resolve(name + ".c"));
            compiled.put("usr/local/bin/" + name, compiler.compile(source, name, directory));
        }
        return compiled;
    }
}
