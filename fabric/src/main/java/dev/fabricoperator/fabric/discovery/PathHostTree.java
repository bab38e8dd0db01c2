/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A {@link HostTree} in a directory: the live host's root, its mount in a pod, or a recorded tree.
 *
 * <p>Only regular files are opened: a FIFO or a device node in a hostile tree would block the reader for ever.
 */
public final class PathHostTree implements HostTree {

    private static final int MAXIMUM_ENTRIES = 16_384;

    /** Errors by which the kernel says that an attribute has no value now; strerror texts of glibc and musl. */
    private static final List<String> NO_VALUE =
            List.of("Invalid argument", "Operation not supported", "Not supported", "No data available");

    private final Path root;

    private PathHostTree(Path root) {
        this.root = root;
    }

    /**
     * The tree below {@code root}. A root that does not exist is an empty tree, which discovery reports as such.
     *
     * @param root a directory that holds {@code sys}
     */
    public static PathHostTree of(Path root) {
        Path real = root.toAbsolutePath().normalize();
        try {
            real = root.toRealPath();
        } catch (IOException e) {
            // An absent or unreadable root shows in every later read, with its reason.
        }
        return new PathHostTree(real);
    }

    /** What the bytes of a file stand for. */
    private interface Decoding {
        Content of(byte[] bytes);
    }

    @Override
    public Content read(String path, int maximumBytes) {
        return read(path, maximumBytes, PathHostTree::decode);
    }

    @Override
    public Content readBinary(String path, int maximumBytes) {
        return read(path, maximumBytes, bytes -> new Text(new String(bytes, StandardCharsets.ISO_8859_1)));
    }

    private Content read(String path, int maximumBytes, Decoding decoding) {
        try {
            Path file = resolve(path);
            if (file == null) {
                return new Unreadable("a symbolic link leads out of the host's root");
            }
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                return new Unreadable("not a regular file");
            }
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(maximumBytes + 1);
            }
            if (bytes.length > maximumBytes) {
                return new Unreadable("longer than " + maximumBytes + " bytes");
            }
            return decoding.of(bytes);
        } catch (IOException | InvalidPathException e) {
            return isNoValue(e) ? new Absent() : new Unreadable(reason(e));
        }
    }

    @Override
    public Listing list(String path) {
        try {
            Path directory = resolve(path);
            if (directory == null) {
                return new Unreadable("a symbolic link leads out of the host's root");
            }
            List<String> names = new ArrayList<>();
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
                for (Path entry : stream) {
                    if (names.size() == MAXIMUM_ENTRIES) {
                        return new Unreadable("more than " + MAXIMUM_ENTRIES + " entries");
                    }
                    Path name = entry.getFileName();
                    if (name != null) {
                        names.add(name.toString());
                    }
                }
            }
            Collections.sort(names);
            return new Entries(names);
        } catch (NotDirectoryException e) {
            return new Unreadable("not a directory");
        } catch (DirectoryIteratorException e) {
            return new Unreadable("i/o error while listing");
        } catch (IOException | InvalidPathException e) {
            return isNoValue(e) ? new Absent() : new Unreadable(reason(e));
        }
    }

    @Override
    public @Nullable String realPath(String path) {
        try {
            Path real = resolve(path);
            return real == null ? null : "/" + root.relativize(real);
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    @Override
    public @Nullable String linkTarget(String path) {
        try {
            return Files.readSymbolicLink(below(path)).toString();
        } catch (NotLinkException e) {
            return null;
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    private Path below(String path) {
        return root.resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    /** The real path, or null where it lies outside the root. */
    private @Nullable Path resolve(String path) throws IOException {
        Path real = below(path).toRealPath();
        return real.startsWith(root) ? real : null;
    }

    private static Content decode(byte[] bytes) {
        // Old kernels print some lists with the rest of a fixed buffer behind them.
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        if (length == 0 && bytes.length > 0) {
            return new Unreadable("not text");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            return new Unreadable("not text");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) && c != '\n' && c != '\t') {
                return new Unreadable("not text");
            }
        }
        return new Text(text);
    }

    private static boolean isNoValue(Exception e) {
        if (e instanceof NoSuchFileException) {
            return true;
        }
        String message = e.getMessage();
        return message != null
                && (NO_VALUE.stream().anyMatch(message::endsWith) || message.endsWith("Not a directory"));
    }

    /** The system's reason without the path, which the caller knows under its name below the root. */
    private static String reason(Exception e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException fileSystem) {
            String reason = fileSystem.getReason();
            return reason == null ? e.getClass().getSimpleName() : reason.toLowerCase(Locale.ROOT);
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message.toLowerCase(Locale.ROOT);
    }
}
