/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ControlPlaneTest {
    @Tag("long")
    @Test
    void objectsSurviveARestartOfTheApiServerAndNothingSurvivesTheEnd() throws Exception {
        List<Long> pids;
        Path directory;
        try (ControlPlane controlPlane = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            String server = controlPlane.server();
            KubernetesClient client = controlPlane.admin();
            assertThat(client.getKubernetesVersion().getGitVersion()).startsWith("v1.");
            client.resource(configMap("kept")).create();
            long before = controlPlane.pids().getLast();

            controlPlane.restartApiServer();

            assertThat(controlPlane.server()).isEqualTo(server);
            assertThat(controlPlane.pids().getLast()).isNotEqualTo(before);
            assertThat(client.configMaps()
                            .inNamespace("default")
                            .withName("kept")
                            .get())
                    .isNotNull();
            assertThat(kubectl(controlPlane, "get", "configmap", "kept", "-o", "name"))
                    .isEqualTo("configmap/kept\n");
            pids = controlPlane.pids();
            directory = controlPlane.directory();
            assertThat(pids).hasSize(2).allMatch(ControlPlaneTest::isAlive);
        }
        assertThat(pids).noneMatch(ControlPlaneTest::isAlive);
        assertThat(directory).doesNotExist();
    }

    @Tag("long")
    @Test
    void allFourProgramsRunAndTheControllerManagerDoesItsWorkAlsoAfterItHasEndedByItself() throws Exception {
        try (ControlPlane controlPlane = ControlPlane.start(ControlPlaneOptions.FULL)) {
            List<Long> pids = controlPlane.pids();
            assertThat(pids).hasSize(4).allMatch(ControlPlaneTest::isAlive);
            Long ended = pids.get(Component.CONTROLLER_MANAGER.ordinal());
            assertThat(ProcessHandle.of(ended))
                    .get()
                    .returns(true, ProcessHandle::destroyForcibly)
                    .satisfies(process -> process.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS));

            Awaitility.await().atMost(LIMIT).until(() -> !controlPlane.pids().contains(ended));
            // Made now: what the one before did proves nothing of this one.
            controlPlane
                    .admin()
                    .resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName("after-the-end")
                            .endMetadata()
                            .build())
                    .create();
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(() -> controlPlane
                                    .admin()
                                    .serviceAccounts()
                                    .inNamespace("after-the-end")
                                    .withName("default")
                                    .get()
                            != null);
            assertThat(controlPlane.pids()).hasSize(4).allMatch(ControlPlaneTest::isAlive);
        }
    }

    @Test
    void aWatchFromBeforeAGapIsAnsweredGone() {
        try (ControlPlane controlPlane = ControlPlane.start(ControlPlaneOptions.API_ONLY)) {
            KubernetesClient client = controlPlane.admin();
            ConfigMap first = client.resource(configMap("first")).create();

            controlPlane.expireWatches(
                    hidden -> hidden.resource(configMap("unseen")).create());

            CompletableFuture<WatcherException> closed = new CompletableFuture<>();
            Watcher<ConfigMap> watcher = new Watcher<>() {
                @Override
                public void eventReceived(Action action, ConfigMap resource) {}

                @Override
                public void onClose(WatcherException cause) {
                    closed.complete(cause);
                }
            };
            try (var watch = client.configMaps()
                    .inNamespace("default")
                    .withResourceVersion(first.getMetadata().getResourceVersion())
                    .watch(watcher)) {
                assertThat(closed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                                .join()
                                .isHttpGone())
                        .isTrue();
                assertThat(watch).isNotNull();
            }
            assertThat(client.configMaps()
                            .inNamespace("default")
                            .withName("unseen")
                            .get())
                    .isNotNull();
        }
    }

    @Tag("long")
    @Test
    void processesEndWithAJvmThatIsKilled() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-DprojectRoot=" + ProjectRoot.find(),
                        StartAndWait.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var lines = jvm.inputReader()) {
            List<Long> pids = List.of(lines.readLine().split(",")).stream()
                    .map(Long::valueOf)
                    .toList();
            Path directory = Path.of(lines.readLine());
            assertThat(pids).hasSize(2).allMatch(ControlPlaneTest::isAlive);

            jvm.destroyForcibly().waitFor();

            Awaitility.await().atMost(LIMIT).until(() -> pids.stream().noneMatch(ControlPlaneTest::isAlive));
            delete(directory);
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** The program of the JVM that is killed. */
    static final class StartAndWait {
        public static void main(String[] arguments) throws InterruptedException {
            ControlPlane controlPlane = ControlPlane.start(ControlPlaneOptions.API_ONLY);
            System.out.println(String.join(
                    ",", controlPlane.pids().stream().map(String::valueOf).toList()));
            System.out.println(controlPlane.directory());
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    @Test
    void aProgramThatEndsAtOnceIsReportedWithItsLog() throws IOException {
        ControlPlaneOptions broken = ControlPlaneOptionsBuilder.builder(ControlPlaneOptions.API_ONLY)
                .apiServerArguments(List.of("--no-such-flag"))
                .build();
        ServerFailedException failure =
                catchThrowableOfType(ServerFailedException.class, () -> ControlPlane.start(broken));
        assertThat(failure)
                .hasMessageContaining("kube-apiserver ended with code")
                .hasMessageContaining("unknown flag: --no-such-flag");
        assertThat(failure.log()).content().contains("unknown flag");
        delete(failure.log().resolve("../..").normalize());
    }

    // What a killed JVM, or one that keeps logs, leaves behind.
    private static void delete(Path directory) throws IOException {
        try (var paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static ConfigMap configMap(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .build();
    }

    private static String kubectl(ControlPlane controlPlane, String... arguments) throws IOException {
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        controlPlane.kubectl().toString(),
                                        "--kubeconfig",
                                        controlPlane.kubeconfig().toString()),
                                Arrays.stream(arguments))
                        .toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
