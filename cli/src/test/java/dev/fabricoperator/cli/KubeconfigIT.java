/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of a kubeconfig reaches a cluster. */
class KubeconfigIT {
    private final List<String> authorizations = new CopyOnWriteArrayList<>();

    @TempDir
    private Path directory;

    private HttpServer cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        cluster.createContext("/", exchange -> {
            try (exchange) {
                List<String> said = exchange.getRequestHeaders().get("Authorization");
                authorizations.add(said == null ? "none" : said.getFirst());
                exchange.sendResponseHeaders(404, -1);
            }
        });
        cluster.start();
    }

    @AfterEach
    void stop() {
        cluster.stop(0);
    }

    private void ask(String current, String... arguments) throws IOException {
        String address = "http://127.0.0.1:" + cluster.getAddress().getPort();
        Path kubeconfig = Files.writeString(directory.resolve("config"), """
                apiVersion: v1
                kind: Config
                clusters:
                - {name: mine, cluster: {server: "%1$s"}}
                - {name: other, cluster: {server: "http://127.0.0.1:1", insecure-skip-tls-verify: true}}
                users:
                - {name: token, user: {token: secret}}
                - {name: nobody, user: {}}
                - name: plugin
                  user:
                    exec:
                      apiVersion: client.authentication.k8s.io/v1
                      command: sh
                      args: [%2$s/plugin]
                      interactiveMode: Never
                contexts:
                - {name: nobody, context: {cluster: mine, user: nobody}}
                - {name: token, context: {cluster: other, user: token}}
                - {name: plugin, context: {cluster: mine, user: plugin}}
                current-context: %3$s
                """.formatted(address, directory, current));
        Files.writeString(directory.resolve("plugin"), """
                echo asked >> %s/plugin-runs
                echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "of-plugin"}}'
                """.formatted(directory));
        Program.Result result = Program.with(arguments)
                .environment("KUBECONFIG", kubeconfig.toString())
                .run();
        assertThat(result.err()).contains(address);
    }

    @Test
    void aContextThatIsNamedBorrowsNothingFromTheCurrentOne() throws IOException {
        ask("token", "groups", "--context", "nobody");
        assertThat(authorizations).isNotEmpty().containsOnly("none");
        ask("plugin", "groups", "--context", "nobody");
        assertThat(authorizations).containsOnly("none");
        assertThat(directory.resolve("plugin-runs")).doesNotExist();
    }

    @Test
    void aCredentialPluginIsAskedOnce() throws IOException {
        ask("plugin", "groups");
        assertThat(authorizations).isNotEmpty().containsOnly("Bearer of-plugin");
        assertThat(directory.resolve("plugin-runs")).hasContent("asked");
    }
}
