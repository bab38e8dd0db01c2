/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.lldp;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * Hosts around one switch: each a network namespace with a real lldpd in it, joined by virtual cables. No frame leaves
 * these namespaces. The daemons have names, sockets and a {@code /run} of their own.
 */
public final class LldpLab implements AutoCloseable {
    public static final String SWITCH = "leaf7";

    /** Debian keeps lldpd in sbin, which is in nobody's PATH but root's. */
    private static final String PATH = System.getenv("PATH") + ":/usr/sbin:/sbin";

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Path directory;
    /** Of each lab its own: test classes run side by side. */
    private final String prefix =
            "fo" + Long.toString(ProcessHandle.current().pid(), 36) + "x" + COUNT.incrementAndGet() + "x";

    private final Map<String, Process> daemons = new LinkedHashMap<>();
    private final List<String> namespaces = new ArrayList<>();

    private LldpLab(Path directory) {
        this.directory = directory;
    }

    /**
     * The first host is on port {@code swp1}, and so on.
     *
     * @param directory short enough a path for a socket in it
     * @param netdev what every host calls its interface
     */
    public static LldpLab of(Path directory, List<String> hosts, String netdev) {
        Assumptions.assumeTrue(
                "root".equals(System.getProperty("user.name")), "network namespaces are made by root only");
        LldpLab lab = new LldpLab(directory);
        try {
            // lldpctl of root becomes the user whose the socket is.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            lab.start(hosts, netdev);
            return lab;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            lab.close();
            throw e;
        }
    }

    private void start(List<String> hosts, String netdev) {
        Assumptions.assumeTrue(
                run(false, "ip", "netns", "add", prefix + "probe") != null,
                "this machine lets nobody make network namespaces (in a container: --privileged)");
        run(true, "ip", "netns", "delete", prefix + "probe");
        add(SWITCH);
        for (int i = 0; i < hosts.size(); i++) {
            String host = hosts.get(i);
            String port = "swp" + (i + 1);
            add(host);
            run(
                    true,
                    "ip",
                    "link",
                    "add",
                    "name",
                    netdev,
                    "netns",
                    prefix + host,
                    "type",
                    "veth",
                    "peer",
                    "name",
                    port,
                    "netns",
                    prefix + SWITCH);
            run(true, "ip", "-n", prefix + host, "link", "set", netdev, "up");
            run(true, "ip", "-n", prefix + SWITCH, "link", "set", port, "up");
        }
        for (String system :
                namespaces.stream().map(n -> n.substring(prefix.length())).toList()) {
            daemon(system, netdev);
        }
        for (String system : daemons.keySet()) {
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> Files.exists(socket(system))
                            && Files.readString(log(system)).contains("should resume operations")
                            && run(false, lldpcli(system, "configure", "lldp", "tx-interval", "1")) != null);
            // What was heard outlasts the pauses of a busy machine.
            run(true, lldpcli(system, "configure", "lldp", "tx-hold", "60"));
            run(true, lldpcli(system, "configure", "lldp", "portidsubtype", "ifname"));
        }
        // One that sent first was not heard by those that began later, and may send again only after half a minute.
        daemons.keySet().forEach(system -> run(true, lldpcli(system, "update")));
    }

    private void add(String system) {
        run(true, "ip", "netns", "add", prefix + system);
        namespaces.add(prefix + system);
    }

    private void daemon(String system, String netdev) {
        try {
            daemons.put(
                    system,
                    new ProcessBuilder(
                                    "ip",
                                    "netns",
                                    "exec",
                                    prefix + system,
                                    "unshare",
                                    "-um",
                                    "sh",
                                    "-c",
                                    "hostname " + system
                                            + " && mount -t tmpfs none /run && mkdir /run/lldpd && exec lldpd -d -u "
                                            + socket(system) + " -I " + netdev + ",swp*")
                            .redirectErrorStream(true)
                            .redirectOutput(log(system).toFile())
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path log(String system) {
        return directory.resolve(system + ".log");
    }

    public Path socket(String system) {
        return directory.resolve(system + ".socket");
    }

    /** Waits until both ends of every cable have been heard. */
    public void awaitNeighbors() {
        for (String system : daemons.keySet()) {
            int expected = system.equals(SWITCH) ? daemons.size() - 1 : 1;
            Awaitility.await()
                    .atMost(LIMIT)
                    .pollInterval(Duration.ofMillis(500))
                    .ignoreExceptions()
                    .untilAsserted(() -> {
                        String answer = ask(system, "keyvalue");
                        assertThat(answer.lines().filter(line -> line.contains(".port.ifname=")))
                                .as(answer)
                                .hasSize(expected);
                    });
        }
    }

    /** What lldpctl prints on a system. */
    public String ask(String system, String form) {
        return Objects.requireNonNull(run(true, "lldpctl", "-u", socket(system).toString(), "-f", form));
    }

    /** What {@code lldpcli show chassis} prints on a system. */
    String chassis(String system) {
        return Objects.requireNonNull(run(true, lldpcli(system, "-f", "json", "show", "chassis")));
    }

    /** Ends the daemon of a system. */
    public void end(String system) {
        Process daemon = daemons.get(system);
        if (daemon != null) {
            daemon.destroy();
            try {
                if (!daemon.waitFor(10, TimeUnit.SECONDS)) {
                    daemon.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private String[] lldpcli(String system, String... command) {
        List<String> whole =
                new ArrayList<>(List.of("lldpcli", "-u", socket(system).toString()));
        whole.addAll(List.of(command));
        return whole.toArray(String[]::new);
    }

    /** @return what the program printed; {@code null} where it failed and need not succeed */
    private static @Nullable String run(boolean must, String... command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(must);
            if (!must) {
                builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            }
            builder.environment().put("PATH", PATH);
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() == 0) {
                return output;
            }
            if (must) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(command[0] + " is missing: scripts/setup.sh installs it", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        daemons.keySet().forEach(this::end);
        namespaces.forEach(namespace -> run(false, "ip", "netns", "delete", namespace));
    }
}
