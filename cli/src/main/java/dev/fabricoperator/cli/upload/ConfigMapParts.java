/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.upload;

import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricApi;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.File;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An upload as ConfigMaps of a cluster. */
public final class ConfigMapParts implements AutoCloseable {
    /** Field manager of what this program writes. */
    public static final String FIELD_MANAGER = "kubectl-fabric";

    private static final int CONNECT_MILLISECONDS = 10_000;
    private static final int REQUEST_MILLISECONDS = 30_000;
    private static final int RETRIES = 2;

    private final KubernetesClient client;
    private final String namespace;

    private ConfigMapParts(Config config, String namespace) {
        this.client = new KubernetesClientBuilder().withConfig(config).build();
        this.namespace = namespace;
    }

    /**
     * The namespace of a cluster, which need not exist.
     *
     * @param context of the kubeconfig; {@code null} is its current one
     * @param kubeconfig {@code null} is {@code KUBECONFIG}, then {@code ~/.kube/config}, then the pod's own account
     */
    public static ConfigMapParts in(String namespace, @Nullable String context, @Nullable File kubeconfig)
            throws Failure {
        if (kubeconfig != null && !kubeconfig.isFile()) {
            throw Failure.failed(kubeconfig + ": no such kubeconfig", null);
        }
        Config found;
        try {
            found = kubeconfig == null ? Config.autoConfigure(context) : Config.fromKubeconfig(context, kubeconfig);
        } catch (RuntimeException e) {
            throw Failure.failed("the kubeconfig cannot be used: " + rootMessage(e), e);
        }
        requireCluster(found, context, kubeconfig);
        return new ConfigMapParts(bounded(found), namespace);
    }

    /** The client falls back to a cluster that it makes up; a person wants to hear of the typing error. */
    private static void requireCluster(Config found, @Nullable String context, @Nullable File kubeconfig)
            throws Failure {
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
                            + " pod; name one with --kubeconfig or --context, or try --dry-run",
                    null);
        }
    }

    private static String stripped(@Nullable String url) {
        return url == null ? "" : url.replaceFirst("/$", "");
    }

    /** A person waits: what does not answer soon has failed. */
    private static Config bounded(Config config) {
        return new ConfigBuilder(config)
                .withConnectionTimeout(CONNECT_MILLISECONDS)
                .withRequestTimeout(REQUEST_MILLISECONDS)
                .withRequestRetryBackoffLimit(RETRIES)
                .build();
    }

    /** Writes every part, then deletes those of a longer upload before; what others wrote stays. */
    public List<String> replace(Upload upload) throws Failure {
        List<String> done = new ArrayList<>();
        try {
            for (int part = 1; part <= upload.parts().size(); part++) {
                client.configMaps()
                        .inNamespace(namespace)
                        .resource(configMap(upload, part))
                        .fieldManager(FIELD_MANAGER)
                        .forceConflicts()
                        .serverSideApply();
                done.add("configmap/" + name(upload, part) + " applied (part " + part + " of "
                        + upload.parts().size() + ")");
            }
            for (ConfigMap leftover : leftovers(upload)) {
                client.resource(leftover).delete();
                done.add("configmap/" + leftover.getMetadata().getName() + " deleted (of an upload before this)");
            }
            return done;
        } catch (KubernetesClientException e) {
            throw refused(e);
        }
    }

    private List<ConfigMap> leftovers(Upload upload) {
        return client
                .configMaps()
                .inNamespace(namespace)
                .withLabel(FabricApi.LABEL_TOPOLOGY, upload.kind().name())
                .withLabel(FabricApi.LABEL_SOURCE, upload.name())
                .list()
                .getItems()
                .stream()
                .filter(found -> number(found, upload.name()) > upload.parts().size())
                .toList();
    }

    /** The part that a ConfigMap's name says it is; 0 for one that this program did not name. */
    private static int number(ConfigMap found, String upload) {
        String name = found.getMetadata().getName();
        String digits = name.startsWith(upload + "-") ? name.substring(upload.length() + 1) : "";
        return digits.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(digits) : 0;
    }

    static ConfigMap configMap(Upload upload, int part) {
        byte[] slice = upload.parts().get(part - 1);
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name(upload, part))
                .addToLabels(FabricApi.LABEL_TOPOLOGY, upload.kind().name())
                .addToLabels(FabricApi.LABEL_SOURCE, upload.name())
                .addToAnnotations(FabricApi.ANNOTATION_PART, Integer.toString(part))
                .addToAnnotations(
                        FabricApi.ANNOTATION_PARTS,
                        Integer.toString(upload.parts().size()))
                .addToAnnotations(FabricApi.ANNOTATION_DIGEST, upload.digest())
                .addToAnnotations(FabricApi.ANNOTATION_FILE, upload.file())
                .endMetadata()
                .addToBinaryData(FabricApi.UPLOAD_KEY, Base64.getEncoder().encodeToString(slice))
                .build();
    }

    static String name(Upload upload, int part) {
        return upload.name() + "-" + part;
    }

    private Failure refused(KubernetesClientException e) {
        String said = e.getStatus() != null && e.getStatus().getMessage() != null
                ? e.getStatus().getMessage()
                : rootMessage(e);
        String server = String.valueOf(client.getMasterUrl());
        String next = switch (e.getCode()) {
            case HttpURLConnection.HTTP_NOT_FOUND -> "; create the namespace, or name another with --namespace";
            case HttpURLConnection.HTTP_FORBIDDEN ->
                "; you need get, list, patch, delete on configmaps in namespace " + namespace;
            case HttpURLConnection.HTTP_UNAUTHORIZED -> "; log in again, or choose another --context";
            case 0 -> "; is this the cluster that you mean? --context and --kubeconfig choose another";
            default -> "";
        };
        return Failure.failed(server + ": " + said + next, e);
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message != null ? message : root.getClass().getSimpleName();
    }

    @Override
    public void close() {
        client.close();
    }
}
