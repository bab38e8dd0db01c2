/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A host root in which one recorded device stands sixteen times, each time with an address and GUIDs of its own. */
final class SixteenPorts {
    static final int PORTS = 16;

    private static final String DEVICE = "sys/devices/pci0000:80/0000:80:02.2/0000:82:00.0";

    private SixteenPorts() {}

    /** @param recorded the recorded host c412-603, unpacked: it is changed */
    static void multiply(Path recorded) throws IOException {
        Path original = recorded.resolve(DEVICE);
        for (int i = 1; i < PORTS; i++) {
            String address = String.format(Locale.ROOT, "0000:%02x:00.0", 0xc0 + i);
            Path copy = original.resolveSibling(address);
            copy(original, copy, i);
            link(recorded.resolve("sys/bus/pci/devices/" + address), copy);
            link(recorded.resolve("sys/class/infiniband/mlx4_" + i), copy.resolve("infiniband/mlx4_" + i));
            link(recorded.resolve("sys/class/net/ib" + i), copy.resolve("net/ib" + i));
        }
    }

    private static void copy(Path from, Path to, int number) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(from)) {
            all = walk.sorted(Comparator.naturalOrder()).toList();
        }
        String guid = String.format(Locale.ROOT, "%02x", number);
        for (Path file : all) {
            String relative = from.relativize(file)
                    .toString()
                    .replace("mlx4_0", "mlx4_" + number)
                    .replaceAll("(^|/)ib0(/|$)", "$1ib" + number + "$2");
            Path target = to.resolve(relative);
            if (Files.isSymbolicLink(file)) {
                String link = Files.readSymbolicLink(file)
                        .toString()
                        .replace("0000:82:00.0", String.valueOf(to.getFileName()));
                Files.createSymbolicLink(target, Path.of(link));
            } else if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(target);
            } else if (relative.matches(".*/(node_guid|sys_image_guid|address|gids/0)")) {
                Files.writeString(
                        target,
                        Files.readString(file)
                                .replace("00f9:bf", guid + "f9:bf")
                                .replace("00:f9:bf", guid + ":f9:bf"));
            } else {
                Files.copy(file, target);
            }
        }
    }

    private static void link(Path link, Path target) throws IOException {
        Files.createSymbolicLink(link, link.resolveSibling(".").normalize().relativize(target));
    }
}
