/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.pmix.TrixieRoot;
import dev.fabricoperator.protocol.job.JobMap;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Pods without Kubernetes: for each a pmixd as a process with libpmix and the real launcher, which a script starts by {@code pods.sh}. */
final class PlayedPods implements AutoCloseable {
    private static final String LAUNCHER = "/scratch/launcher";

    private final TrixieRoot root;

    /** @param root is closed with this */
    PlayedPods(TrixieRoot root) {
        this.root = root;
        TrixieRoot.Result built = root.run(
                120,
                "bash",
                "-c",
                "gcc -static -O1 -D_GNU_SOURCE '-DVERSION=\"test\"' -o " + LAUNCHER + " /src/launcher/src/main/c/*.c");
        assertThat(built.exitCode()).as(built.text()).isZero();
    }

    @Override
    public void close() {
        root.close();
    }

    TrixieRoot root() {
        return root;
    }

    /** The command of a program that checks what MPI does between all its ranks, and says how many nodes they are on. */
    String compileProof() {
        return root.compile("mpicc", "e2e/programs/mpi-proof.c", "-lm");
    }

    /** @param variables of the script, {@code NAME=value} */
    TrixieRoot.Result run(PlayedJobService service, String script, String... variables) throws IOException {
        List<String> command = new ArrayList<>(List.of("env"));
        service.environment()
                .forEach((name, value) ->
                        command.add((name.equals("FABRIC_JOB_SERVICE") ? "JOB_SERVICE=" : "CA=") + value));
        command.add("CLASSES=" + TrixieRoot.classPath(Main.class, JobMap.class, Device.class));
        command.add("LAUNCHER=" + LAUNCHER);
        command.addAll(List.of(variables));
        command.addAll(List.of("bash", "-uc", "source /src/pmix/src/test/sh/pods.sh\n" + script));
        return root.run(120, command.toArray(String[]::new));
    }

    /** @param directory for the files of a job service of so many pods */
    TrixieRoot.Result run(Path directory, int pods, String script, String... variables)
            throws IOException, GeneralSecurityException {
        try (PlayedJobService service = new PlayedJobService(directory, pods)) {
            return run(service, script, variables);
        }
    }

    /** What {@code finish} prints where in each of so many pods this program ended with this code. */
    static List<String> codes(String program, int pods, int code) {
        return IntStream.range(0, pods)
                .mapToObj(pod -> program + ' ' + pod + ' ' + code)
                .toList();
    }

    static List<String> linesWith(TrixieRoot.Result result, String text) {
        return result.lines().stream().filter(line -> line.contains(text)).toList();
    }
}
