/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.fabric.Sha256;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An image of a docker or OCI archive that somebody else made.
 *
 * @param name full name of it on the nodes, after the import
 * @param command entrypoint and command of the image
 * @param digest of its configuration, which names every layer by digest: as long as it is the same, so is the image; empty where there is none
 */
public record ArchivedImage(Path archive, String name, List<String> command, String digest) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Names images of archives that name none. */
    private static final String BASE = "fabric-operator.test/archive";

    /** Says on a node which image stands there under the name. */
    private static final String LABEL = "fabric-operator.test/digest";

    /** Descriptions are far smaller; layers need not be read. */
    private static final long LARGEST_DESCRIPTION = 4 << 20;

    public ArchivedImage {
        command = List.copyOf(command);
    }

    /**
     * Reads what the archive says of itself.
     *
     * @param wanted name of the image, {@code null} for the first
     * @throws IllegalArgumentException when it is no such archive, or holds no such image
     */
    public static ArchivedImage read(Path archive, @Nullable String wanted) {
        if (!Files.isReadable(archive)) {
            throw new IllegalArgumentException("cannot read " + archive);
        }
        Map<String, JsonNode> descriptions = new HashMap<>();
        try (InputStream plain = plain(archive);
                TarArchiveInputStream tar = new TarArchiveInputStream(plain)) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                if (entry.isFile() && entry.getSize() < LARGEST_DESCRIPTION) {
                    byte[] bytes = tar.readAllBytes();
                    if (bytes.length > 0 && (bytes[0] == '{' || bytes[0] == '[')) {
                        descriptions.put(entry.getName().replaceFirst("^\\./", ""), JSON.readTree(bytes));
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(archive + " is no docker or OCI archive: " + e.getMessage(), e);
        }
        JsonNode manifest = descriptions.get("manifest.json");
        if (manifest != null) {
            return ofDocker(archive, manifest, descriptions, wanted);
        }
        JsonNode index = descriptions.get("index.json");
        if (index != null) {
            return ofOci(archive, index, descriptions, wanted);
        }
        throw new IllegalArgumentException(
                archive + " is no docker or OCI archive: neither manifest.json nor index.json");
    }

    private static ArchivedImage ofDocker(
            Path archive, JsonNode manifest, Map<String, JsonNode> descriptions, @Nullable String wanted) {
        List<String> names = new ArrayList<>();
        for (JsonNode image : manifest) {
            for (JsonNode tag : image.path("RepoTags")) {
                names.add(tag.asText());
                if (wanted == null || fullName(wanted).equals(fullName(tag.asText()))) {
                    JsonNode config = descriptions.get(image.path("Config").asText());
                    return new ArchivedImage(archive, fullName(tag.asText()), command(config), digest(config));
                }
            }
        }
        throw new IllegalArgumentException(
                names.isEmpty()
                        ? archive + " names no image: give it a tag when it is saved (docker save NAME:TAG)"
                        : archive + " holds no " + wanted + " but " + String.join(", ", names));
    }

    private static ArchivedImage ofOci(
            Path archive, JsonNode index, Map<String, JsonNode> descriptions, @Nullable String wanted) {
        for (JsonNode image : index.path("manifests")) {
            JsonNode annotations = image.path("annotations");
            String full = annotations.path("io.containerd.image.name").asText("");
            String tag = annotations.path("org.opencontainers.image.ref.name").asText("");
            String name = !full.isEmpty() ? full : tag.contains("/") || tag.contains(":") ? tag : BASE + ":" + tag;
            if (tag.isEmpty() && full.isEmpty()) {
                name = BASE + "@" + image.path("digest").asText();
            }
            if (wanted == null || fullName(wanted).equals(fullName(name)) || wanted.equals(tag)) {
                JsonNode manifest = descriptions.get(blob(image.path("digest").asText()));
                JsonNode config = manifest == null
                        ? null
                        : descriptions.get(blob(manifest.at("/config/digest").asText()));
                return new ArchivedImage(archive, fullName(name), command(config), digest(config));
            }
        }
        throw new IllegalArgumentException(archive + " holds no " + (wanted == null ? "image" : wanted));
    }

    private static String blob(String digest) {
        return "blobs/" + digest.replace(':', '/');
    }

    private static List<String> command(@Nullable JsonNode config) {
        List<String> words = new ArrayList<>();
        if (config != null) {
            config.at("/config/Entrypoint").forEach(word -> words.add(word.asText()));
            config.at("/config/Cmd").forEach(word -> words.add(word.asText()));
        }
        return words;
    }

    private static String digest(@Nullable JsonNode config) {
        if (config == null) {
            return "";
        }
        return HexFormat.of().formatHex(Sha256.of(config.toString()));
    }

    /** As the kubelet completes it: registry, library, tag. */
    static String fullName(String name) {
        String first = name.contains("/") ? name.substring(0, name.indexOf('/')) : "";
        String full = name;
        if (!first.contains(".") && !first.contains(":") && !first.equals("localhost")) {
            full = "docker.io/" + (first.isEmpty() ? "library/" : "") + name;
        }
        return full.contains("@") || full.substring(full.lastIndexOf('/')).contains(":") ? full : full + ":latest";
    }

    private static InputStream plain(Path archive) throws IOException {
        BufferedInputStream in = new BufferedInputStream(Files.newInputStream(archive));
        in.mark(2);
        boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        return zipped ? new BufferedInputStream(new GZIPInputStream(in)) : in;
    }

    /**
     * Imports it into each of the containerds that listen there, but those that have it already.
     *
     * @return into how many
     */
    public int importInto(List<Path> sockets, NodePrograms programs) {
        List<Path> without =
                sockets.stream().filter(socket -> !isImported(socket, programs)).toList();
        if (without.isEmpty()) {
            return 0;
        }
        try {
            Path file = Files.createTempFile("fabric-operator-image-", ".tar");
            try {
                try (InputStream in = plain(archive);
                        OutputStream out = Files.newOutputStream(file)) {
                    in.transferTo(out);
                }
                BlockingTasks.runAll(without.stream()
                        .<Runnable>map(socket -> () -> importInto(socket, programs, file))
                        .toList());
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot import " + archive, e);
        }
        return without.size();
    }

    private void importInto(Path socket, NodePrograms programs, Path plain) {
        // By ctr itself: containerd would leave out images whose names do not begin with the base.
        ctr(programs, socket, "images", "import", "--local", "--base-name", BASE, plain.toString());
        ctr(programs, socket, "images", "label", name, LABEL + "=" + digest);
    }

    private boolean isImported(Path socket, NodePrograms programs) {
        return !digest.isEmpty()
                && ctr(programs, socket, "images", "list", "name==\"" + name + "\"")
                        .contains(LABEL + "=" + digest);
    }

    private static String ctr(NodePrograms programs, Path socket, String... words) {
        List<String> command = new ArrayList<>(
                List.of(programs.ctr().toString(), "--address", socket.toString(), "--namespace", "k8s.io"));
        command.addAll(List.of(words));
        return HostCommand.run(command);
    }
}
