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
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Processes in containers of real nodes, as this machine sees them. */
public final class HostProcesses {
    private static final Path PROC = Path.of("/proc");
    private static final String LISTENING = "0A";

    /**
     * The first process of a container.
     *
     * @param residentMebibytes what it has in memory now
     * @param peakMebibytes what it ever had
     */
    public record Memory(long pid, long residentMebibytes, long peakMebibytes) {}

    private HostProcesses() {}

    /**
     * @param containerId as the pod's status names it, {@code containerd://...}
     * @throws IllegalStateException when no process has it
     */
    public static Memory ofContainer(String containerId) {
        return ofContainer(containerId, "");
    }

    /**
     * The first of a container's processes that has a word in its command line.
     *
     * @throws IllegalStateException when there is none
     */
    public static Memory ofContainer(String containerId, String word) {
        String id = containerId.substring(containerId.lastIndexOf('/') + 1);
        try (Stream<Path> processes = Files.list(PROC)) {
            long first = processes
                    .filter(path -> path.getFileName().toString().matches("[0-9]+"))
                    .filter(path -> text(path.resolve("cgroup")).contains(id))
                    .filter(path -> text(path.resolve("cmdline")).contains(word))
                    .mapToLong(path -> Long.parseLong(path.getFileName().toString()))
                    .min()
                    .orElseThrow(() -> new IllegalStateException("no process " + word + " of container " + id));
            String status = text(PROC.resolve(first + "/status"));
            return new Memory(first, mebibytes(status, "VmRSS:"), mebibytes(status, "VmHWM:"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list processes", e);
        }
    }

    /**
     * Makes an empty file in the root directory of a container that runs, for its processes to see.
     *
     * @throws IllegalStateException when no process has it
     */
    public static void makeFile(String containerId, String name) {
        try {
            Files.write(PROC.resolve(ofContainer(containerId).pid() + "/root/" + name), new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make " + name + " in " + containerId, e);
        }
    }

    private static long mebibytes(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10)
                .findFirst()
                .orElse(0);
    }

    /** TCP ports on which somebody in the network namespace of a process listens, on loopback only. */
    public static Set<Integer> portsOnLoopback(long pid) {
        Set<Integer> ports = new TreeSet<>();
        for (String file : List.of("tcp", "tcp6")) {
            text(PROC.resolve(pid + "/net/" + file)).lines().skip(1).forEach(line -> {
                String[] words = line.strip().split("\\s+");
                String[] local = words[1].split(":");
                if (words[3].equals(LISTENING) && local[0].endsWith("0100007F")) {
                    ports.add(Integer.parseInt(local[1], 16));
                }
            });
        }
        return ports;
    }

    /** Runs a command in the network namespace of a process and returns what it printed. */
    public static String runInNetworkOf(long pid, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("nsenter", "--net=/proc/" + pid + "/ns/net", "--"));
        whole.addAll(command);
        return HostCommand.run(whole);
    }

    public static String run(List<String> command) {
        return HostCommand.run(command);
    }

    /** Empty for a process that has just ended. */
    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
