/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the controller has made of a cluster, as sorted lines of an object's kind, name and path, and the value there. Left out is what two undisturbed runs do not share: times,
 * identities and versions of objects, keys, and history, which tells how often a Fabric changed until it was what it is.
 */
public final class EndState {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Set<String> OF_A_RUN = Set.of(
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "managedFields",
            // Of an object by the API server, of a Fabric by the controller, and of what is observed of either.
            "generation",
            "observedGeneration",
            "changes",
            "lastTransitionTime",
            "since",
            "waitingSince",
            "time");
    /** In sentences: how many there were until the end is history too. */
    private static final Pattern GENERATION = Pattern.compile("generation \\d+");

    private static final Set<String> OF_KUBERNETES = Set.of("kube-root-ca.crt");

    private EndState() {}

    static SortedSet<String> read(KubernetesClient admin) {
        SortedSet<String> lines = new TreeSet<>();
        List<Fabric> fabrics = admin.resources(Fabric.class).list().getItems();
        Stream.of(
                        fabrics.stream(),
                        admin.resources(FabricDevice.class).list().getItems().stream(),
                        admin.resources(FabricSwitch.class).list().getItems().stream(),
                        admin.nodes().list().getItems().stream(),
                        admin.configMaps().inNamespace(OperatorProcess.NAMESPACE).list().getItems().stream()
                                .filter(map -> !OF_KUBERNETES.contains(
                                        map.getMetadata().getName())),
                        hyperNodes(admin).stream())
                .flatMap(objects -> objects)
                .forEach(object -> add(object.getKind(), object, lines));
        List<Secret> secrets =
                admin.secrets().inNamespace(OperatorProcess.NAMESPACE).list().getItems();
        secrets.forEach(secret -> lines.add("Secret " + secret.getMetadata().getName() + " "
                + new TreeSet<>(secret.getData().keySet())));
        whoTrusts(admin, secrets, lines);
        return lines.stream().map(line -> named(line, fabrics)).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The ConfigMap of numbers knows Fabrics by their UIDs. */
    private static String named(String line, List<Fabric> fabrics) {
        String named = line;
        for (Fabric fabric : fabrics) {
            named = named.replace(
                    fabric.getMetadata().getUid(), fabric.getMetadata().getName());
        }
        return named;
    }

    /** None where Volcano's kinds are not known. */
    private static List<GenericKubernetesResource> hyperNodes(KubernetesClient admin) {
        boolean known = admin.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName("hypernodes.topology.volcano.sh")
                        .get()
                != null;
        return known
                ? admin.genericKubernetesResources("topology.volcano.sh/v1alpha1", "HyperNode")
                        .list()
                        .getItems()
                : List.of();
    }

    /** Whether all who must trust the serving certificate are told the same authorities. */
    private static void whoTrusts(KubernetesClient admin, List<Secret> secrets, SortedSet<String> lines) {
        String authority = secrets.stream()
                .filter(secret -> secret.getData().containsKey("ca.crt"))
                .map(secret -> secret.getData().get("ca.crt"))
                .findFirst()
                .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8))
                .orElse("none");
        admin.admissionRegistration().v1().mutatingWebhookConfigurations().list().getItems().stream()
                .flatMap(all -> all.getWebhooks().stream())
                .forEach(hook -> lines.add("webhook " + hook.getName() + " trusts "
                        + same(hook.getClientConfig().getCaBundle(), authority)));
        admin.admissionRegistration().v1().validatingWebhookConfigurations().list().getItems().stream()
                .flatMap(all -> all.getWebhooks().stream())
                .forEach(hook -> lines.add("webhook " + hook.getName() + " trusts "
                        + same(hook.getClientConfig().getCaBundle(), authority)));
    }

    private static String same(@Nullable String bundle, String authority) {
        return bundle != null
                        && new String(Base64.getDecoder().decode(bundle), StandardCharsets.UTF_8).equals(authority)
                ? "the serving Secret's authority"
                : "another";
    }

    /** Of one object. */
    public static SortedSet<String> of(HasMetadata object) {
        SortedSet<String> lines = new TreeSet<>();
        add(object.getKind(), object, lines);
        return lines;
    }

    private static void add(String kind, HasMetadata object, SortedSet<String> lines) {
        JsonNode tree = MAPPER.valueToTree(object);
        JsonNode matrix = tree.at("/status/costMatrix/generation");
        if (!matrix.isMissingNode() && !matrix.equals(tree.at("/status/generation"))) {
            lines.add(kind + " " + object.getMetadata().getName() + " has a cost matrix of another generation");
        }
        flatten(kind + " " + object.getMetadata().getName() + " ", tree, lines);
    }

    private static void flatten(String path, JsonNode node, SortedSet<String> lines) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                if (!OF_A_RUN.contains(field.getKey())) {
                    flatten(path + "." + field.getKey(), field.getValue(), lines);
                }
            });
        } else if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                flatten(path + "[" + i + "]", Objects.requireNonNull(node.get(i)), lines);
            }
        } else if (path.contains("ConfigMap") && node.asText().contains("BEGIN CERTIFICATE")) {
            lines.add(path + " is a certificate");
        } else {
            lines.add(path + " = " + GENERATION.matcher(node.asText()).replaceAll("generation N"));
        }
    }
}
