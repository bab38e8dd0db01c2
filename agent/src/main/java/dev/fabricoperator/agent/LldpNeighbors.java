/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.fabric.cabling.lldp.KeyValueOutputReader;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import dev.fabricoperator.fabric.device.Neighbor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who is at the other ends of a host's cables, from the host's LLDP daemon: {@code lldpctl} asks it over its socket. It
 * is read and never configured.
 *
 * <p>Cost: one short-lived process where there is a socket, at most {@value #MAX_BYTES} bytes and {@value #MAX_SECONDS}
 * seconds of it; nothing where there is none.
 *
 * @see "lldpctl(8)"
 */
public final class LldpNeighbors {
    /** Where a host's lldpd may have its socket. A directory of its own can be mounted, and outlives a restart of lldpd. */
    private static final List<String> SOCKETS = List.of("run/lldpd/lldpd.socket", "run/lldpd.socket");

    private static final List<String> DIRECTORIES = List.of("/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin");
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_SECONDS = 5;

    /** Bound of {@code FabricDevice.spec.neighbor.port}. */
    private static final int MAX_PORT = 128;

    private final Path hostRoot;
    private final @Nullable Path socket;
    private final Path program;

    /** What one question gave. */
    public sealed interface Answer {}

    /** By interface. An interface that is not there hears nobody. */
    public record Known(Map<String, Neighbor> neighbors) implements Answer {
        public Known {
            neighbors = Map.copyOf(neighbors);
        }
    }

    /** Nobody could be asked, which says nothing about neighbours. */
    public record Unknown(String reason) implements Answer {}

    /**
     * @param hostRoot directory that holds the host's {@code run}
     * @param socket {@code null} to look for it below {@code hostRoot}
     * @param program lldpctl, searched for where it is a mere name
     */
    public LldpNeighbors(Path hostRoot, @Nullable Path socket, Path program) {
        this.hostRoot = hostRoot;
        this.socket = socket;
        this.program = program;
    }

    /** Asks once. */
    public Answer ask() throws InterruptedException {
        Path found = socket != null ? socket : search();
        if (found == null || !Files.exists(found)) {
            return new Unknown("no socket of an LLDP daemon" + (found == null ? "" : ": " + found));
        }
        Path executable = executable();
        if (executable == null) {
            return new Unknown(program + " is not installed");
        }
        try {
            return ask(new ProcessBuilder(executable.toString(), "-u", found.toString(), "-f", "keyvalue"));
        } catch (IOException e) {
            return new Unknown(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Path search() {
        return SOCKETS.stream()
                .map(hostRoot::resolve)
                .filter(Files::exists)
                .findFirst()
                .orElse(null);
    }

    private @Nullable Path executable() {
        if (program.getNameCount() > 1 || program.isAbsolute()) {
            return Files.isExecutable(program) ? program : null;
        }
        String path = System.getenv("PATH");
        return Stream.concat(Stream.of((path == null ? "" : path).split(":")), DIRECTORIES.stream())
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory).resolve(program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    private static Answer ask(ProcessBuilder command) throws IOException, InterruptedException {
        command.environment().put("LC_ALL", "C");
        Process process = command.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try {
            process.getOutputStream().close();
            AtomicReference<byte[]> read = new AtomicReference<>(new byte[0]);
            Thread reader = Thread.ofVirtual().start(() -> {
                try (InputStream output = process.getInputStream()) {
                    read.set(output.readNBytes(MAX_BYTES + 1));
                } catch (IOException e) {
                    // A process that was ended for being late has no more output; its lateness is what is told.
                    read.set(new byte[0]);
                }
            });
            boolean done = reader.join(Duration.ofSeconds(MAX_SECONDS));
            if (done && read.get().length > MAX_BYTES) {
                return new Unknown("lldpctl prints more than " + MAX_BYTES + " bytes");
            }
            if (!done || !process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
                return new Unknown("lldpctl has not answered within " + MAX_SECONDS + " s");
            }
            return process.exitValue() == 0
                    ? new Known(neighbors(new String(read.get(), StandardCharsets.UTF_8)))
                    : new Unknown("lldpctl ended with status " + process.exitValue()
                            + ": no LLDP daemon listens, or its socket is not for this user");
        } finally {
            process.destroyForcibly();
        }
    }

    /** What an answer in the form {@code keyvalue} says, by interface. */
    static Map<String, Neighbor> neighbors(String answer) {
        KeyValueOutputReader answers = new KeyValueOutputReader();
        int number = 0;
        for (String line : answer.split("\n")) {
            answers.line(++number, line);
        }
        // Where a card and the system behind it both speak, the system has a name.
        Comparator<LldpNeighbor> best =
                Comparator.comparing((LldpNeighbor n) -> !n.isLldp()).thenComparing(n -> n.chassisName() == null);
        Map<String, List<LldpNeighbor>> heard = new TreeMap<>();
        answers.outputs().stream()
                .flatMap(output -> output.neighbors().stream())
                .filter(neighbor -> neighbor.id() != null)
                .forEach(neighbor -> heard.computeIfAbsent(neighbor.netdev(), netdev -> new ArrayList<>())
                        .add(neighbor));
        Map<String, Neighbor> byInterface = new TreeMap<>();
        heard.forEach((netdev, all) -> {
            all.sort(best.thenComparing(n -> String.valueOf(n.id())));
            LldpNeighbor first = all.getFirst();
            String id = Objects.requireNonNull(first.id());
            // Nor which of its ports, where it hears several of one system.
            boolean isOfOnePort = all.stream()
                            .filter(other -> best.compare(first, other) == 0)
                            .map(LldpNeighbor::port)
                            .distinct()
                            .count()
                    == 1;
            String port = isOfOnePort ? first.port() : null;
            // Where a member of a bond hears what others hear, nobody knows which one has the cable.
            if (all.stream().noneMatch(other -> best.compare(first, other) == 0 && !id.equals(other.id()))) {
                byInterface.put(
                        netdev, new Neighbor(id, port == null || port.length() > MAX_PORT ? null : port, "lldp"));
            }
        });
        return byInterface;
    }
}
