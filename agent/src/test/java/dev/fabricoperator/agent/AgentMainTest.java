/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AgentMainTest {

    private static final Map<String, String> IN_CLUSTER =
            Map.of("NODE_NAME", "node1", "KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "6443");

    @Test
    void inAClusterNothingNeedsToBeSaid() throws Exception {
        AgentConfig config = AgentMain.config(new String[0], IN_CLUSTER);
        assertThat(config.nodeName()).isEqualTo("node1");
        assertThat(config.apiServer()).isEqualTo(URI.create("https://[fd00::1]:6443"));
        assertThat(config.metricsPort()).isEqualTo(8081);
        assertThat(config.pollInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config)
                .as("every interval is set")
                .hasNoNullFieldsOrPropertiesExcept("tokenFile", "caFile", "lldpSocket");
    }

    @Test
    void optionsWinOverTheEnvironment() throws Exception {
        String[] arguments = {"--node-name=n2", "--host-root", "/tmp/x", "--api-server", "https://h:1", "--once"};
        AgentConfig config = AgentMain.config(arguments, IN_CLUSTER);
        assertThat(config.nodeName()).isEqualTo("n2");
        assertThat(config.hostRoot()).isEqualTo(Path.of("/tmp/x"));
        assertThat(config.apiServer()).isEqualTo(URI.create("https://h:1"));
    }

    @Test
    void whatIsWrongIsNamed() {
        assertWrong("node-name");
        assertWrong("unknown option --foo", "--foo", "x");
        assertWrong("--host-root needs a value", "--host-root");
        assertWrong("--metrics-port", "--node-name", "n", "--api-server", "https://h", "--metrics-port", "99999");
        assertWrong("--api-server", "--node-name", "n", "--api-server", "ftp://h");
        assertWrong("not in a cluster", "--node-name", "n");
    }

    private static void assertWrong(String message, String... arguments) {
        assertThatThrownBy(() -> AgentMain.config(arguments, Map.of()))
                .isInstanceOf(AgentMain.UsageException.class)
                .hasMessageContaining(message);
    }
}
