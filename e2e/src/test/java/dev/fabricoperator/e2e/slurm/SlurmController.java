/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.slurm;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;

import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.fabric.cabling.HostList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A real slurmctld with a munged of its own, on loopback, for nodes of a cloud, which exist when they are wanted, if at all. */
final class SlurmController implements AutoCloseable {

    /** Of a release that is not installed; its paths below /tmp are this machine's. */
    private static final String IN_ROOT = """
            root=$1; shift
            mount --rbind /tmp "$root/tmp"
            mount --rbind /dev "$root/dev"
            mount -t proc proc "$root/proc"
            exec chroot "$root" "$@"
            """;

    private static final int MOST_NODES = 100_000;

    private final @Nullable Path root;
    private final Path directory;
    private final List<Process> processes = new ArrayList<>();

    private SlurmController(@Nullable Path root, Path directory) {
        this.root = root;
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
        return start(null, directory, nodes, plugin, "topology.conf", topologyConf);
    }

    /**
     * The same of another release.
     *
     * @param root file system with its programs, {@code null} for those that are installed
     * @param directory below /tmp
     * @param file that it reads the topology from
     */
    static SlurmController start(
            @Nullable Path root, Path directory, List<String> nodes, String plugin, String file, String topology)
            throws Exception {
        SlurmController controller = new SlurmController(root, directory);
        try {
            controller.begin(nodes, plugin, file, topology);
        } catch (Exception | Error e) {
            controller.close();
            throw e;
        }
        return controller;
    }

    private void begin(List<String> nodes, String plugin, String file, String topology) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        byte[] key = new byte[128];
        new SecureRandom().nextBytes(key);
        Path keyFile = Files.write(directory.resolve("munge.key"), key);
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
        run(
                null,
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
        Files.writeString(directory.resolve(file), topology);
        Files.writeString(directory.resolve("slurm.conf"), configuration(nodes, plugin));
        Process daemon = run(
                root, "slurmctld", "-D", "-f", directory.resolve("slurm.conf").toString());
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
        if (!plugin.isEmpty()) {
            text.append("TopologyPlugin=topology/").append(plugin).append('\n');
        }
        text.append("SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n");
        // They are never waited for; any program that is there will do.
        text.append("ResumeProgram=/usr/bin/scontrol\nSuspendProgram=/usr/bin/scontrol\nResumeTimeout=3600\n");
        text.append("SuspendTime=3600\n");
        for (int i = 0; i < nodes.size(); i++) {
            // An address of its own, so that nobody asks a name server for it; nothing listens there.
            String address = "127.77." + i / 250 + "." + (i % 250 + 1);
            text.append("NodeName=")
                    .append(nodes.get(i))
                    .append(" NodeAddr=")
                    .append(address)
                    .append(" State=CLOUD\n");
        }
        return text.append("PartitionName=all Nodes=ALL Default=YES\n").toString();
    }

    private static String hostname() throws IOException {
        String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        return name.contains(".") ? name.substring(0, name.indexOf('.')) : name;
    }

    private Process run(@Nullable Path from, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(words));
        // Debian keeps daemons in sbin, which is in nobody's PATH but root's.
        Path daemon = Path.of("/usr/sbin", words[0]);
        if (Files.exists(daemon)) {
            command.set(0, daemon.toString());
        }
        Process process = new ProcessBuilder(in(from, command))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(words[0] + ".out").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static List<String> in(@Nullable Path root, List<String> command) {
        if (root == null) {
            return command;
        }
        List<String> inside = new ArrayList<>(
                List.of("unshare", "--mount", "--propagation", "private", "bash", "-euc", IN_ROOT, "inside"));
        inside.add(root.toString());
        inside.addAll(command);
        return inside;
    }

    /** Output of {@code scontrol}. */
    String control(String... words) throws Exception {
        return client("scontrol", words);
    }

    /** The nodes that a job of so many gets. */
    Set<String> place(int nodes) throws Exception {
        String job = submit(nodes).strip();
        Pattern list = Pattern.compile(" NodeList=(\\S+)");
        return Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> {
                            Matcher found = list.matcher(control("--oneliner", "show", "job", job));
                            return found.find() && !found.group(1).equals("(null)")
                                    ? new TreeSet<>(HostList.expand(found.group(1), MOST_NODES))
                                    : Set.of();
                        },
                        placed -> !placed.isEmpty());
    }

    /** Whether a job of so many nodes could ever run. */
    boolean couldPlace(int nodes) throws Exception {
        try {
            submit(nodes, "--test-only");
            return true;
        } catch (IllegalStateException e) {
            if (String.valueOf(e.getMessage()).contains("node configuration is not available")) {
                return false;
            }
            throw e;
        }
    }

    private String submit(int nodes, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "--parsable", "--exclusive", "--nodes=" + nodes, "--output=/dev/null", "--chdir=/", "--wrap=true"));
        words.addAll(List.of(more));
        return client("sbatch", words.toArray(String[]::new));
    }

    private String client(String program, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(in(root, command)).redirectErrorStream(true);
        builder.environment().put("SLURM_CONF", directory.resolve("slurm.conf").toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(program + " " + String.join(" ", words) + ": " + output);
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
