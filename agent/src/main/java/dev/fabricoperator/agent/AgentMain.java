/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The agent as a program. */
public final class AgentMain {

    private static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final String USAGE = """
            Usage: fabric-agent [OPTION...]
            Publishes the fabric devices of a host as FabricDevice objects.

              --node-name NAME        the Kubernetes node that this host is (default: $NODE_NAME)
              --host-root DIR         directory that holds the host's sys, proc, etc (default: /host if there, else /)
              --api-server URL        default: the cluster's own
              --token-file FILE       default: the service account's
              --ca-file FILE          default: the service account's
              --poll-interval SECONDS between two looks at the link states (default: 2)
              --metrics-port PORT     of /healthz, /readyz, /metrics; -1 for none (default: 8081)
              --lldp-socket FILE      of the host's lldpd (default: run/lldpd/lldpd.socket or run/lldpd.socket of the host)
              --lldpctl PROGRAM       asks lldpd for neighbours (default: lldpctl)
              --once                  publish once and end; 0 if everything was found and published
              --help                  this text
            """;

    private static final List<String> OPTIONS = List.of(
            "--node-name",
            "--host-root",
            "--api-server",
            "--token-file",
            "--ca-file",
            "--poll-interval",
            "--metrics-port",
            "--lldp-socket",
            "--lldpctl");

    /** What is wrong with the command line. */
    static final class UsageException extends Exception {
        private static final long serialVersionUID = 1L;

        UsageException(String message) {
            super(message);
        }
    }

    private AgentMain() {}

    /** Exit codes: 0 done, 1 failed, 2 wrong usage. */
    public static void main(String[] arguments) throws InterruptedException {
        if (List.of(arguments).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        boolean once = List.of(arguments).contains("--once");
        AgentConfig config;
        try {
            config = config(arguments, System.getenv());
        } catch (UsageException e) {
            System.err.println("fabric-agent: " + e.getMessage() + "\nTry --help.");
            System.exit(2);
            return;
        }
        Agent agent = new Agent(config);
        if (once) {
            boolean published = agent.publishOnce();
            agent.close();
            System.exit(published ? 0 : 1);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "shutdown"));
        try {
            agent.runHere();
        } catch (IOException e) {
            System.err.println("fabric-agent: port " + config.metricsPort() + ": " + e.getMessage());
            System.exit(1);
        }
    }

    /** The configuration that a command line and an environment give. */
    static AgentConfig config(String[] arguments, Map<String, String> environment) throws UsageException {
        Map<String, String> options = options(arguments);
        String nodeName = options.getOrDefault("--node-name", environment.getOrDefault("NODE_NAME", ""));
        if (nodeName.isEmpty()) {
            throw new UsageException("--node-name or NODE_NAME is needed");
        }
        Path mounted = Path.of("/host");
        Path hostRoot = options.containsKey("--host-root")
                ? Path.of(options.getOrDefault("--host-root", ""))
                : Files.isDirectory(mounted.resolve("sys")) ? mounted : Path.of("/");
        return AgentConfigBuilder.builder(AgentConfig.of(
                        hostRoot,
                        nodeName,
                        apiServer(options, environment),
                        file(options.get("--token-file"), SERVICE_ACCOUNT.resolve("token")),
                        file(options.get("--ca-file"), SERVICE_ACCOUNT.resolve("ca.crt"))))
                .pollInterval(Duration.ofSeconds(number(options, "--poll-interval", 2, 1, 3600)))
                .metricsPort(number(options, "--metrics-port", 8081, -1, 65535))
                .lldpSocket(
                        options.containsKey("--lldp-socket")
                                ? Path.of(options.getOrDefault("--lldp-socket", ""))
                                : null)
                .lldpctl(
                        options.containsKey("--lldpctl")
                                ? Path.of(options.getOrDefault("--lldpctl", ""))
                                : AgentConfig.LLDPCTL)
                .build();
    }

    private static Map<String, String> options(String[] arguments) throws UsageException {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.indexOf('=');
            String name = equals > 0 ? argument.substring(0, equals) : argument;
            if (argument.equals("--once")) {
                continue;
            }
            if (!OPTIONS.contains(name)) {
                throw new UsageException("unknown option " + name);
            }
            if (equals < 0 && i + 1 == arguments.length) {
                throw new UsageException(name + " needs a value");
            }
            options.put(name, equals > 0 ? argument.substring(equals + 1) : arguments[++i]);
        }
        return options;
    }

    private static URI apiServer(Map<String, String> options, Map<String, String> environment) throws UsageException {
        String given = options.get("--api-server");
        if (given == null) {
            String host = environment.get("KUBERNETES_SERVICE_HOST");
            String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
            if (host == null) {
                throw new UsageException("not in a cluster: --api-server is needed");
            }
            given = "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
        try {
            URI uri = URI.create(given);
            if (!"https".equals(uri.getScheme()) && !"http".equals(uri.getScheme())) {
                throw new UsageException("--api-server: not an http or https URL: " + given);
            }
            return uri;
        } catch (IllegalArgumentException e) {
            throw new UsageException("--api-server: not a URL: " + given);
        }
    }

    private static @Nullable Path file(@Nullable String given, Path fallback) {
        return given != null ? Path.of(given) : Files.exists(fallback) ? fallback : null;
    }

    private static int number(Map<String, String> options, String name, int fallback, int least, int most)
            throws UsageException {
        String given = options.get(name);
        if (given == null) {
            return fallback;
        }
        try {
            int number = Integer.parseInt(given);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Falls through to the same complaint.
        }
        throw new UsageException(name + ": not a number from " + least + " to " + most + ": " + given);
    }
}
