/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the program does for jobs whose launcher reaches its workers by ssh; their SSH server is played by a socket. */
@Timeout(300)
abstract class SshLaunchBehaviour {
    private final String name;

    @TempDir
    Path directory = Path.of("");

    SshLaunchBehaviour(String name) {
        this.name = name;
    }

    private LauncherProcess run(Map<String, String> environment, String... arguments) throws IOException {
        return LauncherProcess.start(
                Path.of("target", name).toAbsolutePath(), directory, environment, List.of(arguments));
    }

    /** Of the configuration that an image has, as the ssh program tells it. */
    private Map<String, String> sshPort(int port) throws IOException {
        Path ssh = Files.writeString(
                directory.resolve("ssh"), "#!/bin/sh\n[ \"$1\" = -G ] && echo user mpi && echo port " + port + "\n");
        Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Map.of("PATH", directory + ":/usr/bin:/bin");
    }

    private Path hostfile(String... lines) throws IOException {
        return Files.write(directory.resolve("hostfile"), List.of(lines));
    }

    private static void greet(ServerSocket server, String greeting) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    try (Socket socket = server.accept()) {
                        socket.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
                    }
                }
            } catch (IOException e) {
                if (!server.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    @Test
    void starts_the_command_when_every_worker_greets() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            Path hosts = hostfile("127.0.0.1 slots=2", "# 127.0.0.2", "localhost:1");
            LauncherProcess launcher = run(
                    sshPort(server.getLocalPort()), "--await-hosts", hosts.toString(), "--", "echo", "all are there");
            // Its port is open, and nothing greets.
            Thread.sleep(500);
            assertThat(launcher.process().isAlive()).isTrue();
            assertThat(launcher.out()).isEmptyFile();
            greet(server, "SSH-2.0-played\r\n");
            assertThat(launcher.exitCode()).isZero();
            assertThat(launcher.out()).hasContent("all are there");
        }
    }

    private LauncherProcess runInOrder(ServerSocket server, String program) throws IOException {
        greet(server, "SSH-2.0-played\r\n");
        Path hosts = hostfile("localhost slots=1", "127.0.0.1 slots=1");
        PlayedImage.write(directory, program);
        Map<String, String> environment = new HashMap<>(sshPort(server.getLocalPort()));
        environment.put("PRTE_MCA_prte_default_hostfile", hosts.toString());
        environment.put("I_MPI_HYDRA_HOST_FILE", hosts.toString());
        environment.put("HYDRA_HOST_FILE", "/of/the/image");
        environment.put("PMIXD_FABRIC_JOB_SERVICE", "10.0.0.1:9444");
        return run(
                environment,
                "--await-hosts",
                hosts.toString(),
                "--order",
                directory.resolve("ordered").toString(),
                "--pmixd",
                PlayedImage.of(directory).toString(),
                "--",
                "sh",
                "-c",
                "cat $PRTE_MCA_prte_default_hostfile; echo $I_MPI_HYDRA_HOST_FILE $HYDRA_HOST_FILE $PMIXD_FABRIC_JOB_SERVICE.");
    }

    @Test
    void the_command_reads_its_hosts_in_the_order_of_the_fabric() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            LauncherProcess launcher = runInOrder(server, """
                    while [ "$1" != @app/pmixd.main ]; do shift; done
                    sort "$2" > "$3"; echo asked $FABRIC_JOB_SERVICE >> "$3\"""");
            assertThat(launcher.exitCode()).isZero();
            assertThat(launcher.out())
                    .hasContent("127.0.0.1 slots=1\nlocalhost slots=1\nasked 10.0.0.1:9444\n"
                            + directory.resolve("ordered") + " /of/the/image .");
        }
    }

    @Test
    void without_an_answer_the_hosts_stay_in_their_order() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            LauncherProcess launcher = runInOrder(server, "echo no answer; exit 1");
            assertThat(launcher.exitCode()).isZero();
            assertThat(launcher.out())
                    .hasContent("localhost slots=1\n127.0.0.1 slots=1\n" + directory.resolve("hostfile")
                            + " /of/the/image .");
            assertThat(launcher.err())
                    .hasContent("no answer\nfabric-launcher: the order of hosts is that of "
                            + directory.resolve("hostfile"));
        }
    }

    @Test
    void names_the_workers_that_are_missing() throws Exception {
        Path hosts = hostfile("127.0.0.1", "worker-1.job.invalid slots=1");
        LauncherProcess launcher =
                run(sshPort(1), "--await-hosts", hosts.toString(), "--timeout", "5", "--", "echo", "started");
        assertThat(launcher.exitCode()).isEqualTo(124);
        assertThat(launcher.out()).isEmptyFile();
        assertThat(launcher.err())
                .hasContent("fabric-launcher: gave up waiting for workers: 127.0.0.1 (nothing listens on its SSH port),"
                        + " worker-1.job.invalid (its name has no address yet); 2 of 2 are missing");
    }

    /** The file changes as a kubelet changes it: another takes its name. */
    @Test
    void a_worker_that_the_job_has_no_more_is_not_waited_for() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            greet(server, "SSH-2.0-played\r\n");
            Path hosts = hostfile("worker-1.job.invalid", "127.0.0.1", "worker-2.job.invalid");
            LauncherProcess launcher =
                    run(sshPort(server.getLocalPort()), "--await-hosts", hosts.toString(), "--", "echo", "started");
            Thread.sleep(500);
            assertThat(launcher.process().isAlive()).isTrue();
            Files.move(
                    Files.writeString(directory.resolve("fewer"), "127.0.0.1\n"),
                    hosts,
                    StandardCopyOption.ATOMIC_MOVE);
            assertThat(launcher.exitCode()).isZero();
            assertThat(launcher.out()).hasContent("started");
        }
    }

    @Test
    void what_is_no_ssh_server_does_not_count() throws Exception {
        try (ServerSocket server = new ServerSocket()) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            greet(server, "HTTP/1.1 400 Bad Request\r\n");
            Path hosts = hostfile("127.0.0.1");
            LauncherProcess launcher = run(
                    sshPort(server.getLocalPort()), "--await-hosts", hosts.toString(), "--timeout", "5", "--", "true");
            assertThat(launcher.exitCode()).isEqualTo(124);
            assertThat(launcher.err()).content().contains("127.0.0.1 (its SSH server does not greet)");
        }
    }

    @Test
    void does_not_wait_on_after_the_signal_that_ends_its_pod() throws Exception {
        LauncherProcess launcher =
                run(sshPort(1), "--await-hosts", directory.resolve("missing").toString(), "--", "true");
        Thread.sleep(300);
        launcher.process().destroy();
        assertThat(launcher.exitCode()).isEqualTo(143);
    }

    @Test
    void hands_variables_from_the_container_to_a_session() throws Exception {
        Path file = directory.resolve("environment");
        LauncherProcess container = run(
                Map.of("UCX_NET_DEVICES", "mlx5_0:1", "OWN", "a", "OTHER", "b"),
                "--keep-environment",
                file.toString(),
                "--names",
                "UCX_NET_DEVICES,OWN",
                "--",
                "sh",
                "-c",
                "exit 3");
        assertThat(container.exitCode()).isEqualTo(3);
        LauncherProcess session = run(
                Map.of("OWN", "of the session"),
                "--take-environment",
                file.toString(),
                "sh",
                "-c",
                "echo $UCX_NET_DEVICES, $OWN, $OTHER.");
        assertThat(session.exitCode()).isZero();
        assertThat(session.out()).hasContent("mlx5_0:1, of the session, .");
    }

    /** Of the container's users each may put a file there, and a session may be root's. */
    @Test
    void a_file_that_others_may_have_written_is_not_taken() throws Exception {
        Path own = Files.writeString(directory.resolve("own"), "LD_PRELOAD=/nowhere.so\0");
        Path open = Files.writeString(directory.resolve("open"), "OPEN=yes\0");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-r--"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), own);
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (Path file : List.of(open, link, pipe, directory)) {
            LauncherProcess session =
                    run(Map.of(), "--take-environment", file.toString(), "sh", "-c", "echo $OPEN$LD_PRELOAD.");
            assertThat(session.exitCode()).as(file.toString()).isZero();
            assertThat(session.out()).as(file.toString()).hasContent(".");
            assertThat(session.err()).as(file.toString()).content().contains("variables of devices are missing");
        }
    }

    @Test
    void a_session_without_the_file_runs_all_the_same() throws Exception {
        LauncherProcess session =
                run(Map.of(), "--take-environment", directory.resolve("missing").toString(), "--", "echo", "runs");
        assertThat(session.exitCode()).isZero();
        assertThat(session.out()).hasContent("runs");
        assertThat(session.err()).content().contains("variables of devices are missing", "missing: No such file");
    }

    @Test
    void a_command_that_is_not_there_is_named() throws Exception {
        Path file = directory.resolve("environment");
        LauncherProcess launcher =
                run(Map.of(), "--keep-environment", file.toString(), "--names", "A", "--", "no-such-program");
        assertThat(launcher.exitCode()).isEqualTo(127);
        assertThat(launcher.err()).hasContent("fabric-launcher: no-such-program: not found");
    }
}
