/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.cluster.ControlPlaneOptions;
import dev.fabricoperator.e2e.system.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two real nodes, with a program of a few lines in an image that holds nothing else. */
@Execution(ExecutionMode.SAME_THREAD)
@Tag("long")
class RealClusterTest {
    private static final String IMAGE = "fabric-operator.test/peer:1";

    /** Pod 0 waits for a call; the others call it by the name that the Job gives it. */
    private static final String PEER = """
            #include <netdb.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            #include <arpa/inet.h>

            static int ask(const char *server, const char *name, struct in_addr *found) {
              unsigned char packet[512] = {0, 7, 1, 0, 0, 1};
              int length = 12;
              char copy[256];
              strcpy(copy, name);
              for (char *part = strtok(copy, "."); part; part = strtok(NULL, ".")) {
                packet[length++] = strlen(part);
                memcpy(packet + length, part, strlen(part));
                length += strlen(part);
              }
              packet[length++] = 0;
              packet[length + 1] = 1;
              packet[length + 3] = 1;
              length += 4;
              struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53)};
              inet_pton(AF_INET, server, &to.sin_addr);
              int s = socket(AF_INET, SOCK_DGRAM, 0);
              struct timeval limit = {1, 0};
              setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
              sendto(s, packet, length, 0, (struct sockaddr *)&to, sizeof to);
              int got = recv(s, packet, sizeof packet, 0);
              close(s);
              if (got < length + 16 || packet[7] == 0) return 0;
              memcpy(found, packet + got - 4, 4);
              return 1;
            }

            int main(int count, char **words) {
              char server[64] = "", line[256];
              FILE *f = fopen("/etc/resolv.conf", "r");
              while (f && fgets(line, sizeof line, f)) sscanf(line, "nameserver %63s", server);
              struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(7000)};
              if (!strcmp(getenv("JOB_COMPLETION_INDEX"), "0")) {
                int s = socket(AF_INET, SOCK_STREAM, 0);
                bind(s, (struct sockaddr *)&at, sizeof at);
                listen(s, 5);
                int c = accept(s, NULL, NULL);
                write(c, "welcome", 7);
                puts("answered");
                return 0;
              }
              for (int attempt = 0; attempt < 2000; attempt++, usleep(100000)) {
                if (!ask(server, words[1], &at.sin_addr)) continue;
                int s = socket(AF_INET, SOCK_STREAM, 0);
                char text[8] = "";
                if (!connect(s, (struct sockaddr *)&at, sizeof at) && read(s, text, 7) == 7) {
                  puts(text);
                  return 0;
                }
                close(s);
              }
              puts("nobody answers");
              return 1;
            }
            """;

    /** Says which cards it sees, and which of their devices it opens. */
    private static final String CARDS = """
            #include <dirent.h>
            #include <fcntl.h>
            #include <stdio.h>
            #include <string.h>

            static void list(const char *directory, int opened) {
              struct dirent **names;
              int count = scandir(directory, &names, NULL, alphasort);
              for (int i = 0; i < count; i++) {
                char path[1024];
                if (names[i]->d_name[0] == '.') continue;
                snprintf(path, sizeof path, "%s/%s", directory, names[i]->d_name);
                if (!opened || open(path, O_RDWR) >= 0) printf("%s ", names[i]->d_name);
              }
            }

            int main(void) {
              list("/sys/class/infiniband", 0);
              list("/dev/infiniband", 1);
              puts("");
              return 0;
            }
            """;

    private static @Nullable RealCluster cluster;

    @TempDir
    static Path work;

    @BeforeAll
    static void start() {
        NodePrograms.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        NodePrograms programs = NodePrograms.find();
        Path program = new CCompiler(programs).compile(PEER, "peer", work.resolve("programs"), "-static");
        Path cards = new CCompiler(programs).compile(CARDS, "cards", work.resolve("programs"), "-static");
        Path archive = new ImageArchive()
                .add(
                        IMAGE,
                        List.of(ImageArchive.layer(work.resolve("layer.tar"), Map.of("peer", program, "cards", cards))),
                        Map.of("Entrypoint", List.of("/peer")))
                .write(work.resolve("peer.tar"));
        cluster = RealCluster.start(ControlPlaneOptions.FULL, 2, List.of(archive), text -> {});
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void podsOnDifferentNodesFindAndReachEachOther() {
        RealCluster cluster = Objects.requireNonNull(RealClusterTest.cluster);
        Command kubectl = Command.kubectl(cluster);
        cluster.admin()
                .load(new ByteArrayInputStream("""
                apiVersion: v1
                kind: Service
                metadata: {name: talk, namespace: default}
                spec:
                  clusterIP: None
                  publishNotReadyAddresses: true
                  selector: {job-name: talk}
                ---
                apiVersion: batch/v1
                kind: Job
                metadata: {name: talk, namespace: default}
                spec:
                  completions: 2
                  parallelism: 2
                  completionMode: Indexed
                  backoffLimit: 0
                  template:
                    spec:
                      subdomain: talk
                      restartPolicy: Never
                      topologySpreadConstraints:
                        - maxSkew: 1
                          topologyKey: kubernetes.io/hostname
                          whenUnsatisfiable: DoNotSchedule
                          labelSelector: {matchLabels: {job-name: talk}}
                      containers:
                        - name: peer
                          image: fabric-operator.test/peer:1
                          imagePullPolicy: Never
                          args: [talk-0.talk.default.svc.cluster.local]
                """.getBytes(StandardCharsets.UTF_8)))
                .create();

        kubectl.run("wait", "--for=condition=Complete", "--timeout=240s", "job/talk");

        assertThat(kubectl.run("logs", "-l", "batch.kubernetes.io/job-completion-index=1"))
                .isEqualTo("welcome\n");
        assertThat(kubectl.run("logs", "-l", "batch.kubernetes.io/job-completion-index=0"))
                .isEqualTo("answered\n");
        assertThat(kubectl.run("get", "pods", "-l", "job-name=talk", "-o", "jsonpath={.items[*].spec.nodeName}")
                        .split(" "))
                .containsExactlyInAnyOrder("node-1", "node-2");
    }

    @Test
    void onlyAPodOfTheRuntimeClassSeesThePlayedCardsOfItsNodeAndOnlyWithTheirDevicesItOpensThem() {
        RealCluster cluster = Objects.requireNonNull(RealClusterTest.cluster);
        Command kubectl = Command.kubectl(cluster);
        cluster.admin()
                .load(new ByteArrayInputStream("""
                apiVersion: node.k8s.io/v1
                kind: RuntimeClass
                metadata: {name: with-cards}
                handler: with-cards
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: opens, namespace: default}
                spec:
                  restartPolicy: Never
                  runtimeClassName: with-cards
                  nodeSelector: {kubernetes.io/hostname: node-2}
                  volumes: [{name: cards, hostPath: {path: /run/played/infiniband, type: Directory}}]
                  containers:
                    - name: cards
                      image: fabric-operator.test/peer:1
                      imagePullPolicy: Never
                      command: [/cards]
                      securityContext: {runAsUser: 65532}
                      volumeMounts: [{name: cards, mountPath: /dev/infiniband}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: sees, namespace: default}
                spec:
                  restartPolicy: Never
                  containers: [{name: cards, image: "fabric-operator.test/peer:1", imagePullPolicy: Never, command: [/cards]}]
                """.getBytes(StandardCharsets.UTF_8)))
                .create();

        kubectl.run("wait", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=240s", "pod/opens", "pod/sees");

        assertThat(kubectl.run("logs", "opens").strip())
                .isEqualTo("mlx5_0 mlx5_1 mlx5_4 mlx5_5 uverbs0 uverbs1 uverbs2 uverbs3");
        assertThat(kubectl.run("logs", "sees").strip()).isEmpty();
    }

    @Test
    void anArchiveIsImportedOnceUntilItHoldsAnotherImage() throws IOException {
        RealCluster cluster = Objects.requireNonNull(RealClusterTest.cluster);
        List<Path> sockets =
                cluster.nodes().stream().map(RealNode::containerSocket).toList();
        Path first = archiveOf("first");

        assertThat(ArchivedImage.read(first, null).importInto(sockets, cluster.programs()))
                .isEqualTo(2);
        assertThat(ArchivedImage.read(first, null).importInto(sockets, cluster.programs()))
                .isZero();
        assertThat(ArchivedImage.read(archiveOf("second"), null).importInto(sockets, cluster.programs()))
                .isEqualTo(2);
        assertThat(ArchivedImage.read(first, null).importInto(sockets, cluster.programs()))
                .isEqualTo(2);
    }

    /** An archive whose only image has one name, whatever is in it. */
    private static Path archiveOf(String text) throws IOException {
        Path directory = Files.createDirectories(work.resolve(text));
        Path file = Files.writeString(directory.resolve("file"), text);
        return new ImageArchive()
                .add(
                        "fabric-operator.test/once:1",
                        List.of(ImageArchive.layer(directory.resolve("layer.tar"), Map.of("file", file))),
                        Map.of())
                .write(directory.resolve("once.tar"));
    }

    @Test
    void nothingIsLeftOfAClusterThatWasClosed() throws IOException {
        RealCluster second = RealCluster.start(ControlPlaneOptions.API_ONLY, 1, List.of(), text -> {});
        String name = second.controlPlane().server().replaceAll("https://172\\.30\\.(\\d+)\\..*", "fo$1");
        assertThat(HostCommand.run("ip", "-brief", "link")).contains(name + "@");

        second.close();

        assertThat(second.directory()).doesNotExist();
        assertThat(HostCommand.run("ip", "-brief", "link")).doesNotContain(name + "@");
        assertThat(HostCommand.run("find", "/sys/fs/cgroup", "-ignore_readdir_race", "-maxdepth", "2", "-name", name))
                .isEmpty();
        assertThat(Files.readString(Path.of("/proc/self/mounts")))
                .doesNotContain(second.directory().toString());
    }
}
