/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The C compiler of the root file system {@code openmpi-dev}, called in there: programs fit the libraries of the image {@code openmpi}. */
public final class CCompiler {
    // Nothing of the cached root is changed: its /tmp and the place of the result are mounted over, in a mount
    // namespace that ends with the compiler.
    private static final String SCRIPT = """
            root=$1 directory=$2; shift 2
            mount -t tmpfs tmpfs "$root/tmp"
            mount -t proc proc "$root/proc"
            mount --bind "$directory" "$root/mnt"
            mount --bind /dev "$root/dev"
            exec chroot "$root" env -C /mnt PATH=/usr/bin:/bin "$@"
            """;

    // Debian keeps libpmix below a directory of its own, whose name holds the architecture.
    private static final String PMIX =
            "/usr/lib/" + (System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64") + "-linux-gnu/pmix2";

    private final Path root;

    public CCompiler(NodePrograms programs) {
        this.root = programs.imageRoots().resolve("openmpi-dev");
    }

    /**
     * Compiles one source file, with the MPI wrapper where it includes mpi.h, with libpmix and libfabric where it includes theirs.
     *
     * @param arguments more of them, such as {@code -static} or {@code -lfabric}
     * @return the program, below the directory
     */
    public Path compile(String source, String name, Path directory, String... arguments) {
        try {
            Files.createDirectories(directory);
            Files.writeString(directory.resolve(name + ".c"), source);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
        List<String> command = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "--propagation=private",
                "sh",
                "-euc",
                SCRIPT,
                "compile",
                root.toString(),
                directory.toString()));
        command.add(source.contains("<mpi.h>") ? "mpicc" : "gcc");
        command.addAll(List.of("-O1", "-g", "-Wall", "-Werror", "-std=gnu17", "-o", name, name + ".c"));
        if (source.contains("<pmix.h>")) {
            command.addAll(List.of("-I" + PMIX + "/include", "-L" + PMIX + "/lib", "-lpmix"));
        }
        if (source.contains("<rdma/fabric.h>")) {
            command.add("-lfabric");
        }
        command.addAll(List.of(arguments));
        HostCommand.run(command);
        return directory.resolve(name);
    }
}
