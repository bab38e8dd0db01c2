/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.TolerantSerialization;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.File;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client of the cluster that a person means, and words for what goes wrong with it. */
public final class Connection {
    private static final int CONNECT_MILLISECONDS = 10_000;
    private static final int REQUEST_MILLISECONDS = 30_000;
    private static final int RETRIES = 2;
    private static final String OPERATOR_MISSING = "is the operator installed? 'kubectl get crds' shows its kinds";

    private Connection() {}

    /**
     * Opens no connection yet; the caller closes it.
     *
     * @param context of the kubeconfig; {@code null} is its current one
     * @param kubeconfig {@code null} is {@code KUBECONFIG}, then {@code ~/.kube/config}, then the pod's own account
     * @param otherwise what to do without a cluster
     */
    public static KubernetesClient open(@Nullable String context, @Nullable File kubeconfig, String otherwise)
            throws Failure {
        return open(config(context, kubeconfig, otherwise));
    }

    static KubernetesClient open(Config config) {
        return new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new ClusterHttp())
                .withKubernetesSerialization(TolerantSerialization.create())
                .build();
    }

    /** As {@link #open}, of which a client that needs less can be made. */
    static Config config(@Nullable String context, @Nullable File kubeconfig, String otherwise) throws Failure {
        if (kubeconfig != null && !kubeconfig.isFile()) {
            throw Failure.failed(kubeconfig + ": no such kubeconfig", null);
        }
        Config found;
        try {
            found = kubeconfig == null ? Config.autoConfigure(context) : Config.fromKubeconfig(context, kubeconfig);
        } catch (RuntimeException e) {
            // The parser's message has lines of its own, and the names of classes.
            throw Failure.failed(
                    (kubeconfig == null ? "KUBECONFIG or ~/.kube/config" : kubeconfig)
                            + ": this is no kubeconfig that can be read; --debug tells more",
                    e);
        }
        requireCluster(found, context, kubeconfig, otherwise);
        return bounded(found);
    }

    /** The client falls back to a cluster that it makes up; a person wants to hear of the typing error. */
    private static void requireCluster(
            Config found, @Nullable String context, @Nullable File kubeconfig, String otherwise) throws Failure {
        NamedContext current = found.getCurrentContext();
        if (context != null && (current == null || !context.equals(current.getName()))) {
            List<String> known = found.getContexts() == null
                    ? List.of()
                    : found.getContexts().stream().map(NamedContext::getName).toList();
            throw Failure.failed(
                    "no context '" + context + "' in " + (kubeconfig == null ? "the kubeconfig" : kubeconfig)
                            + (known.isEmpty() ? "" : "; there is " + String.join(", ", known)),
                    null);
        }
        if (current == null && Config.DEFAULT_MASTER_URL.equals(stripped(found.getMasterUrl()))) {
            throw Failure.failed(
                    "no cluster is known: there is no current context in KUBECONFIG or ~/.kube/config, and this is no"
                            + " pod; name one with --kubeconfig or --context, or "
                            + otherwise,
                    null);
        }
    }

    private static String stripped(@Nullable String url) {
        return url == null ? "" : url.replaceFirst("/$", "");
    }

    /**
     * A person waits: what does not answer soon has failed. Set in place: a copy by ConfigBuilder reads the kubeconfig once more, asks its
     * exec plugin again, and fills what this context leaves open from the current one, tokens and certificates of another cluster among it.
     */
    private static Config bounded(Config config) {
        config.setConnectionTimeout(CONNECT_MILLISECONDS);
        config.setRequestTimeout(REQUEST_MILLISECONDS);
        config.setRequestRetryBackoffLimit(RETRIES);
        return config;
    }

    /** The namespace of the kubeconfig's context, as kubectl understands it. */
    static String currentNamespace(KubernetesClient client) {
        return Objects.requireNonNullElse(client.getNamespace(), "default");
    }

    /** What the server, or the way to it, said. */
    public static Failure refused(KubernetesClient client, KubernetesClientException e, String needed) {
        return refused(client, e, OPERATOR_MISSING, needed);
    }

    /**
     * @param missing what to do where the server does not know what is asked for
     * @param needed rights
     */
    public static Failure refused(KubernetesClient client, KubernetesClientException e, String missing, String needed) {
        String message = e.getStatus() != null && e.getStatus().getMessage() != null
                ? e.getStatus().getMessage()
                : rootMessage(e);
        return refused(client.getMasterUrl().toString(), e.getCode(), message, e, missing, needed);
    }

    /** @param code HTTP status, 0 for none */
    static Failure refused(String server, int code, String message, @Nullable Throwable e, String needed) {
        return refused(server, code, message, e, OPERATOR_MISSING, needed);
    }

    private static Failure refused(
            String server, int code, String message, @Nullable Throwable e, String missing, String needed) {
        String next = switch (code) {
            case HttpURLConnection.HTTP_NOT_FOUND -> "; " + missing;
            case HttpURLConnection.HTTP_FORBIDDEN -> "; you need " + needed;
            case HttpURLConnection.HTTP_UNAUTHORIZED -> "; log in again, or choose another --context";
            case 0 -> "; is this the cluster that you mean? --context and --kubeconfig choose another";
            default -> "";
        };
        return Failure.failed(server + ": " + message + next, e);
    }

    static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message != null ? message : root.getClass().getSimpleName();
    }
}
