/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A kubelet and a containerd in namespaces of their own. Killing the first process there is a power cut. */
public final class RealNode implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(4);

    private final String name;
    private final int number;
    private final Path directory;
    private final ClusterNetwork network;
    private final NodePrograms programs;
    private ServerProcess process;

    /** Its kubelet gives a container of a Guaranteed pod the whole CPUs that it asks for, and keeps one for all others. */
    public static final String EXCLUSIVE_CPUS = "node-3";

    RealNode(
            String name,
            int number,
            Path directory,
            ClusterNetwork network,
            NodePrograms programs,
            NodeFabrics fabrics) {
        this.name = name;
        this.number = number;
        this.directory = directory;
        this.network = network;
        this.programs = programs;
        try {
            Files.createDirectories(directory.resolve("log/pods"));
            Files.createDirectories(directory.resolve("cni"));
            Files.writeString(directory.resolve("cni/10-pods.conflist"), cni());
            fabrics.layOut(name, network.macAddress(number), directory);
            Files.writeString(directory.resolve("containerd.toml"), containerdSettings());
            Files.writeString(directory.resolve("with-cards.json"), NodeFabrics.containerSpec(directory, programs));
            Files.writeString(directory.resolve("kubelet.yaml"), kubeletSettings());
            Files.writeString(directory.resolve("node-init.sh"), resource("node-init.sh"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
        this.process = powerOn();
    }

    private ServerProcess powerOn() {
        ServerProcess started = ServerProcess.start(
                name,
                List.of(
                        "unshare",
                        "--net",
                        "--uts",
                        "--mount",
                        "--propagation=private",
                        "--pid",
                        "--fork",
                        "--kill-child",
                        "--mount-proc",
                        "sh",
                        directory.resolve("node-init.sh").toString()),
                Map.of(
                        "PATH",
                        programs.path(),
                        "PLAYED",
                        NodeFabrics.PLAYED,
                        "NODE",
                        name,
                        "DIR",
                        directory.toString(),
                        "ADDRESS",
                        address() + "/24",
                        "GATEWAY",
                        network.gateway(),
                        "ROUTES",
                        String.join("\n", network.routesFrom(number)),
                        "CGROUP",
                        cgroup(),
                        "NODE_LABELS",
                        "fabric-operator.dev/e2e=real"),
                directory.resolve("log/init.log"));
        started.awaitReady(() -> ClusterNetwork.isApart(started.pid()), START_LIMIT);
        network.plugIn(number, started.pid());
        return started;
    }

    public String name() {
        return name;
    }

    /** Its InternalIP. */
    public String address() {
        return network.address(number);
    }

    public Path logs() {
        return directory.resolve("log");
    }

    /** Where containerd listens, for {@code ctr}. */
    public Path containerSocket() {
        return directory.resolve("containerd.sock");
    }

    /** Lets the kubelet start, which has waited for it. */
    void join(ControlPlane controlPlane) {
        controlPlane.writeServingCertificate(directory.resolve("serving"), List.of(name, address()));
        try {
            Files.writeString(directory.resolve("ca.crt"), controlPlane.authorityPem());
            Path kubeconfig = directory.resolve("new.kubeconfig");
            controlPlane.writeKubeconfig(kubeconfig, "system:node:" + name, "system:nodes");
            Files.move(kubeconfig, directory.resolve("kubelet.kubeconfig"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write below " + directory, e);
        }
    }

    /** Imports a docker or OCI archive; every image in it is there for pods with {@code imagePullPolicy: Never}. */
    void importImages(Path archive) {
        process.awaitReady(() -> HostCommand.tryRun(ctr("version")).code() == 0, START_LIMIT);
        HostCommand.run(ctr("images", "import", archive.toString()));
    }

    /** Whether the node has an image of this full name. */
    boolean hasImage(String image) {
        return HostCommand.run(ctr("images", "list", "-q")).lines().anyMatch(image::equals);
    }

    /** As a pull by digest would have named the image; pods may ask for it by that, too. */
    String nameByDigest(String image) {
        String digest = HostCommand.run(ctr("images", "list", "name==" + image))
                .lines()
                // Not the heading, and no warning.
                .filter(line -> line.startsWith(image + " "))
                .map(line -> line.split("\\s+")[2])
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name + " has no image " + image));
        String named = image.substring(0, image.lastIndexOf(':')) + "@" + digest;
        HostCommand.run(ctr("images", "tag", "--force", image, named));
        return named;
    }

    private List<String> ctr(String... arguments) {
        return java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(
                                programs.ctr().toString(),
                                "--address",
                                containerSocket().toString(),
                                "--namespace",
                                "k8s.io"),
                        java.util.Arrays.stream(arguments))
                .toList();
    }

    /** Runs a command in the node's network namespace. */
    public String inNetwork(String... command) {
        return HostCommand.run(new dev.fabricoperator.e2e.cluster.ControlPlaneNetwork(
                        ClusterNetwork.namespace(process.pid()), address())
                .inside(List.of(command)));
    }

    /**
     * Ends a container by SIGKILL, as the kernel does where memory is short.
     *
     * @param containerId as the pod's status names it, {@code containerd://...}
     */
    public void killContainer(String containerId) {
        HostCommand.run(
                ctr("tasks", "kill", "--signal", "SIGKILL", containerId.substring(containerId.lastIndexOf('/') + 1)));
    }

    /** The node loses power: all its processes end at once, nobody is told. */
    public void cutPower() {
        process.kill();
    }

    /** After {@link #cutPower}: containers of before are gone, images are still there. */
    public void restorePower() {
        process = powerOn();
    }

    @Override
    public void close() {
        process.kill();
    }

    private String cgroup() {
        return "/" + network.name() + "/" + name;
    }

    private String cni() {
        return """
                {"cniVersion": "1.0.0", "name": "pods", "plugins": [{
                  "type": "bridge", "bridge": "pods", "isGateway": true, "hairpinMode": true,
                  "ipam": {"type": "host-local", "dataDir": "/run/cni-addresses",
                           "ranges": [[{"subnet": "%s"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
                """.formatted(ClusterNetwork.pods(number));
    }

    // restrict_oom_score_adj: without CAP_SYS_RESOURCE runc may not lower a score.
    private String containerdSettings() {
        return """
                version = 3
                root = "%1$s/containerd"
                state = "/run/containerd-state"
                [grpc]
                  address = "%1$s/containerd.sock"
                [plugins."io.containerd.cri.v1.images".pinned_images]
                  sandbox = "%2$s"
                [plugins."io.containerd.cri.v1.runtime"]
                  restrict_oom_score_adj = true
                  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
                    runtime_type = "io.containerd.runc.v2"
                  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.%4$s]
                    runtime_type = "io.containerd.runc.v2"
                    base_runtime_spec = "%1$s/with-cards.json"
                  [plugins."io.containerd.cri.v1.runtime".cni]
                    bin_dirs = ["%3$s"]
                    conf_dir = "%1$s/cni"
                [plugins."io.containerd.internal.v1.opt"]
                  path = "%1$s/opt"
                """.formatted(directory, RealCluster.PAUSE_IMAGE, programs.cniPlugins(), NodeFabrics.RUNTIME_CLASS);
    }

    private String kubeletSettings() {
        return """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                authentication:
                  anonymous: {enabled: false}
                  x509: {clientCAFile: %1$s/ca.crt}
                  webhook: {enabled: true}
                authorization: {mode: Webhook}
                tlsCertFile: %1$s/serving/tls.crt
                tlsPrivateKeyFile: %1$s/serving/tls.key
                cgroupDriver: cgroupfs
                cgroupRoot: %2$s
                cgroupsPerQOS: false
                enforceNodeAllocatable: []
                failCgroupV1: false
                failSwapOn: false
                resolvConf: ""
                containerRuntimeEndpoint: unix://%1$s/containerd.sock
                clusterDomain: cluster.local
                clusterDNS: [%3$s]
                imageGCHighThresholdPercent: 100
                evictionHard: {nodefs.available: "1%%", imagefs.available: "1%%"}
                volumePluginDir: %1$s/volume-plugins
                podLogsDir: %1$s/log/pods
                maxPods: 110
                """.formatted(directory, cgroup(), network.gateway()) + (name.equals(EXCLUSIVE_CPUS) ? """
                cpuManagerPolicy: static
                kubeReserved: {cpu: 100m}
                """ : "");
    }

    static String resource(String name) {
        try (var stream = Objects.requireNonNull(RealNode.class.getResourceAsStream(name), name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
