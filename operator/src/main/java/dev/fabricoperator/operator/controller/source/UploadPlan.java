/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.formats.TopologyFormat;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.model.SourceProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** How the dump of one upload is put together, or why it cannot be. */
sealed interface UploadPlan {
    /** What a ConfigMap may hold. */
    List<SourceType> KINDS = List.of(SourceType.ibnetdiscover, SourceType.lldp, SourceType.slurm, SourceType.cables);

    /** The key of a ConfigMap under which the site's names for nodes of a dump of InfiniBand stand. */
    String NODE_NAMES_KEY = "node-name-map";

    /**
     * @param file what the dump is called in messages
     * @param slices where its bytes are, in order
     * @param digest SHA-256 that the uncompressed dump must have, {@code null} where nobody said
     * @param nodeNames the node name map beside it, {@code null} where there is none
     */
    record Whole(
            String file,
            List<Slice> slices,
            @Nullable String digest,
            @Nullable Whole nodeNames) implements UploadPlan {
        public Whole {
            slices = List.copyOf(slices);
        }
    }

    /** Several texts, each under a key of one ConfigMap, of which each may say a part. */
    record Several(List<Whole> texts) implements UploadPlan {
        public Several {
            texts = List.copyOf(texts);
        }
    }

    /** The upload cannot be read as it is now. */
    record Faulty(SourceProblem problem) implements UploadPlan {}

    /** One key of one ConfigMap. */
    record Slice(String configMap, String resourceVersion, String key, boolean binary) {}

    /** What the upload holds, by its label; {@code unlabelled} where no part has one. */
    static SourceType type(List<UploadPart> parts, SourceType unlabelled) {
        return KINDS.stream()
                .filter(kind -> parts.stream().anyMatch(part -> part.type().equals(kind.name())))
                .findFirst()
                .orElse(unlabelled);
    }

    /**
     * @param parts the ConfigMaps of the upload, at least one
     * @param named what a Fabric says that it holds, where no label does
     */
    static UploadPlan of(String upload, List<UploadPart> parts, SourceType named) {
        for (UploadPart part : parts) {
            if (!part.type().isEmpty() && KINDS.stream().noneMatch(t -> t.name().equals(part.type()))) {
                return unreadable("ConfigMap " + part.name() + ": label " + FabricApi.LABEL_TOPOLOGY + " is \""
                        + part.type() + "\"; known is " + KINDS);
            }
        }
        boolean numbered = parts.stream().anyMatch(p -> p.part() != null || p.parts() != null);
        return numbered ? ofNumbered(upload, parts) : ofSingle(upload, parts, named);
    }

    private static UploadPlan ofSingle(String upload, List<UploadPart> parts, SourceType named) {
        if (parts.size() > 1) {
            return unreadable("upload " + upload + ": the ConfigMaps "
                    + String.join(
                            ", ", parts.stream().map(UploadPart::name).sorted().toList())
                    + " have no annotation " + FabricApi.ANNOTATION_PART);
        }
        UploadPart only = parts.getFirst();
        String file = Objects.requireNonNullElse(only.file(), "ConfigMap " + only.name());
        List<String> keys = new ArrayList<>(only.textKeys());
        keys.addAll(only.binaryKeys());
        Whole nodeNames = null;
        if (TopologyFormat.valueOf(type(parts, named).name()).takesNodeNames() && keys.remove(NODE_NAMES_KEY)) {
            nodeNames = ofKey(only, NODE_NAMES_KEY, "ConfigMap " + only.name() + " key " + NODE_NAMES_KEY, null, null);
        }
        if (keys.isEmpty()) {
            return unreadable(file + ": one key is expected, not none");
        }
        if (keys.size() > 1) {
            return new Several(keys.stream()
                    .map(key -> ofKey(only, key, "ConfigMap " + only.name() + " key " + key, null, null))
                    .toList());
        }
        String key = keys.getFirst();
        return ofKey(only, key, only.file() != null ? only.file() : file + " key " + key, only.digest(), nodeNames);
    }

    private static Whole ofKey(
            UploadPart part, String key, String file, @Nullable String digest, @Nullable Whole nodeNames) {
        boolean binary = part.binaryKeys().contains(key);
        return new Whole(file, List.of(new Slice(part.name(), part.resourceVersion(), key, binary)), digest, nodeNames);
    }

    private static UploadPlan ofNumbered(String upload, List<UploadPart> parts) {
        Map<String, List<UploadPart>> byDigest = new TreeMap<>();
        for (UploadPart part : parts) {
            if (part.part() == null || part.parts() == null || part.digest() == null) {
                return unreadable("upload " + upload + ": ConfigMap " + part.name() + " lacks a valid annotation "
                        + FabricApi.ANNOTATION_PART + ", " + FabricApi.ANNOTATION_PARTS + " or "
                        + FabricApi.ANNOTATION_DIGEST);
            }
            if (!part.binaryKeys().contains(FabricApi.UPLOAD_KEY)) {
                return unreadable("upload " + upload + ": ConfigMap " + part.name() + " has no " + FabricApi.UPLOAD_KEY
                        + " in binaryData");
            }
            byDigest.computeIfAbsent(part.digest(), d -> new ArrayList<>()).add(part);
        }
        List<UploadPlan> plans =
                byDigest.values().stream().map(of -> ofOneDump(upload, of)).toList();
        List<UploadPlan> whole =
                plans.stream().filter(plan -> plan instanceof Whole).toList();
        if (whole.size() == 1) {
            return whole.getFirst();
        }
        if (plans.size() > 1) {
            return new Faulty(new SourceProblem(
                    SourceProblem.Kind.InProgress,
                    "upload " + upload + ": parts of " + plans.size() + " dumps are there, an upload is in progress"));
        }
        return plans.getFirst();
    }

    private static UploadPlan ofOneDump(String upload, List<UploadPart> parts) {
        int count = Objects.requireNonNull(parts.getFirst().parts());
        Map<Integer, UploadPart> byNumber = new TreeMap<>();
        for (UploadPart part :
                parts.stream().sorted(Comparator.comparing(UploadPart::name)).toList()) {
            byNumber.putIfAbsent(Objects.requireNonNull(part.part()), part);
        }
        List<String> missing = IntStream.rangeClosed(1, count)
                .filter(number -> !byNumber.containsKey(number))
                .mapToObj(Integer::toString)
                .toList();
        String file = Objects.requireNonNullElse(parts.getFirst().file(), "upload " + upload);
        if (!missing.isEmpty() || count == 0) {
            return new Faulty(new SourceProblem(
                    SourceProblem.Kind.Incomplete,
                    file + ": part " + String.join(", ", missing) + " of " + count + " is missing from upload "
                            + upload));
        }
        return new Whole(
                file,
                IntStream.rangeClosed(1, count)
                        .mapToObj(byNumber::get)
                        .map(part -> new Slice(part.name(), part.resourceVersion(), FabricApi.UPLOAD_KEY, true))
                        .toList(),
                parts.getFirst().digest(),
                null);
    }

    private static Faulty unreadable(String message) {
        return new Faulty(new SourceProblem(SourceProblem.Kind.Unreadable, message));
    }
}
