/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/** Damages a tree on disk as kernels, drivers and people on purpose might, and repairs it again. */
final class TreeDamage {
    private static final int NAMES = 300;

    private static final String[] VALUES = {
        "",
        "\n",
        "0",
        "-1",
        "-2147483649",
        "255",
        "65536",
        "4294967296",
        "99999999999999999999999999",
        "0x",
        "0xffffffffffffffffffff",
        "1e309",
        "NaN",
        "4: ACTIVE\n4: ACTIVE",
        "9: ACTIVE",
        "100 Gb/sec (0X EDR)",
        "9999999999999999 Gb/sec (4X EDR)",
        "-5 Gb/sec",
        "0000:0000:0000:0000",
        "zzzz:zzzz:zzzz:zzzz",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "00:00:00:00:00:00:00",
        "0-99999999",
        "5-1",
        "0-3,",
        ",",
        "0,1,2,3,4,5,6,7,8,9,10,11,12,13",
        "ffffffff,".repeat(200),
        "10 20 30 40 50",
        "n\u00e4me",
        "\ud83d\ude00",
        "a b\tc",
        "../../../../etc/passwd",
        "\u0000",
        "up\u0007",
        "x".repeat(4095),
        "1 ".repeat(2048),
        "0\n".repeat(2000)
    };

    private final Path root;
    private final List<Path> files;
    private final List<Path> directories;
    private final Random random;
    private final Path aside;
    private final Deque<Repair> repairs = new ArrayDeque<>();
    /** What was done, for the message of a failure. */
    final List<String> done = new ArrayList<>();

    @FunctionalInterface
    private interface Repair {
        void run() throws IOException;
    }

    /** @param aside an empty directory on the same file system, outside the tree */
    TreeDamage(Path root, Path aside, long seed) throws IOException {
        this.root = root;
        this.aside = aside;
        random = new Random(seed);
        files = below(root, false);
        directories = below(root, true);
    }

    private static List<Path> below(Path root, boolean directories) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(path -> !path.equals(root))
                    .filter(path -> directories
                            ? Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                            : Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .filter(path -> !path.toString().contains("/cpu/"))
                    .sorted()
                    .toList();
        }
    }

    /** Entries of the tree as it was. */
    int entries() {
        return files.size() + directories.size();
    }

    void damage(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            Path file = files.get(random.nextInt(files.size()));
            Path directory = directories.get(random.nextInt(directories.size()));
            switch (random.nextInt(12)) {
                case 0, 1 -> torn(file);
                case 2 -> content(file, garbage(1 + random.nextInt(64)), "garbage");
                case 3 -> content(file, garbage(5000 + random.nextInt(5000)), "much garbage");
                case 4, 5, 6 ->
                    content(file, VALUES[random.nextInt(VALUES.length)].getBytes(StandardCharsets.UTF_8), "a value");
                case 7 -> replaced(file, at -> Files.createDirectory(at), "a directory");
                case 8 ->
                    replaced(
                            random.nextBoolean() ? file : directory,
                            at -> Files.createSymbolicLink(at, Objects.requireNonNull(at.getFileName())),
                            "a link to itself");
                case 9 ->
                    replaced(
                            random.nextBoolean() ? file : directory,
                            at -> Files.createSymbolicLink(at, somewhere()),
                            "a link to elsewhere");
                case 10 -> replaced(directory, at -> Files.writeString(at, "a file"), "a file");
                default -> crowd(directory);
            }
        }
    }

    private Path somewhere() {
        return switch (random.nextInt(4)) {
            case 0 -> Path.of("..");
            case 1 -> Path.of("/etc");
            case 2 -> Path.of("nowhere");
            default -> directories.get(random.nextInt(directories.size()));
        };
    }

    private byte[] garbage(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private void torn(Path file) throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] whole = Files.readAllBytes(file);
            byte[] part = new byte[random.nextInt(whole.length + 1)];
            System.arraycopy(whole, 0, part, 0, part.length);
            content(file, part, "its first " + part.length + " bytes");
        }
    }

    private void content(Path file, byte[] bytes, String what) throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            byte[] before = Files.readAllBytes(file);
            Files.write(file, bytes);
            repairs.push(() -> Files.write(file, before));
            done.add(root.relativize(file) + " holds " + what);
        }
    }

    @FunctionalInterface
    private interface Replacement {
        void make(Path at) throws IOException;
    }

    private void replaced(Path path, Replacement by, String what) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Path kept = aside.resolve(Integer.toString(repairs.size()));
        Files.move(path, kept);
        by.make(path);
        repairs.push(() -> {
            Files.delete(path);
            Files.move(kept, path);
        });
        done.add(root.relativize(path) + " is " + what);
    }

    /** Many entries with odd names, as no kernel makes them. */
    private void crowd(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> made = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            String name = switch (i % 5) {
                case 0 -> Integer.toString(1000 + i);
                case 1 -> "x".repeat(200) + i;
                case 2 -> "a b\t" + i;
                case 3 -> "0000:ff:00." + i;
                default -> "lower_" + i;
            };
            Path path = directory.resolve(name);
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                made.add(i % 2 == 0 ? Files.createDirectory(path) : Files.writeString(path, "1"));
            }
        }
        repairs.push(() -> {
            for (Path path : made) {
                Files.delete(path);
            }
        });
        done.add(root.relativize(directory) + " is crowded");
    }

    void repair() throws IOException {
        while (!repairs.isEmpty()) {
            repairs.pop().run();
        }
        done.clear();
    }
}
