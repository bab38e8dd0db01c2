/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A control plane of its own: real etcd, kube-apiserver and, as the options say, kube-controller-manager and kube-scheduler, as processes of this machine.
 *
 * Ports, data directory and certificates are its own; everything listens on loopback only, or in a network namespace of its own. etcd takes plain connections there, so whoever may run programs
 * on this machine may read it: it is for test data. Starting takes about four seconds (API server three). Everything that was started ends with
 * {@link #close}, or with the JVM, also when that is killed. The directory goes too unless {@link #keep} was called.
 */
public final class ControlPlane implements Cluster {
    private static final int ATTEMPTS = 5;
    // Seconds on a quiet machine; a program that ends instead is noticed at once.
    private static final Duration START_LIMIT = Duration.ofMinutes(4);
    // An answer takes milliseconds; seconds while neighbours take both cores.
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_GRACE = Duration.ofSeconds(10);
    private static final Duration RESTART_DELAY = Duration.ofMillis(500);

    private final Path directory;
    private final CommandLines commands;
    private final Assets assets;
    private final @Nullable ControlPlaneNetwork network;
    private static final String AUTHORITY = "fabric-operator-test-ca";

    private final Pki authority = Pki.create(AUTHORITY);
    private final Map<Component, ServerProcess> processes = new ConcurrentSkipListMap<>();
    private final Thread shutdownHook = new Thread(this::stopEverything, "stop control plane");
    private final KubernetesClient admin;
    private final ReadyProbe probe;

    private int etcdPort;
    private int apiServerPort;
    private boolean kept;

    /**
     * Starts the programs and returns when the API server is ready.
     *
     * @throws IllegalStateException when the programs are not on this machine
     * @throws ServerFailedException when one of them does not get ready; the message holds the end of its log
     */
    public static ControlPlane start(ControlPlaneOptions options) {
        return new ControlPlane(Assets.find(), options);
    }

    private ControlPlane(Assets assets, ControlPlaneOptions options) {
        this.assets = assets;
        this.network = options.network();
        try {
            this.directory = Files.createTempDirectory("fabric-operator-control-plane-");
            Files.createDirectories(directory.resolve("pki"));
            Files.createDirectories(logs());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create the data directory", e);
        }
        this.commands = new CommandLines(assets, directory, options);
        this.probe = new ReadyProbe(authority.certificate());
        Runtime.getRuntime().addShutdownHook(shutdownHook);
        try {
            Pki.Identity adminIdentity = writeIdentities();
            startEtcd();
            startApiServerOnAnyPort();
            KubeconfigFile.writeWithCertificate(kubeconfig(), server(), authority.certificatePem(), adminIdentity);
            this.admin =
                    new KubernetesClientBuilder().withConfig(clientConfig()).build();
            // Side by side: each spends its first seconds waiting.
            BlockingTasks.runAll(options.components().stream()
                    .filter(component -> !processes.containsKey(component))
                    .<Runnable>map(component -> () -> launchBesideApiServer(component))
                    .toList());
        } catch (RuntimeException e) {
            kept = true;
            stopEverything();
            throw e;
        }
    }

    /** Starts a component that was left out; nothing happens when it runs. */
    public synchronized void ensure(Component component) {
        if (processes.containsKey(component)) {
            return;
        }
        launchBesideApiServer(component);
    }

    @Override
    public KubernetesClient admin() {
        return admin;
    }

    @Override
    public Path kubeconfig() {
        return directory.resolve("admin.kubeconfig");
    }

    @Override
    public Path kubectl() {
        return assets.kubectl();
    }

    /** Stays the same over restarts. */
    @Override
    public String server() {
        return "https://" + commands.host() + ":" + apiServerPort;
    }

    @Override
    public String authorityPem() {
        return authority.certificatePem();
    }

    public Path directory() {
        return directory;
    }

    /** Writes {@code tls.crt} and {@code tls.key} of a server, signed by this control plane's authority. */
    public void writeServingCertificate(Path into, List<String> names) {
        Pki.Identity identity = authority.issue(names.getFirst(), null, names);
        try {
            Files.createDirectories(into);
            Files.writeString(into.resolve("tls.key"), identity.key());
            Files.writeString(into.resolve("tls.crt"), identity.certificate());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + into, e);
        }
    }

    /** Writes a kubeconfig with a certificate for a user of the cluster, a component or a node. */
    public void writeKubeconfig(Path file, String user, @Nullable String group) {
        KubeconfigFile.writeWithCertificate(
                file, server(), authority.certificatePem(), authority.issue(user, group, List.of()));
    }

    /** As {@link #writeKubeconfig}, with a certificate of an authority of the same name that the cluster does not know. */
    public void writeForeignKubeconfig(Path file, String user) {
        Pki foreign = Pki.create(AUTHORITY);
        KubeconfigFile.writeWithCertificate(
                file, server(), foreign.certificatePem(), foreign.issue(user, null, List.of()));
    }

    public Path logs() {
        return directory.resolve("log");
    }

    /** Of a component that runs. */
    public synchronized long pid(Component component) {
        return running(component).pid();
    }

    public synchronized List<Long> pids() {
        return processes.values().stream().map(ServerProcess::pid).toList();
    }

    /** Ends the API server as a rolling update would: watches are closed, clients reconnect. Objects stay in etcd. */
    public synchronized void stopApiServer() {
        running(Component.API_SERVER).stop(STOP_GRACE);
    }

    /** Ends the API server as a crash would. */
    public synchronized void killApiServer() {
        running(Component.API_SERVER).kill();
    }

    /** Starts the API server on the port that it had. */
    public synchronized void startApiServer() {
        launchApiServer();
    }

    public synchronized void restartApiServer() {
        stopApiServer();
        launchApiServer();
    }

    /**
     * Makes every watch that was open fall behind: the API server is away while {@code meanwhile} cannot be seen, etcd's history is compacted, and a watch
     * that resumes from an older resource version is answered with "410 Gone".
     *
     * Not for a control plane in a network namespace of its own, whose etcd is out of reach.
     *
     * @param meanwhile changes that nobody may see as events; it gets a client on a second API server that stops afterwards
     */
    public synchronized void expireWatches(Consumer<KubernetesClient> meanwhile) {
        stopApiServer();
        int port = Ports.free();
        ServerProcess second = ServerProcess.start(
                "second kube-apiserver",
                commands.apiServer(port, etcdPort),
                Map.of(),
                logs().resolve("second-kube-apiserver.log"));
        try {
            String address = "https://127.0.0.1:" + port;
            second.awaitReady(() -> probe.isReady(address), START_LIMIT);
            Config config = clientConfig();
            config.setMasterUrl(address);
            try (KubernetesClient client =
                    new KubernetesClientBuilder().withConfig(config).build()) {
                meanwhile.accept(client);
            }
        } finally {
            second.stop(STOP_GRACE);
        }
        new EtcdClient(etcdPort).compact();
        launchApiServer();
    }

    /** The directory of etcd's files, which hold all keys and values as they are, and what was stored before. */
    public Path etcdDirectory() {
        return commands.etcdDirectory();
    }

    /** Keeps data and logs on {@link #close}, for a look after a failure, and says where they are. */
    public synchronized Path keep() {
        kept = true;
        return directory;
    }

    @Override
    public void close() {
        admin.close();
        probe.close();
        stopEverything();
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is going down already: the hook runs or has run, and finds nothing left to do.
            return;
        }
    }

    // Killed, not asked: the data is not needed any more. Clients of the API server go first, so that their logs stay
    // quiet.
    private synchronized void stopEverything() {
        List<Component> lastToFirst =
                processes.keySet().stream().sorted(Comparator.reverseOrder()).toList();
        lastToFirst.forEach(component -> running(component).kill());
        processes.clear();
        if (kept) {
            System.err.println("control plane's data and logs kept in " + directory);
        } else {
            Directories.delete(directory);
        }
    }

    private Pki.Identity writeIdentities() {
        Path pki = directory.resolve("pki");
        Pki frontProxy = Pki.create("fabric-operator-test-front-proxy-ca");
        Pki.Identity adminIdentity = authority.issue("admin", "system:masters", List.of());
        adminIdentity.write(pki, "admin");
        authority
                .issue(
                        "kube-apiserver",
                        null,
                        List.of(
                                commands.host(),
                                "127.0.0.1",
                                ControlPlaneNetwork.KUBERNETES_SERVICE,
                                "localhost",
                                "kubernetes",
                                "kubernetes.default",
                                "kubernetes.default.svc"))
                .write(pki, "apiserver");
        frontProxy.issue("front-proxy", null, List.of()).write(pki, "front-proxy");
        try {
            Files.writeString(pki.resolve("ca.crt"), authority.certificatePem());
            Files.writeString(pki.resolve("front-proxy-ca.crt"), frontProxy.certificatePem());
            Files.writeString(pki.resolve("service-accounts.key"), Pki.newKeyPem());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write certificates", e);
        }
        return adminIdentity;
    }

    private void launchBesideApiServer(Component component) {
        switch (component) {
            case CONTROLLER_MANAGER -> {
                writeComponentKubeconfig("controller-manager", "system:kube-controller-manager");
                onFreePort(Component.CONTROLLER_MANAGER, commands::controllerManager);
            }
            case SCHEDULER -> {
                writeComponentKubeconfig("scheduler", "system:kube-scheduler");
                onFreePort(Component.SCHEDULER, commands::scheduler);
            }
            case ETCD, API_SERVER -> throw new IllegalStateException(component + " always runs");
        }
    }

    private void writeComponentKubeconfig(String name, String user) {
        writeKubeconfig(directory.resolve(name + ".kubeconfig"), user, null);
    }

    private void startEtcd() {
        EtcdClient[] client = new EtcdClient[1];
        etcdPort = startOnFreePort(
                Component.ETCD,
                port -> {
                    client[0] = new EtcdClient(port);
                    return commands.etcd(port, Ports.free());
                },
                // In a namespace of its own its loopback cannot be asked from here; the API server waits for it.
                () -> network != null || client[0].isHealthy());
    }

    private void startApiServerOnAnyPort() {
        apiServerPort = startOnFreePort(
                Component.API_SERVER,
                port -> {
                    apiServerPort = port;
                    return commands.apiServer(port, etcdPort);
                },
                () -> probe.isReady(server()));
    }

    private void launchApiServer() {
        ServerProcess process = launch(Component.API_SERVER, commands.apiServer(apiServerPort, etcdPort));
        process.awaitReady(() -> probe.isReady(server()), START_LIMIT);
    }

    private void onFreePort(Component component, IntFunction<List<String>> command) {
        int[] port = new int[1];
        startOnFreePort(
                component,
                free -> {
                    port[0] = free;
                    return command.apply(free);
                },
                () -> probe.isHealthy("https://" + commands.host() + ":" + port[0]));
        restartWhenEnded(component, command.apply(port[0]));
    }

    // As a kubelet does with its static pods: the controller manager gives up when the API server is away while it
    // starts.
    private void restartWhenEnded(Component component, List<String> command) {
        ServerProcess ended = running(component);
        ended.afterEnd(RESTART_DELAY, () -> restart(component, ended, command));
    }

    private synchronized void restart(Component component, ServerProcess ended, List<String> command) {
        // Another one, or none: it was ended on purpose.
        if (processes.get(component) == ended) {
            Watchdog.get().forget(ended.pid());
            launch(component, command);
            restartWhenEnded(component, command);
        }
    }

    // Between the look for a free port and its use another server may take it.
    private int startOnFreePort(Component component, IntFunction<List<String>> command, BooleanSupplier ready) {
        for (int attempt = 1; ; attempt++) {
            int port = component == Component.API_SERVER && network != null
                    ? ControlPlaneNetwork.API_SERVER_PORT
                    : Ports.free();
            ServerProcess process = launch(component, command.apply(port));
            try {
                process.awaitReady(ready, START_LIMIT);
                return port;
            } catch (ServerFailedException e) {
                process.kill();
                if (attempt == ATTEMPTS || !e.isPortTaken()) {
                    throw e;
                }
            }
        }
    }

    private ServerProcess launch(Component component, List<String> command) {
        ServerProcess process = ServerProcess.start(
                component.program(), command, Map.of(), logs().resolve(component.program() + ".log"));
        processes.put(component, process);
        return process;
    }

    private ServerProcess running(Component component) {
        ServerProcess process = processes.get(component);
        if (process == null) {
            throw new IllegalStateException(component.program() + " was not started");
        }
        return process;
    }

    private Config clientConfig() {
        try {
            Config config = Config.fromKubeconfig(Files.readString(kubeconfig()));
            config.setRequestTimeout((int) REQUEST_LIMIT.toMillis());
            config.setConnectionTimeout((int) REQUEST_LIMIT.toMillis());
            return config;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + kubeconfig(), e);
        }
    }
}
