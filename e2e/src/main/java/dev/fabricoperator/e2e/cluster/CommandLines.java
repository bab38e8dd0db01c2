/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How each program is called. Pure: directory layout and ports in, command line out. */
final class CommandLines {
    private static final long QUOTA_BYTES = 8L << 30;

    private final Assets assets;
    private final Path directory;
    private final ControlPlaneOptions options;

    CommandLines(Assets assets, Path directory, ControlPlaneOptions options) {
        this.assets = assets;
        this.directory = directory;
        this.options = options;
    }

    /** Where the servers are reached from this machine. */
    String host() {
        return options.network() == null ? "127.0.0.1" : options.network().address();
    }

    Path etcdDirectory() {
        return directory.resolve("etcd");
    }

    List<String> etcd(int clientPort, int peerPort) {
        String client = "http://127.0.0.1:" + clientPort;
        String peer = "http://127.0.0.1:" + peerPort;
        return command(
                Component.ETCD,
                "--data-dir=" + etcdDirectory(),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=default=" + peer,
                // The data need not survive the machine.
                "--unsafe-no-fsync",
                // The default of 2 GiB ends at some 60,000 full devices. It is a limit, not a reservation.
                "--quota-backend-bytes=" + QUOTA_BYTES,
                "--log-level=warn");
    }

    List<String> apiServer(int port, int etcdPort) {
        List<String> command = command(
                Component.API_SERVER,
                "--etcd-servers=http://127.0.0.1:" + etcdPort,
                "--bind-address=" + (options.network() == null ? host() : "0.0.0.0"),
                "--secure-port=" + port,
                "--service-cluster-ip-range=10.96.0.0/16",
                "--tls-cert-file=" + pki("apiserver.crt"),
                "--tls-private-key-file=" + pki("apiserver.key"),
                "--client-ca-file=" + pki("ca.crt"),
                "--service-account-key-file=" + pki("service-accounts.key"),
                "--service-account-signing-key-file=" + pki("service-accounts.key"),
                "--service-account-issuer=https://kubernetes.default.svc",
                "--authorization-mode=Node,RBAC",
                "--enable-admission-plugins=NodeRestriction",
                "--allow-privileged",
                // Aggregated APIs and webhooks reach the endpoints of a Service although no kube-proxy runs.
                "--enable-aggregator-routing",
                "--requestheader-client-ca-file=" + pki("front-proxy-ca.crt"),
                "--requestheader-allowed-names=front-proxy",
                "--requestheader-username-headers=X-Remote-User",
                "--requestheader-group-headers=X-Remote-Group",
                "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                "--proxy-client-cert-file=" + pki("front-proxy.crt"),
                "--proxy-client-key-file=" + pki("front-proxy.key"),
                "--kubelet-preferred-address-types=InternalIP",
                "--kubelet-client-certificate=" + pki("admin.crt"),
                "--kubelet-client-key=" + pki("admin.key"),
                "--watch-cache=" + options.watchCache());
        if (options.network() != null) {
            command.add("--advertise-address=" + host());
        }
        command.addAll(options.apiServerArguments());
        return command;
    }

    List<String> controllerManager(int port) {
        String kubeconfig = directory.resolve("controller-manager.kubeconfig").toString();
        List<String> command = command(
                Component.CONTROLLER_MANAGER,
                "--kubeconfig=" + kubeconfig,
                "--authentication-kubeconfig=" + kubeconfig,
                "--authorization-kubeconfig=" + kubeconfig,
                "--bind-address=" + host(),
                "--secure-port=" + port,
                "--cert-dir=" + directory.resolve("controller-manager-certificates"),
                "--service-account-private-key-file=" + pki("service-accounts.key"),
                "--root-ca-file=" + pki("ca.crt"),
                "--use-service-account-credentials",
                "--leader-elect=false",
                "--node-monitor-period=1s",
                "--node-monitor-grace-period=" + options.nodeGraceSeconds() + "s",
                // A hundred DaemonSet pods in a second rather than in five.
                "--kube-api-qps=200",
                "--kube-api-burst=400");
        command.addAll(options.controllerManagerArguments());
        return command;
    }

    List<String> scheduler(int port) {
        String kubeconfig = directory.resolve("scheduler.kubeconfig").toString();
        return command(
                Component.SCHEDULER,
                "--kubeconfig=" + kubeconfig,
                "--authentication-kubeconfig=" + kubeconfig,
                "--authorization-kubeconfig=" + kubeconfig,
                "--bind-address=" + host(),
                "--secure-port=" + port,
                "--cert-dir=" + directory.resolve("scheduler-certificates"),
                "--leader-elect=false",
                "--kube-api-qps=200",
                "--kube-api-burst=400");
    }

    private List<String> command(Component component, String... flags) {
        List<String> command = new ArrayList<>();
        command.add(assets.program(component).toString());
        command.addAll(List.of(flags));
        return options.network() == null ? command : options.network().inside(command);
    }

    private Path pki(String file) {
        return directory.resolve("pki").resolve(file);
    }
}
