/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.openssl.TlsTrust;
import dev.fabricoperator.pmix.pmixd.loop.Log;
import dev.fabricoperator.pmix.pmixd.service.JobService;
import dev.fabricoperator.pmix.pmixd.service.ServiceSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The hostfile of a job whose launcher reaches its workers by ssh, in the order that the fabric has them: mpirun fills hosts in the order of its
 * hostfile with ranks.
 */
final class HostOrder {
    private static final long LIMIT_NANOS = 20_000_000_000L;
    private static final long PAUSE_MILLIS = 500;

    private HostOrder() {}

    /**
     * Asks the job service, and writes the lines of a hostfile in that order.
     *
     * @return whether {@code ordered} is written; if not, why is in the log
     */
    static boolean write(ServiceSettings settings, Path hostfile, Path ordered) throws IOException {
        List<String> lines = Files.readAllLines(hostfile, StandardCharsets.UTF_8);
        long deadline = System.nanoTime() + LIMIT_NANOS;
        String why;
        try (TlsTrust trust = TlsTrust.of(settings.authorities());
                JobService service = new JobService(settings, trust)) {
            do {
                try {
                    List<String> hosts = service.hosts();
                    int missing = missing(lines, hosts);
                    if (missing == 0) {
                        Path made = Path.of(ordered + ".new");
                        // Others may write in its directory: what has the name already may be a link of theirs.
                        Files.deleteIfExists(made);
                        Files.write(
                                made, inOrder(lines, hosts), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                        Files.move(made, ordered, StandardCopyOption.ATOMIC_MOVE);
                        return true;
                    }
                    why = "it does not know " + missing + " of the hosts";
                } catch (IOException e) {
                    why = String.valueOf(e.getMessage());
                }
                Thread.sleep(PAUSE_MILLIS);
            } while (System.nanoTime() - deadline < 0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        Log.line("job service at " + String.join(",", settings.addresses()) + " gives no order of hosts: " + why);
        return false;
    }

    private static int missing(List<String> lines, List<String> hosts) {
        Set<String> known = new HashSet<>(hosts);
        int missing = 0;
        for (String line : lines) {
            String host = host(line);
            if (!host.isEmpty() && !known.contains(host)) {
                missing++;
            }
        }
        return missing;
    }

    /** Lines of hosts that are not among {@code hosts}, and those of no host, stay before all others. */
    static List<String> inOrder(List<String> lines, List<String> hosts) {
        Map<String, Integer> positions = new HashMap<>();
        for (String host : hosts) {
            positions.putIfAbsent(host, positions.size());
        }
        List<String> ordered = new ArrayList<>(lines);
        ordered.sort(Comparator.comparingInt(line -> positions.getOrDefault(host(line), -1)));
        return ordered;
    }

    /** The first label of the name that a line of a hostfile begins with: the pod's own host name; empty for a line of no host. */
    static String host(String line) {
        String name = line.strip();
        int end = 0;
        while (end < name.length() && " \t:#.".indexOf(name.charAt(end)) < 0) {
            end++;
        }
        return name.substring(0, end);
    }
}
