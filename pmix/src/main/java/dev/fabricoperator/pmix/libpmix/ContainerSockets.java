/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that processes of this one's container hold: a process is seen in {@code /proc}, its descriptors may be read, and it is in the same
 * control groups, which tells containers apart where they share process IDs too.
 *
 * <p>All ranks of a pod connect at one time. A look reads what the container's processes have open and finds the sockets of many of them; one for each
 * rank would take 10 s for 200 ranks, longer than a client waits. No other socket gets the number of one that was seen.
 */
public class ContainerSockets {
    private static final String SOCKET = "socket:[";

    private final Path proc;
    private Set<Long> held = Set.of();

    /** @param proc {@code /proc} */
    public ContainerSockets(Path proc) {
        this.proc = proc;
    }

    /** Looks only for a socket that the last look has not found. */
    boolean isHeld(long inode) {
        if (inode != 0 && !held.contains(inode)) {
            held = look();
        }
        return held.contains(inode);
    }

    /** A test counts them. */
    public Set<Long> look() {
        Set<Long> found = new HashSet<>();
        byte[] groups = controlGroups(proc.resolve("self"));
        if (groups == null) {
            return found;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (Arrays.equals(groups, controlGroups(process))) {
                    addSockets(process, found);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // What cannot be read is no process of this container.
            return found;
        }
        return found;
    }

    private static void addSockets(Path process, Set<Long> found) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                String target = target(descriptor);
                if (target.startsWith(SOCKET)) {
                    found.add(Long.parseLong(target, SOCKET.length(), target.length() - 1, 10));
                }
            }
        } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
            // It has ended, or is somebody else's.
            return;
        }
    }

    /** Empty for one that is closed meanwhile. */
    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static byte @Nullable [] controlGroups(Path process) {
        try {
            return Files.readAllBytes(process.resolve("cgroup"));
        } catch (IOException e) {
            return null;
        }
    }
}
