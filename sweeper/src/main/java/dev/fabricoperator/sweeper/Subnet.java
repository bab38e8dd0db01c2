/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sweeper;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.counters.PortCounters;
import dev.fabricoperator.fabric.cabling.counters.PortCountersReader;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.level.PortLanes;
import dev.fabricoperator.fabric.level.PortLanesReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The subnet as the programs of infiniband-diags show it. */
final class Subnet {
    /** Words of a program that go into a message. */
    private static final int SHOWN = 300;
    /** A dump of 80,000 ports is 15 MB. */
    private static final long MAXIMUM_BYTES = 512L << 20;

    /** A line of 100 characters for each port of a switch. */
    private static final int MOST_OF_A_TABLE = 1 << 17;

    private static final Duration TABLE_LIMIT = Duration.ofSeconds(3);
    private static final Duration MASTER_LIMIT = Duration.ofSeconds(10);
    private static final Duration STEP = Duration.ofMillis(50);

    private static final Pattern ACTIVITY = Pattern.compile("activity count (\\d{1,18})");

    private final SweeperConfig config;
    /** Of the subnet manager, as it was told last. */
    private long activity;

    /** How often a manager has begun to count anew. */
    private int starts;

    Subnet(SweeperConfig config) {
        this.config = config;
    }

    /**
     * Every switch that can be reached from here.
     *
     * @throws IOException if the program fails, does not end in time, or finds no switch: an adapter whose cable is out sees
     *     itself alone, and that is no subnet
     * @throws BadInputException if its output cannot be understood
     */
    Cabling sweep() throws IOException, BadInputException, InterruptedException {
        Path output = Files.createTempFile("sweep", ".txt");
        Path errors = Files.createTempFile("sweep", ".err");
        try {
            int code = run(config.discover(), output, errors, config.limit());
            if (code != 0) {
                throw new IOException(config.discover().getFirst() + " ended with " + code + ": " + words(errors));
            }
            Cabling cabling;
            try (BufferedReader text = Files.newBufferedReader(output, StandardCharsets.UTF_8)) {
                cabling = IbnetdiscoverReader.read(config.discover().getFirst(), text);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            if (cabling.switches().isEmpty()) {
                throw new IOException(config.discover().getFirst() + " finds no switch: " + words(errors));
            }
            return cabling;
        } finally {
            Files.deleteIfExists(output);
            Files.deleteIfExists(errors);
        }
    }

    /**
     * What the ports of switches have counted that is no data.
     *
     * @throws IOException if the program does not end in time, or cannot be started
     * @throws BadInputException if its output cannot be understood, as where it was cut
     */
    PortCounters counters() throws IOException, BadInputException, InterruptedException {
        return counters(config.counters(), name -> true);
    }

    /** How much the ports of switches have sent and received; throws what {@link #counters()} does. */
    PortCounters dataCounters() throws IOException, BadInputException, InterruptedException {
        return counters(config.dataCounters(), PortTraffic.DATA::contains);
    }

    private PortCounters counters(List<String> command, Predicate<String> wanted)
            throws IOException, BadInputException, InterruptedException {
        Path output = Files.createTempFile("counters", ".txt");
        Path errors = Files.createTempFile("counters", ".err");
        String program = command.getFirst();
        try {
            // Its code says whether there are errors; whether it has come to its end, the text does.
            int code = run(command, output, errors, config.limit());
            if (Files.size(output) == 0) {
                throw new IOException(program + " ended with " + code + ": " + words(errors));
            }
            try (BufferedReader text = Files.newBufferedReader(output, StandardCharsets.UTF_8)) {
                return PortCountersReader.read(program, text, wanted);
            }
        } finally {
            Files.deleteIfExists(output);
            Files.deleteIfExists(errors);
        }
    }

    /**
     * How a port of a switch maps service levels to virtual lanes, and what weight these have.
     *
     * @param id node GUID of the switch, 16 hex digits
     * @throws IOException if the program fails, or does not end in time
     * @throws BadInputException if its output cannot be understood
     */
    PortLanes lanes(String id, int port) throws IOException, BadInputException, InterruptedException {
        return PortLanesReader.read(
                config.levels().getFirst(), new StringReader(table("sl2vl", id, port) + table("vlarb", id, port)));
    }

    private String table(String which, String id, int port)
            throws IOException, BadInputException, InterruptedException {
        Path output = Files.createTempFile(which, ".txt");
        Path errors = Files.createTempFile(which, ".err");
        try {
            List<String> command = new ArrayList<>(config.levels());
            command.addAll(List.of("-G", which, "0x" + id, Integer.toString(port)));
            int code = run(command, output, errors, TABLE_LIMIT);
            if (code != 0) {
                throw new IOException(command.getFirst() + " " + which + " ended with " + code + ": " + words(errors));
            }
            try (InputStream in = Files.newInputStream(output)) {
                return new String(in.readNBytes(MOST_OF_A_TABLE), StandardCharsets.UTF_8);
            }
        } finally {
            Files.deleteIfExists(output);
            Files.deleteIfExists(errors);
        }
    }

    /** Who is master now, in a form that changes when that does, or when it was started anew; what the program says where there is none. */
    String master() throws IOException, InterruptedException {
        Path output = Files.createTempFile("master", ".txt");
        try {
            int code = run(config.masterQuery(), output, null, MASTER_LIMIT);
            String said = words(output);
            Matcher count = ACTIVITY.matcher(said);
            if (count.find()) {
                // It rises for as long as that process runs.
                long now = Long.parseLong(count.group(1));
                starts += now < activity ? 1 : 0;
                activity = now;
            }
            return code + " " + count.replaceAll("") + " " + starts;
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static int run(List<String> command, Path output, @Nullable Path errors, Duration limit)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile())
                .redirectError(
                        errors == null ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.to(errors.toFile()))
                .start();
        try {
            long deadline = System.nanoTime() + limit.toNanos();
            while (!process.waitFor(STEP.toMillis(), TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException(command.getFirst() + " has not ended within " + limit.toSeconds() + " s");
                }
                if (Files.size(output) > MAXIMUM_BYTES) {
                    throw new IOException(command.getFirst() + " says more than " + MAXIMUM_BYTES + " bytes");
                }
            }
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The beginning of a text, on one line. */
    static String words(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(SHOWN), StandardCharsets.UTF_8)
                    .replaceAll("\\s+", " ")
                    .strip();
        }
    }
}
