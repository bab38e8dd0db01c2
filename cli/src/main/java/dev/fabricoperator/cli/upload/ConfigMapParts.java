/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.upload;

import dev.fabricoperator.cli.cluster.Connection;
import dev.fabricoperator.cli.input.Failure;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.formats.PackedText;
import dev.fabricoperator.formats.TopologyFormat;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An upload as ConfigMaps of a cluster. */
public final class ConfigMapParts implements AutoCloseable {
    /** Field manager of what this program writes. */
    public static final String FIELD_MANAGER = "kubectl-fabric";

    private final KubernetesClient client;
    private final String namespace;

    private ConfigMapParts(KubernetesClient client, String namespace) {
        this.client = client;
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
        return new ConfigMapParts(Connection.open(context, kubeconfig, "try --dry-run"), namespace);
    }

    /**
     * Writes every part, then deletes those of a longer upload before; what others wrote stays.
     *
     * @param whatever whether an upload of another fabric may be replaced
     */
    public List<String> replace(Upload upload, boolean whatever) throws Failure {
        List<String> done = new ArrayList<>();
        try {
            List<ConfigMap> before = partsOf(upload.name());
            if (!whatever && isOfAnotherFabric(before, upload)) {
                throw Failure.wrongUsage("'" + upload.name() + "' is an upload of "
                        + before.getFirst()
                                .getMetadata()
                                .getAnnotations()
                                .getOrDefault(FabricApi.ANNOTATION_FILE, "a file")
                        + " that has no switch in common with " + upload.file() + ": --name " + upload.name()
                        + " replaces it, any other name keeps both");
            }
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
            for (ConfigMap part : before) {
                if (number(part, upload.name()) > upload.parts().size()) {
                    client.resource(part).delete();
                    done.add("configmap/" + part.getMetadata().getName() + " deleted (of an upload before this)");
                }
            }
            return done;
        } catch (KubernetesClientException e) {
            throw Connection.refused(
                    client,
                    e,
                    "create the namespace, or name another with --namespace",
                    "get, list, patch, delete on configmaps in namespace " + namespace);
        }
    }

    /** In the order of their numbers, without what this program did not name. */
    private List<ConfigMap> partsOf(String upload) {
        return client
                .configMaps()
                .inNamespace(namespace)
                .withLabel(FabricApi.LABEL_TOPOLOGY)
                .withLabel(FabricApi.LABEL_SOURCE, upload)
                .list()
                .getItems()
                .stream()
                .filter(part -> number(part, upload) > 0 && part.getBinaryData() != null)
                .sorted(Comparator.comparingInt(part -> number(part, upload)))
                .toList();
    }

    /** What cannot be read is of no fabric. */
    private static boolean isOfAnotherFabric(List<ConfigMap> before, Upload upload) {
        Set<String> switches = new HashSet<>();
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try {
            for (ConfigMap part : before) {
                packed.writeBytes(
                        Base64.getDecoder().decode(part.getBinaryData().getOrDefault(FabricApi.UPLOAD_KEY, "")));
            }
            String kind = before.isEmpty()
                    ? ""
                    : before.getFirst().getMetadata().getLabels().getOrDefault(FabricApi.LABEL_TOPOLOGY, "");
            try (PackedText text =
                    PackedText.open(new ByteArrayInputStream(packed.toByteArray()), OutputStream.nullOutputStream())) {
                TopologyFormat.valueOf(kind)
                        .read(upload.name(), text)
                        .switches()
                        .forEach(s -> switches.add(s.id()));
            }
        } catch (IOException | BadInputException | IllegalArgumentException e) {
            return false;
        }
        return !switches.isEmpty() && upload.cabling().switches().stream().noneMatch(s -> switches.contains(s.id()));
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

    @Override
    public void close() {
        client.close();
    }
}
