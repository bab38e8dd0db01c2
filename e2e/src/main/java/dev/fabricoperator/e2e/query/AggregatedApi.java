/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.ServiceEndpoints;
import dev.fabricoperator.e2e.system.Command;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** The project's APIService with servers that are processes of this machine behind it. */
public final class AggregatedApi {
    /** Name of the Service, and of the server in its certificate. */
    public static final String SERVICE = "fabric-operator-query";

    public static final String SERVER_NAME = SERVICE + "." + OperatorProcess.NAMESPACE + ".svc";
    private static final String NAME = "v1alpha1.query.fabric-operator.dev";

    private final Cluster cluster;
    private final Command kubectl;

    public AggregatedApi(Cluster cluster) {
        this.cluster = cluster;
        this.kubectl = Command.kubectl(cluster);
    }

    /** Registers it for the operator that is installed in the cluster; returns when the API server finds it available. */
    public void install() {
        apply();
        awaitAvailable();
    }

    /** Takes away all that {@link #install} has made. */
    public void uninstall() {
        kubectl.run("delete", "-k", directory());
    }

    private void apply() {
        kubectl.run("apply", "--server-side", "-k", directory());
    }

    private static String directory() {
        return ProjectRoot.find().resolve("config/query-apiservice").toString();
    }

    /**
     * Registers it with the authority of the cluster as the one to trust, as cert-manager would; returns when the API server finds it
     * available.
     */
    public void register(List<URI> servers) {
        ServiceEndpoints.point(cluster, SERVICE, servers);
        apply();
        kubectl.run("annotate", "apiservice", NAME, "cert-manager.io/inject-ca-from=fabric-operator/fabric-operator");
        String bundle =
                Base64.getEncoder().encodeToString(cluster.authorityPem().getBytes(StandardCharsets.US_ASCII));
        kubectl.run("patch", "apiservice", NAME, "--type=merge", "-p", "{\"spec\":{\"caBundle\":\"" + bundle + "\"}}");
        awaitAvailable();
    }

    public void awaitAvailable() {
        kubectl.run("wait", "--for=condition=Available", "--timeout=240s", "apiservice/" + NAME);
    }

    public void unregister() {
        kubectl.run("delete", "apiservice", NAME, "--ignore-not-found");
    }

    /** What the API server says of it. */
    public String availability() {
        return kubectl.run(
                "get", "apiservice", NAME, "-o", "jsonpath={.status.conditions[?(@.type==\"Available\")].status}");
    }
}
