/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.system.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A subnet in ibsim, loaded from a dump, with opensm for its manager: real programs, whose management datagrams go through
 * umad2sim to the simulator instead of an adapter.
 */
public final class SimulatedSubnet implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final List<Path> PRELOADS = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"),
            Path.of("/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so"),
            Path.of("/usr/lib64/umad2sim/libumad2sim.so"),
            Path.of("/usr/lib/umad2sim/libumad2sim.so"));

    private static final Pattern HOP =
            Pattern.compile("\\[(\\d+)\\] -> (?:switch|ca) port \\{0x(\\p{XDigit}{16})\\}\\[(\\d+)\\].*");

    /** Several simulators on one machine need names of their own. */
    private static final String SOCKET_NAME = "IBSIM_SOCKNAME";

    private static final String LOG = "opensm.log";
    private static final String OTHER_LOG = "other-opensm.log";
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int number = COUNT.incrementAndGet();
    private final Path directory;
    private final Process simulator;
    private Process manager;

    private SimulatedSubnet(Path directory, String dump, String host, List<String> options) {
        this.directory = directory;
        try {
            Path net = Files.writeString(directory.resolve("small.net"), dump);
            ProcessBuilder ibsim = new ProcessBuilder(
                            "ibsim", "-s", "-N", "4096", "-S", "1024", "-P", "32768", net.toString())
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("ibsim.log").toFile());
            ibsim.environment().put(SOCKET_NAME, socketName());
            simulator = ibsim.start();
        } catch (IOException e) {
            throw new UncheckedIOException("ibsim is missing: scripts/setup.sh installs ibsim-utils", e);
        }
        await("ibsim.log", "sim");
        manager = manager(host, options, LOG);
    }

    private Process manager(String host, List<String> options, String log) {
        try {
            // opensm sweeps lightly every second: a change is seen as in a real subnet.
            List<String> words = new ArrayList<>(List.of(
                    "env", "opensm", "-s", "1", "-f", directory.resolve(log).toString()));
            words.addAll(options);
            ProcessBuilder opensm = new ProcessBuilder(words)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("opensm.out").toFile());
            opensm.environment().putAll(environment(host));
            // Where OpenSmPlugin is built, if it is.
            opensm.environment().put("LD_LIBRARY_PATH", directory.toString());
            opensm.environment().put("OSM_TMP_DIR", directory.toString());
            opensm.environment().put("OSM_CACHE_DIR", directory.toString());
            return opensm.start();
        } catch (IOException e) {
            simulator.destroyForcibly();
            throw new UncheckedIOException("opensm is missing: scripts/setup.sh installs it", e);
        }
    }

    private void await(String log, String words) {
        Path file = directory.resolve(log);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            while (!Files.exists(file) || !Files.readString(file).contains(words)) {
                if (!simulator.isAlive() || System.nanoTime() > deadline) {
                    end();
                    throw new IllegalStateException("not said within " + LIMIT + ": '" + words + "' in " + file);
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what it says", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end();
            throw new IllegalStateException("interrupted while a subnet starts", e);
        }
    }

    /** @param host node GUID of the adapter that opensm runs on */
    public static SimulatedSubnet of(Path directory, String dump, String host) {
        return new SimulatedSubnet(directory, dump, host, List.of());
    }

    /** As {@link #of(Path, String, String)}, with more options of opensm; ready when it has programmed the switches. */
    public static SimulatedSubnet routed(Path directory, String dump, String host, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        // Each line of the log when it is said.
        all.add("-d2");
        SimulatedSubnet subnet = new SimulatedSubnet(directory, dump, host, all);
        subnet.await(LOG, "SUBNET UP");
        return subnet;
    }

    /** Ends opensm, and starts it anew with other options; ready when it has programmed the switches. */
    public void manageAnew(String host, String... options) {
        killManager();
        try {
            Files.deleteIfExists(directory.resolve(LOG));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete its log", e);
        }
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-d2");
        manager = manager(host, all, LOG);
        await(LOG, "SUBNET UP");
    }

    public void killManager() {
        manager.destroyForcibly().onExit().join();
    }

    /** Another opensm, beside the first: in ibsim neither finds the other, so that both manage the subnet. Ready when it has programmed the switches. */
    public Process another(String host) {
        Process another = manager(host, List.of("-d2"), OTHER_LOG);
        await(OTHER_LOG, "SUBNET UP");
        return another;
    }

    /**
     * The way of packets, asked of one switch after the other: {@code switch:in:out} of each step.
     *
     * @param host node GUID of the adapter that asks
     * @param from port GUID, as {@code to}
     */
    public List<String> trace(String host, String from, String to) {
        List<String> hops = new ArrayList<>();
        String before = "";
        // Lines "[1] -> switch port {0x..}[4] ..": out by the port before the arrow, in by that behind.
        for (String line :
                run(host, "ibtracert", "-G", "0x" + from, "0x" + to).lines().toList()) {
            Matcher hop = HOP.matcher(line);
            if (hop.matches()) {
                if (!before.isEmpty()) {
                    hops.add(before + ":" + hop.group(1));
                }
                before = hop.group(2) + ":" + hop.group(3);
            }
        }
        return hops;
    }

    /** Runs a program on the adapter with node GUID {@code host}; what it prints. */
    public String run(String host, String... words) {
        return new Command(List.of("env"), environment(host)).run(words);
    }

    /** What a program needs that is to be on the adapter with node GUID {@code host}. */
    public Map<String, String> environment(String host) {
        Map<String, String> environment = new HashMap<>();
        environment.put(
                "LD_PRELOAD",
                PRELOADS.stream()
                        .filter(Files::exists)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException(
                                "libumad2sim.so is missing: scripts/setup.sh installs ibsim-utils"))
                        .toString());
        environment.put("SIM_HOST", "H-" + host);
        environment.put(SOCKET_NAME, socketName());
        // Debian keeps ibnetdiscover in sbin, which is in nobody's PATH but root's.
        environment.put("PATH", System.getenv("PATH") + ":/usr/sbin");
        return environment;
    }

    /** Says a command on the simulator's console, such as {@code Unlink "S-..."[1]}. */
    public void say(String command) {
        try {
            simulator.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            simulator.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    simulator.isAlive()
                            ? "ibsim does not listen to its console"
                            : "ibsim has ended with code " + simulator.exitValue() + ": "
                                    + directory.resolve("ibsim.log"),
                    e);
        }
    }

    private String socketName() {
        // What a subnet before has left must not find this one.
        return directory.getFileName() + "-" + number;
    }

    public void end() {
        simulator.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        manager.destroyForcibly().onExit().join();
        end();
    }
}
