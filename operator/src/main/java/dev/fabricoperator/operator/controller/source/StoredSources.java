/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.ObjectRef;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.crds.TopologySource;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.UploadPart;
import dev.fabricoperator.operator.model.SourceProblem;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sources that lie somewhere: uploads, ConfigMaps, files. One is read when what it consists of has changed, or on request.
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

    /** An upload, {@code null} if it is as it was. */
    @Nullable
    Reading upload(String name, List<UploadPart> parts, SourceType unlabelled, boolean again) {
        UploadPlan plan = UploadPlan.of(name, parts);
        if (plan.equals(fingerprints.put(name, plan)) && !again) {
            return null;
        }
        SourceType type = UploadPlan.type(parts, unlabelled);
        return switch (plan) {
            case UploadPlan.Faulty faulty -> new Reading.Failure(type, faulty.problem());
            case UploadPlan.Whole whole ->
                read(type, whole.file(), whole.digest(), () -> bytes.ofConfigMaps(namespace, whole.slices()));
        };
    }

    /** A ConfigMap or file that a Fabric names, {@code null} if it is as it was. */
    @Nullable
    Reading named(String name, TopologySource source, boolean again) {
        ObjectRef configMap = source.configMapRef();
        if (configMap != null) {
            UploadPart part = bytes.part(namespace, configMap.name());
            return part != null
                    ? upload(name, List.of(part), source.type(), again)
                    : missing(
                            name,
                            source,
                            "there is no ConfigMap or upload " + configMap.name() + " in namespace " + namespace);
        }
        String url = source.url();
        if (url == null) {
            return null;
        }
        SourceContents.TopologyFile file;
        try {
            file = bytes.file(url);
        } catch (IOException e) {
            return missing(name, source, url + ": " + e.getMessage());
        }
        return file.fingerprint().equals(fingerprints.put(name, file.fingerprint())) && !again
                ? null
                : read(source.type(), url, null, file::open);
    }

    void forget(String name) {
        fingerprints.remove(name);
    }

    private Reading missing(String name, TopologySource source, String message) {
        forget(name);
        return new Reading.Failure(source.type(), new SourceProblem(SourceProblem.Kind.Missing, message));
    }

    private static Reading read(SourceType type, String file, @Nullable String digest, SourceContents.Opening opening) {
        try (InputStream stream = opening.open()) {
            return new Reading.Success(
                    type, file, SourceText.read(type, file, stream, digest), Reading.Evidence.Record);
        } catch (BadInputException | IOException e) {
            return new Reading.Failure(type, SourceText.problem(file, e));
        }
    }
}
