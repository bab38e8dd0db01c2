/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;

import dev.fabricoperator.e2e.cluster.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A real slurmctld with a munged of its own, on loopback, for nodes that need not exist. */
final class SlurmController implements AutoCloseable {

    private final Path directory;
    private final List<Process> processes = new ArrayList<>();

    private SlurmController(Path directory) {
        this.directory = directory;
    }

    /**
     * Starts it and waits until it answers.
     *
     * @param directory empty; not readable by others
     * @param plugin Slurm's name for the kind of topology
     * @throws IllegalStateException if it ends instead, with its log
     */
    static SlurmController start(Path directory, List<String> nodes, String plugin, String topologyConf)
            throws Exception {
        SlurmController controller = new SlurmController(directory);
        try {
            controller.begin(nodes, plugin, topologyConf);
        } catch (Exception | Error e) {
            controller.close();
            throw e;
        }
        return controller;
    }

    private void begin(List<String> nodes, String plugin, String topologyConf) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        byte[] key = new byte[128];
        new SecureRandom().nextBytes(key);
        Path keyFile = Files.write(directory.resolve("munge.key"), key);
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
        run(
                "munged",
                "--foreground",
                "--force",
                "--socket=" + directory.resolve("munge.socket"),
                "--key-file=" + keyFile,
                "--pid-file=" + directory.resolve("munged.pid"),
                "--log-file=" + directory.resolve("munged.log"),
                "--seed-file=" + directory.resolve("munge.seed"));
        Awaitility.await().atMost(LIMIT).until(() -> Files.exists(directory.resolve("munge.socket")));
        Files.createDirectory(directory.resolve("state"));
        Files.writeString(directory.resolve("topology.conf"), topologyConf);
        Files.writeString(directory.resolve("slurm.conf"), configuration(nodes, plugin));
        Process daemon =
                run("slurmctld", "-D", "-f", directory.resolve("slurm.conf").toString());
        Awaitility.await().atMost(LIMIT).until(() -> !daemon.isAlive() || answers());
        if (!daemon.isAlive()) {
            throw new IllegalStateException("slurmctld has ended: " + log());
        }
    }

    private String configuration(List<String> nodes, String plugin) throws Exception {
        StringBuilder text = new StringBuilder();
        text.append("ClusterName=test\nSlurmctldHost=").append(hostname()).append("(127.0.0.1)\n");
        text.append("SlurmUser=").append(System.getProperty("user.name")).append('\n');
        text.append("SlurmctldPort=").append(Ports.free()).append('\n');
        text.append("AuthType=auth/munge\nAuthInfo=socket=").append(directory).append("/munge.socket\n");
        text.append("StateSaveLocation=").append(directory).append("/state\n");
        text.append("SlurmctldPidFile=").append(directory).append("/slurmctld.pid\n");
        text.append("SlurmctldLogFile=").append(directory).append("/slurmctld.log\n");
        text.append("ProctrackType=proctrack/linuxproc\nSwitchType=switch/none\nTaskPlugin=task/none\n");
        text.append("TopologyPlugin=topology/").append(plugin).append('\n');
        for (int i = 0; i < nodes.size(); i++) {
            // An address of its own, so that nobody asks a name server for it; nothing listens there.
            String address = "127.77." + i / 250 + "." + (i % 250 + 1);
            text.append("NodeName=")
                    .append(nodes.get(i))
                    .append(" NodeAddr=")
                    .append(address)
                    .append('\n');
        }
        return text.append("PartitionName=all Nodes=ALL Default=YES\n").toString();
    }

    private static String hostname() throws IOException {
        String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    private Process run(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(words));
        // Debian keeps daemons in sbin, which is in nobody's PATH but root's.
        Path daemon = Path.of("/usr/sbin", words[0]);
        if (Files.exists(daemon)) {
            command.set(0, daemon.toString());
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(words[0] + ".out").toFile())
                .start();
        processes.add(process);
        return process;
    }

    /** Output of {@code scontrol}. */
    String control(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("scontrol"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SLURM_CONF", directory.resolve("slurm.conf").toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("scontrol " + String.join(" ", words) + ": " + output);
        }
        return output;
    }

    private boolean answers() {
        try {
            return control("ping").contains("UP");
        } catch (IllegalStateException notYet) {
            return false;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    String log() {
        try {
            Path log = directory.resolve("slurmctld.log");
            String output = Files.readString(directory.resolve("slurmctld.out"));
            return Files.exists(log) ? output + Files.readString(log) : output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Process process : processes.reversed()) {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
