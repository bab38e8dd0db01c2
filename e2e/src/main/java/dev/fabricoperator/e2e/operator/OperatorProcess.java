/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.KubeconfigFile;
import dev.fabricoperator.e2e.cluster.Ports;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.system.OperatorJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** One replica of the operator as a process, with the rights of its own service account. */
public final class OperatorProcess implements AutoCloseable {
    public static final String NAMESPACE = "fabric-operator";

    /** Of a JVM that a test starts for seconds: what C2 would make of its code comes too late and costs as much as the start. */
    public static final List<String> BRIEF = List.of("-Xmx192m", "-XX:TieredStopAtLevel=1");

    private static final Duration START_LIMIT = Duration.ofMinutes(4);
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    private static final Duration TERMINATION_GRACE = Duration.ofSeconds(30);
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ServerProcess process;
    private final URI base;
    private final URI query;
    private final URI webhook;
    private final URI jobs;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(ANSWER_LIMIT).build();

    private record Answer(int status, String body) {}

    private OperatorProcess(ServerProcess process, URI base, URI query, URI webhook, URI jobs) {
        this.process = process;
        this.base = base;
        this.query = query;
        this.webhook = webhook;
        this.jobs = jobs;
    }

    /** Starts it and returns when it is ready, which a standby is too. */
    public static OperatorProcess start(
            Cluster cluster, Path directory, String role, List<String> jvmArguments, Map<String, String> settings) {
        return startCommand(cluster, directory, role, OperatorJvm.command(role, jvmArguments), settings);
    }

    /**
     * The same with a whole command.
     *
     * @param command of the JVM; it takes the environment from this process
     */
    public static OperatorProcess startCommand(
            Cluster cluster, Path directory, String role, List<String> command, Map<String, String> settings) {
        OperatorProcess operator = beginCommand(cluster, directory, role, command, settings);
        operator.process.awaitReady(operator::isReady, START_LIMIT);
        return operator;
    }

    /** Starts one that will not be ready so soon, and returns at once. */
    public static OperatorProcess begin(Cluster cluster, Path directory, String role, Map<String, String> settings) {
        return beginCommand(cluster, directory, role, OperatorJvm.command(role, BRIEF), settings);
    }

    private static OperatorProcess beginCommand(
            Cluster cluster, Path directory, String role, List<String> command, Map<String, String> settings) {
        String name = "operator-" + role + "-" + COUNT.incrementAndGet();
        Path kubeconfig = directory.resolve(name + ".kubeconfig");
        KubeconfigFile.writeWithToken(
                kubeconfig,
                cluster.server(),
                cluster.authorityPem(),
                ServiceAccountTokens.ofAccount(cluster.admin(), NAMESPACE, "fabric-operator-" + role));
        int port = Ports.free();
        int queryPort = Ports.free();
        int webhookPort = Ports.free();
        int jobsPort = Ports.free();
        Map<String, String> environment = new HashMap<>();
        environment.put("FABRIC_OPERATOR_QUERY_HOST", "127.0.0.1");
        environment.put("FABRIC_OPERATOR_ADMISSION_HOST", "127.0.0.1");
        environment.put("FABRIC_OPERATOR_JOBS_HOST", "127.0.0.1");
        environment.put("FABRIC_OPERATOR_JOBS_PORT", Integer.toString(jobsPort));
        environment.put("FABRIC_OPERATOR_CERTIFICATE_INTERVAL", "1s");
        environment.putAll(settings);
        environment.put("FABRIC_OPERATOR_QUERY_PORT", Integer.toString(queryPort));
        environment.put("FABRIC_OPERATOR_ADMISSION_PORT", Integer.toString(webhookPort));
        environment.put("KUBECONFIG", kubeconfig.toString());
        environment.put("FABRIC_OPERATOR_ROLE", role);
        environment.put("FABRIC_OPERATOR_NAMESPACE", NAMESPACE);
        environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
        environment.put("QUARKUS_HTTP_PORT", Integer.toString(port));
        return new OperatorProcess(
                ServerProcess.start(name, command, environment, directory.resolve(name + ".log")),
                URI.create("http://127.0.0.1:" + port),
                URI.create("https://" + environment.get("FABRIC_OPERATOR_QUERY_HOST") + ":" + queryPort),
                URI.create("https://" + environment.get("FABRIC_OPERATOR_ADMISSION_HOST") + ":" + webhookPort),
                URI.create("https://" + environment.get("FABRIC_OPERATOR_JOBS_HOST") + ":"
                        + environment.get("FABRIC_OPERATOR_JOBS_PORT")));
    }

    public boolean isReady() {
        return get("/q/health/ready").status() == 200;
    }

    /** What the checks of readiness say, empty while nobody answers. */
    public String readiness() {
        return get("/q/health/ready").body();
    }

    /** Of health and metrics. */
    public URI health() {
        return base;
    }

    /** Where the query API is, in the role {@code server}. */
    public URI query() {
        return query;
    }

    /** Where the webhooks are, in the role {@code server}. */
    public URI webhook() {
        return webhook;
    }

    /** Where the job service is, in the role {@code server}. */
    public URI jobs() {
        return jobs;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** The log so far, its end. */
    public String log() {
        return process.logTail();
    }

    /** Sum of a metric over all its labels, 0 where there is none. */
    public double metric(String name) {
        return metric(name, "");
    }

    /** As {@link #metric(String)}, of those rows that have a label. */
    public double metric(String name, String label) {
        return get("/q/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .filter(line -> line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private Answer get(String path) {
        try {
            HttpResponse<String> response = http.send(
                    HttpRequest.newBuilder(base.resolve(path))
                            .timeout(ANSWER_LIMIT)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            // Not up yet, or no longer.
            return new Answer(0, "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }

    /** As a crash would end it. */
    public void kill() {
        process.kill();
    }

    /** As a rollout ends it: SIGTERM, and the time that a pod has by default. */
    public void terminate() {
        terminate(TERMINATION_GRACE);
    }

    /** The same with another time. */
    public void terminate(Duration grace) {
        process.stop(grace);
    }

    /** Waits until something holds; gives up, and tells the end of the log, when this process ends or the time is over. */
    public void await(String failure, Duration limit, BooleanSupplier condition) {
        process.await(failure, condition, limit);
    }

    @Override
    public void close() {
        process.close();
    }
}
