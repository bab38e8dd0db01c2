/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import dev.fabricoperator.formats.SourceTexts;
import dev.fabricoperator.formats.TopologyFormat;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.model.SourceProblem;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sources that lie somewhere: uploads, ConfigMaps, files. One is read when what it consists of has changed, or on request; those of
 * one type that one Fabric names are read together.
 *
 * <p>For one thread.
 */
@ApplicationScoped
public class StoredSources {
    private final SourceContents bytes;
    private final String namespace;
    private final Map<String, Object> fingerprints = new HashMap<>();

    public StoredSources(SourceContents bytes, Settings settings) {
        this.bytes = bytes;
        this.namespace = settings.namespace();
    }

    /**
     * One of the sources.
     *
     * @param named as Fabrics name it; {@code null} for an upload that none names
     * @param parts the ConfigMaps of an upload; empty where it is none
     */
    record Stored(String name, @Nullable TopologySource named, List<UploadPart> parts) {
        /** What it holds. */
        SourceType type() {
            return UploadPlan.type(parts, named == null ? SourceType.ibnetdiscover : named.type());
        }

        /** Whether others of its type may say a part of what it says. */
        boolean isPart() {
            return TopologyFormat.valueOf(type().name()).together() != null;
        }
    }

    /**
     * One text.
     *
     * @param digest SHA-256 that its unpacked bytes must have, {@code null} for any
     * @param nodeNames the node name map that goes with it, {@code null} for none
     */
    private record Text(
            String file,
            @Nullable String digest,
            SourceContents.Opening opening,
            @Nullable Text nodeNames) {}

    /**
     * What of a source there is to read.
     *
     * @param fingerprint changes with it; {@code null} where it is to be looked for again each time
     * @param problem why there are no texts
     */
    private record Content(
            SourceType type,
            @Nullable Object fingerprint,
            @Nullable SourceProblem problem,
            List<Text> texts) {}

    /**
     * What sources of one type say together, {@code null} if all are as they were.
     *
     * @param sources at least one; the first one's name stands for them
     */
    @Nullable
    Reading read(List<Stored> sources, boolean again) {
        String name = sources.getFirst().name();
        List<Content> contents = sources.stream().map(this::content).toList();
        List<Object> fingerprint = new ArrayList<>();
        for (int i = 0; i < contents.size(); i++) {
            fingerprint.add(sources.get(i).name());
            fingerprint.add(contents.get(i).type());
            fingerprint.add(Objects.requireNonNullElse(contents.get(i).fingerprint(), this));
        }
        boolean isComplete = contents.stream().noneMatch(content -> content.fingerprint() == null);
        if (fingerprint.equals(fingerprints.put(name, fingerprint)) && isComplete && !again) {
            return null;
        }
        SourceType type = contents.getFirst().type();
        List<Text> texts = new ArrayList<>();
        for (Content content : contents) {
            SourceProblem problem = content.problem();
            SourceType named = sources.getFirst().type();
            if (problem == null && sources.size() > 1 && content.type() != named) {
                problem = new SourceProblem(
                        SourceProblem.Kind.Unreadable,
                        content.texts().getFirst().file() + ": its label says that it is of type " + content.type()
                                + ", and a Fabric that it is " + named);
            }
            if (problem != null) {
                return new Reading.Failure(content.type(), problem);
            }
            texts.addAll(content.texts());
        }
        return texts.size() == 1 ? read(type, texts.getFirst()) : readTogether(type, texts);
    }

    private Content content(Stored source) {
        TopologySource named = source.named();
        if (!source.parts().isEmpty() || named == null) {
            return upload(source, source.parts());
        }
        ObjectRef configMap = named.configMapRef();
        if (configMap != null) {
            UploadPart part = bytes.part(namespace, configMap.name());
            return part != null
                    ? upload(new Stored(source.name(), named, List.of(part)), List.of(part))
                    : missing(
                            source,
                            "there is no ConfigMap or upload " + configMap.name() + " in namespace " + namespace);
        }
        String url = Objects.requireNonNull(named.url());
        try {
            SourceContents.TopologyFile file = bytes.file(url);
            return new Content(named.type(), file.fingerprint(), null, List.of(new Text(url, null, file::open, null)));
        } catch (IOException e) {
            return missing(source, url + ": " + e.getMessage());
        }
    }

    private Content upload(Stored source, List<UploadPart> parts) {
        UploadPlan plan = UploadPlan.of(source.name(), parts, source.type());
        return switch (plan) {
            case UploadPlan.Faulty faulty -> new Content(source.type(), plan, faulty.problem(), List.of());
            case UploadPlan.Whole whole -> new Content(source.type(), plan, null, List.of(text(whole)));
            case UploadPlan.Several several
            when source.isPart() ->
                new Content(
                        source.type(),
                        plan,
                        null,
                        several.texts().stream().map(this::text).toList());
            case UploadPlan.Several several ->
                new Content(
                        source.type(),
                        plan,
                        new SourceProblem(
                                SourceProblem.Kind.Unreadable,
                                several.texts().getFirst().file() + " is one of "
                                        + several.texts().size()
                                        + ", and one key is expected: " + source.type() + " is whole in each text"),
                        List.of());
        };
    }

    private Text text(UploadPlan.Whole whole) {
        UploadPlan.Whole names = whole.nodeNames();
        return new Text(
                whole.file(),
                whole.digest(),
                () -> bytes.ofConfigMaps(namespace, whole.slices()),
                names == null ? null : text(names));
    }

    void forget(String name) {
        fingerprints.remove(name);
    }

    private static Content missing(Stored source, String message) {
        return new Content(source.type(), null, new SourceProblem(SourceProblem.Kind.Missing, message), List.of());
    }

    private static Reading read(SourceType type, Text text) {
        TextsBeside beside = TextsBeside.NONE;
        Text names = text.nodeNames();
        if (names != null) {
            try (InputStream stream = names.opening().open()) {
                beside = beside.with(SourceText.nodeNames(names.file(), stream));
            } catch (BadInputException | IOException e) {
                return new Reading.Failure(type, SourceText.problem(names.file(), e));
            }
        }
        try (InputStream stream = text.opening().open()) {
            return new Reading.Success(
                    type,
                    text.file(),
                    SourceText.read(type, text.file(), stream, text.digest(), beside),
                    Reading.Evidence.Record);
        } catch (BadInputException | IOException e) {
            return new Reading.Failure(type, SourceText.problem(text.file(), e));
        }
    }

    private static Reading readTogether(SourceType type, List<Text> texts) {
        SourceTexts together =
                Objects.requireNonNull(TopologyFormat.valueOf(type.name()).together());
        String first = texts.getFirst().file();
        for (Text text : texts) {
            try (InputStream stream = text.opening().open()) {
                SourceText.add(together, text.file(), stream, text.digest());
            } catch (BadInputException | IOException e) {
                return new Reading.Failure(type, SourceText.problem(text.file(), e));
            }
        }
        try {
            return new Reading.Success(
                    type, first + " and " + (texts.size() - 1) + " more", together.cabling(), Reading.Evidence.Record);
        } catch (BadInputException e) {
            return new Reading.Failure(type, SourceText.problem(first, e));
        }
    }
}
