/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.fabric.Sha256;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** Writes a docker archive, the form that {@code docker save} has. Several images in one archive share their layers. */
public final class ImageArchive {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int EXECUTABLE = 0755;
    private static final String PATH = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

    private final Map<Path, String> layers = new LinkedHashMap<>();
    private final List<Image> images = new ArrayList<>();

    private record Image(String name, List<Path> layers, Map<String, Object> settings) {}

    /**
     * Adds an image.
     *
     * @param name with tag and registry, such as {@code example.test/ring:1}
     * @param parts uncompressed tar files, lowest first
     * @param settings of its config: Entrypoint, Cmd, User, Env, WorkingDir
     */
    public ImageArchive add(String name, List<Path> parts, Map<String, Object> settings) {
        parts.forEach(part -> layers.computeIfAbsent(part, ImageArchive::digest));
        Map<String, Object> all = new TreeMap<>(Map.of("Env", List.of(PATH)));
        all.putAll(settings);
        images.add(new Image(name, List.copyOf(parts), all));
        return this;
    }

    public Path write(Path archive) {
        try (OutputStream file = Files.newOutputStream(archive);
                TarArchiveOutputStream tar = new TarArchiveOutputStream(file)) {
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            for (Map.Entry<Path, String> layer : layers.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(layer.getValue() + "/layer.tar");
                entry.setSize(Files.size(layer.getKey()));
                tar.putArchiveEntry(entry);
                Files.copy(layer.getKey(), tar);
                tar.closeArchiveEntry();
            }
            List<Object> manifest = new ArrayList<>();
            for (Image image : images) {
                byte[] settings = settings(image);
                String name = HexFormat.of().formatHex(Sha256.of(settings)) + ".json";
                put(tar, name, settings, 0644);
                manifest.add(Map.of(
                        "Config",
                        name,
                        "RepoTags",
                        List.of(image.name()),
                        "Layers",
                        image.layers().stream()
                                .map(layer -> layers.get(layer) + "/layer.tar")
                                .toList()));
            }
            put(tar, "manifest.json", JSON.writeValueAsBytes(manifest), 0644);
            return archive;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + archive, e);
        }
    }

    private byte[] settings(Image image) throws IOException {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("architecture", System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64");
        config.put("os", "linux");
        config.put("config", image.settings());
        config.put(
                "rootfs",
                Map.of(
                        "type",
                        "layers",
                        "diff_ids",
                        image.layers().stream()
                                .map(layer -> "sha256:" + layers.get(layer))
                                .toList()));
        return JSON.writeValueAsBytes(config);
    }

    /** A layer of a few files; a name such as {@code usr/bin/.wh.sh} takes the file of a layer below away. */
    public static Path layer(Path file, Map<String, Path> contents) {
        try (OutputStream out = Files.newOutputStream(file);
                TarArchiveOutputStream tar = new TarArchiveOutputStream(out)) {
            for (Map.Entry<String, Path> content : new TreeMap<>(contents).entrySet()) {
                put(tar, content.getKey(), Files.readAllBytes(content.getValue()), EXECUTABLE);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** A layer that holds a whole directory, with owners and modes as they are; made once and kept beside it. */
    public static Path layerOf(Path root) {
        Path layer = root.resolveSibling(root.getFileName() + ".layer.tar");
        if (Files.notExists(layer)) {
            Path partial = root.resolveSibling(
                    root.getFileName() + ".layer." + ProcessHandle.current().pid());
            HostCommand.run(
                    "tar",
                    "--sort=name",
                    "--numeric-owner",
                    "--mtime=@0",
                    "-C",
                    root.toString(),
                    "-cf",
                    partial.toString(),
                    ".");
            try {
                Files.move(partial, layer, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write " + layer, e);
            }
        }
        return layer;
    }

    private static void put(TarArchiveOutputStream tar, String name, byte[] bytes, int mode) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        entry.setMode(mode);
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }

    private static String digest(Path layer) {
        MessageDigest digest = Sha256.begin();
        try (DigestInputStream in = new DigestInputStream(Files.newInputStream(layer), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + layer, e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
